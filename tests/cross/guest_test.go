// SPDX-License-Identifier: GPL-2.0-or-later

package cross

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gostap/tests/cross/generate"
	"gostap/tests/guest"
	"gostap/tests/session"
)

// TestGuest runs inside the VM.
func TestGuest(t *testing.T) {
	if guest.Dir() == "" {
		t.Skip("TestCross runs this in a VM")
	}
	prepare(t)
	began, sums := time.Now(), &totals{cells: map[string]bool{}, crossed: map[string]bool{}, meanwhile: map[string]int{}, said: map[string]int{}}
	for i := range generate.Contexts {
		c := &generate.Contexts[i]
		t.Run(c.Name, func(t *testing.T) {
			for _, p := range plans(t) {
				if p.Context == c.Name {
					runPlanned(t, c, &p, sums)
				}
			}
		})
	}
	t.Run("Leaks", func(t *testing.T) {
		if err := guest.Leaks(); err != nil {
			t.Error(err)
		}
	})
	sums.report(t, time.Since(began))
}

// plans returns the sessions that the host has planned.
func plans(t *testing.T) (list []planned) {
	data, err := os.ReadFile(filepath.Join(guest.Dir(), "plan.json"))
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// prepare loads the module and starts the program that are probed, and some hundred reads, writes and
// opens of files per second.
func prepare(t *testing.T) {
	if err := guest.Harm(); err != nil {
		t.Logf("before any session, as the kernel booted: %v", err)
	}
	guest.Command(t, "/", "insmod", session.Module("gs_cross"))
	os.Setenv("PATH", guest.Dir()+":"+os.Getenv("PATH"))
	program := exec.Command(filepath.Join(guest.Dir(), "beat"))
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan bool)
	go func() {
		for range time.Tick(3 * time.Millisecond) {
			select {
			case <-done:
				return
			default:
				os.ReadFile("/proc/self/comm")
				os.WriteFile("/dev/null", []byte("x"), 0)
				if session.Long {
					readProcfs()
				}
			}
		}
	}()
	t.Cleanup(func() {
		close(done)
		program.Process.Kill()
		program.Wait()
		unix.DeleteModule("gs_cross", 0)
	})
}

// readProcfs reads the files of procfs probes.
func readProcfs() {
	files, _ := filepath.Glob("/proc/systemtap/*/command")
	for _, name := range files {
		os.ReadFile(name)
	}
}

// harmless matches words in the kernel log that usually report harm but are expected here: requested
// backtraces, processes without memory.
var harmless = regexp.MustCompile(`^(Call Trace|NMI backtrace)$`)

// runPlanned runs a planned session to its end, and checks its results.
func runPlanned(t *testing.T, c *generate.Context, p *planned, sums *totals) {
	t.Helper()
	m := meanwhiles[slices.IndexFunc(meanwhiles, func(m meanwhile) bool { return m.name == p.Meanwhile })]
	if m.ready != nil && !m.ready() {
		m = meanwhiles[0]
	}
	r := &running{T: t, context: c, planned: p, meanwhile: &m}
	r.begin()
	if m.do != nil {
		m.do(r)
	}
	r.end()
	for _, one := range r.sessions {
		one.check(sums)
	}
	if err := guest.HarmBut(harmless); err != nil {
		t.Errorf("%s: %v", r, err)
	}
	session.Clean(t)
	sums.sessions += len(r.sessions)
	sums.meanwhile[m.name]++
	if strings.Contains(p.Context, "module") && !session.Loaded("gs_cross") {
		t.Fatalf("%s: gs_cross is not there any more", r)
	}
}
