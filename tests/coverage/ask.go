// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"runtime"
	"strings"
	"sync"
)

// An asker runs gostap and returns its messages.
type asker struct {
	gostap  string // its path
	env     []string
	only    string // a wildcard of the names to test, "" for all
	verbose bool
}

func (a asker) wants(name string) bool {
	ok, _ := path.Match(a.only, name)
	return a.only == "" || ok
}

// elaborates runs passes 1 and 2 on a script and returns the first line of its error, "" if there is
// none.
func (a asker) elaborates(release, script string) string {
	cmd := exec.Command(a.gostap, "-r", release, "-g", "-p2", "-e", script)
	cmd.Env = append(os.Environ(), a.env...)
	return complaint(cmd)
}

// complaint runs a command and returns the first line of its error, "" if it succeeds.
func complaint(cmd *exec.Cmd) string {
	out, err := cmd.CombinedOutput()
	if err == nil {
		return ""
	}
	return fmt.Sprintf("%v: %s", err, firstError(string(out)))
}

// firstError returns the first error in an output.
func firstError(out string) string {
	for line := range strings.Lines(out) {
		if strings.Contains(strings.ToLower(line), "error:") {
			return strings.TrimSpace(line)
		}
	}
	first, _, _ := strings.Cut(strings.TrimSpace(out), "\n")
	return first
}

// each calls a function for each item, on all processors in parallel, and returns the results in the
// items' order.
func each[T, R any](list []T, f func(T) R) []R {
	found := make([]R, len(list))
	var group sync.WaitGroup
	slots := make(chan struct{}, runtime.NumCPU())
	for i, item := range list {
		slots <- struct{}{}
		group.Go(func() {
			found[i] = f(item)
			<-slots
		})
	}
	group.Wait()
	return found
}

// list prints what fails and why, one line each.
func (a asker) list(what, release string, failed [][2]string) {
	if !a.verbose {
		return
	}
	for _, f := range failed {
		fmt.Printf("%s %s on %s: %s\n", what, f[0], release, f[1])
	}
}
