// SPDX-License-Identifier: GPL-2.0-or-later

package monitor

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gostap/live"
)

// A fakeSession is a session with known figures.
type fakeSession struct {
	mu     sync.Mutex
	hits   uint64
	n      int64
	off    [2]bool
	resets int64
}

func (s *fakeSession) Snapshot() (*live.Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hits += 100
	by := live.Global{Name: "by", Kind: live.Long, Keys: []string{live.String}}
	for i := range 60 {
		by.Rows = append(by.Rows, live.Row{Keys: []live.Value{text(fmt.Sprintf("element[red]%d", i))}, Value: number(int64(1000 - i))})
	}
	return &live.Snapshot{Time: time.Unix(1010, 0), State: live.State{Module: "m", Script: "x.stp", Started: time.Unix(1000, 0), Running: true, Records: 3},
		Probes:  []live.Probe{{Name: "timer.s(1)", On: !s.off[0], Hits: s.hits}, {Name: "end", On: !s.off[1]}},
		Globals: []live.Global{{Name: "resets", Kind: live.Long, Rows: []live.Row{{Value: number(s.resets)}}}, by}}, nil
}

func (s *fakeSession) Reset() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resets++
	return nil
}

func (s *fakeSession) Switch(probe int, on bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.off[probe] = !on
	return nil
}

// TestMain runs the monitor itself when tmux starts the test binary.
func TestMain(m *testing.M) {
	if os.Getenv("GOSTAP_MONITOR_STANDIN") == "" {
		os.Exit(m.Run())
	}
	tail := &live.Tail{}
	fmt.Fprint(tail, "what the script \x1b[31mprints\n")
	quit := make(chan struct{})
	end := Start(&fakeSession{}, tail, 100*time.Millisecond, nil, sync.OnceFunc(func() { close(quit) }))
	<-quit
	end()
	fmt.Println("back at the terminal")
	time.Sleep(time.Minute) // tmux shows the monitor while this runs
}

// In a terminal, each key has its effect, a resized window is redrawn, and the terminal is restored.
func TestInTmux(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("there is no tmux: apt-get install tmux")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(t.TempDir(), "tmux")
	tmux := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("tmux", append([]string{"-u", "-f", "/dev/null", "-S", socket}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %q: %v: %s", args, err, out)
		}
		return string(out)
	}
	tmux("new-session", "-d", "-x", "100", "-y", "40", "env", "GOSTAP_MONITOR_STANDIN=1", "LC_ALL=C.UTF-8", self)
	defer tmux("kill-server")
	shows := func(wanted ...string) {
		t.Helper()
		var screen string
		for range 600 {
			screen = tmux("capture-pane", "-p")
			missing := false
			for _, w := range wanted {
				without, there := strings.CutPrefix(w, "!")
				missing = missing || strings.Contains(screen, without) == there
			}
			if !missing {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Fatalf("the screen doesn't come to show %q:\n%s", wanted, screen)
	}
	keys := func(list ...string) { t.Helper(); tmux(append([]string{"send-keys"}, list...)...) }

	shows("x.stp as m, for 10s", "timer.s(1)", "resets  0", "by: 60 elements", "element[red]0   1000", "what the script �[31mprints", "c reset", "!element[red]59")
	keys("c")
	shows("the globals are reset", "resets  1")
	keys("s")
	shows("probes by hits")
	keys("p")
	shows("0   off", "1   off", "all probes are off")
	keys("r")
	shows("0   on", "1   on")
	keys("t")
	shows("toggle probe number:")
	keys("1", "Enter")
	shows("0   on", "1   off", "probe 1 is off")
	keys("t", "9", "Enter")
	shows(`there is no probe "9"`)
	keys("/", "d]59", "Enter")
	shows("by: 60 elements, 1 shown", "element[red]59  941")
	keys("/", "Enter")
	shows("element[red]0   1000")
	keys("End")
	shows("element[red]59  941")
	keys("x")
	shows("!by: 60", "what the script")
	keys("x")
	shows("element[red]59  941")
	keys("Home")
	shows("by: 60")
	tmux("resize-window", "-x", "80", "-y", "20") // has room for probes behind full sparklines, which there are on a slow machine
	shows("timer.s(1)", "globals", "output")
	keys("q")
	shows("back at the terminal", "!globals")
}
