// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"gostap/internal/cache"
	"gostap/vm"
)

// seconds is the time limit of each example in the VM, and on the host for its C compiler.
const seconds = 400

// driver runs, in the VM, the lines of its script, each of which has an example's name, folder and
// command separated by tabs, and prints the results, after another command. A background load produces
// events.
const driver = `eval "$2"
while :; do cat /proc/uptime >/tmp/uptime; sleep 0.1; done &
printf '%%s' "$1" | while IFS='	' read -r name dir command; do
	cd "$dir"
	timeout -k 5 %d sh -c "$command" >/tmp/out 2>&1 </dev/null
	printf '=== %%s %%d\n' "$name" $?
	grep -aiE 'error|warning|panic' /tmp/out | head -n 3
	dmesg -c | grep -E 'BUG|WARNING|Oops|Call Trace' | head -n 3
done
`

// run runs the examples' installchecks in a VM for each kernel.
func (a asker) run(folder, setup string, releases []string) error {
	list, bin, err := a.prepare(folder)
	if err != nil {
		return err
	}
	defer os.RemoveAll(bin)
	list = slices.DeleteFunc(list, func(e example) bool { return e.install == "" })
	var lines strings.Builder
	for _, e := range list {
		fmt.Fprintf(&lines, "%s\t%s\t%s\n", e.name, e.dir, e.install)
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "kernel\texamples that run")
	for _, release := range releases {
		if err := a.buildHere(list, bin, release); err != nil {
			return err
		}
		r, w := io.Pipe()
		go func() {
			_, err := vm.Run(context.Background(), vm.Config{
				Release:  release,
				MemoryMB: 2048,
				Dir:      folder,
				Env:      append([]string{"PATH=" + bin + ":" + os.Getenv("PATH"), "GOSTAP_CACHE=" + cache.Root()}, a.env...),
				Args:     []string{"bash", "-c", fmt.Sprintf(driver, seconds), "driver", lines.String(), setup},
				Stdout:   w,
				Stderr:   w,
			})
			w.CloseWithError(err)
		}()
		s, err := a.results(r, release)
		if err != nil {
			return err
		}
		s.all = len(list)
		fmt.Fprintf(table, "%s\t%v\n", release, s)
	}
	return table.Flush()
}

// buildHere runs the installchecks with a stap that stops after pass 4, so that the VM, which may be
// emulated, finds most of the modules in the cache.
func (a asker) buildHere(list []example, bin, release string) error {
	folder := filepath.Join(bin, release)
	script := fmt.Sprintf("#!/bin/sh\nexec %s -r %s -p4 \"$@\"\n", filepath.Join(bin, "stap"), release)
	if err := errors.Join(os.Mkdir(folder, 0o755), os.WriteFile(filepath.Join(folder, "stap"), []byte(script), 0o755)); err != nil {
		return err
	}
	each(list, func(e example) error {
		ctx, cancel := context.WithTimeout(context.Background(), seconds*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, "sh", "-c", e.install)
		cmd.Dir = e.dir
		cmd.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"))
		cmd.Env = append(cmd.Env, a.env...)
		return cmd.Run()
	})
	return nil
}

// results counts the examples that ran, by the driver's output, and lists the others.
func (a asker) results(r io.Reader, release string) (share, error) {
	var s share
	var name, why string
	var code int
	flush := func() {
		if name != "" && (code != 0 || why != "") {
			a.list("example", release, [][2]string{{name, fmt.Sprintf("exit code %d%s", code, why)}})
		} else if name != "" {
			s.there++
		}
	}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if head, ok := strings.CutPrefix(lines.Text(), "=== "); ok {
			flush()
			fmt.Sscan(head, &name, &code)
			why = ""
		} else if code != 0 || strings.Contains(lines.Text(), "BUG") || strings.Contains(lines.Text(), "Call Trace") {
			why += " | " + lines.Text()
		}
	}
	flush()
	return s, lines.Err()
}
