// SPDX-License-Identifier: GPL-2.0-or-later

package torture

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gostap/tests/guest"
	"gostap/tests/host"
	"gostap/tests/session"
	"gostap/tests/torture/generate"
	"gostap/translator/emit"
)

var seed = flag.Uint64("torture.seed", 1, "the random scripts' first seed")

// programsPerScript is the number of programs in a module.
const programsPerScript = 10

// numbersOf returns the number of scripts for each of the kernels; in make test, fewer.
func numbersOf(releases []string) (list []int) {
	short := 10
	if os.Getenv("GOSTAP_SPREAD") != "" {
		short = 4
	}
	for _, release := range releases {
		list = append(list, session.Times(release, short, 110))
	}
	return list
}

// A wantedScript is a random script and its output on the host runtime.
type wantedScript struct {
	Name           string
	Text           string
	Options        []string
	Output, Stderr []byte
	ExitCode       int
}

// scripts generates n scripts and runs them on the host, with the sanitizers.
func scripts(t *testing.T, n int) []*wantedScript {
	list := make([]*wantedScript, n)
	var wait sync.WaitGroup
	slots := make(chan struct{}, 2)
	for i := range list {
		wait.Add(1)
		go func() {
			defer wait.Done()
			slots <- struct{}{}
			defer func() { <-slots }()
			n := *seed + uint64(i)
			s := generate.New(n, programsPerScript)
			w, err := runHost(t, fmt.Sprintf("seed%d", n), s)
			if err != nil {
				t.Errorf("seed %d, on the host: %v", n, err)
			}
			list[i] = w
		}()
	}
	wait.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return list
}

func runHost(t *testing.T, name string, s *generate.Script) (*wantedScript, error) {
	w := &wantedScript{Name: name, Text: s.Text, Options: s.Options}
	limits := emit.DefaultLimits()
	for _, o := range s.Options {
		if name, value, ok := strings.Cut(o, "="); ok {
			if _, err := limits.Set(name, value); err != nil {
				return nil, err
			}
		}
	}
	r, err := host.Run(t.Context(), &host.Script{Name: name + ".stp", Text: s.Text, Limits: limits})
	if err != nil {
		return nil, err
	}
	w.Output, w.Stderr, w.ExitCode = []byte(r.Output), []byte(r.Stderr), r.ExitCode
	return w, nil
}

// buildScripts makes modules of the scripts.
func buildScripts(t *testing.T, dir, release string, list []*wantedScript) {
	for _, w := range list {
		path := filepath.Join(dir, w.Name+".stp")
		if err := os.WriteFile(path, []byte(w.Text), 0o644); err != nil {
			t.Fatal(err)
		}
		args := append([]string{"-w", "-p4", "-r", release, "-m", w.Name}, w.Options...)
		guest.Command(t, dir, filepath.Join(dir, "gostap"), append(args, w.Name+".stp")...)
	}
	data, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "scripts.json"), data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// testScripts runs the scripts in the kernel.
func testScripts(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(guest.Dir(), "scripts.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []*wantedScript
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	failed := 0
	for _, w := range list {
		s := session.Run(t, "run", session.Module(w.Name))
		same := true
		for _, stream := range []struct {
			name      string
			got, want []byte
		}{{"output", s.Out.Bytes(), w.Output}, {"stderr", s.Err.Bytes(), w.Stderr}} {
			// The kernel keeps at most 64 messages until they are sent, and reports how many it
			// dropped.
			if stream.name == "stderr" && bytes.Contains(stream.got, []byte("messages came too fast")) {
				t.Logf("%s: %s", w.Name, lostMessages.Find(stream.got))
				continue
			}
			if at, ok := differ(stream.got, stream.want); !ok {
				same = false
				t.Errorf("%s: its %s differs from line %d on:\nkernel: %.300q\nhost:   %.300q", w.Name, stream.name, at+1,
					line(stream.got, at), line(stream.want, at))
			}
		}
		if code := s.ProcessState.ExitCode(); code != w.ExitCode {
			same = false
			t.Errorf("%s: exit code %d in the kernel, %d on the host", w.Name, code, w.ExitCode)
		}
		if !same {
			failed++
		}
	}
	t.Logf("%d scripts of %d programs each, %d differ", len(list), programsPerScript, failed)
}

// differ returns the index of the first line at which two texts differ; ok if none does.
func differ(x, y []byte) (at int, ok bool) {
	if bytes.Equal(x, y) {
		return 0, true
	}
	for i := 0; ; i++ {
		if !bytes.Equal(line(x, i), line(y, i)) {
			return i, false
		}
	}
}

// line returns a line of a text; nil beyond its end.
func line(text []byte, n int) []byte {
	all := bytes.SplitAfter(text, []byte("\n"))
	if n >= len(all) {
		return nil
	}
	return all[n]
}
