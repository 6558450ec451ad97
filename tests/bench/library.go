// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// The content of the generated library, in addition to gostap's own.
const (
	madeFunctions = 2000
	madeAliases   = 700
	perFile       = 10
)

// tapsetLibrary measures the cost of a tapset library of many files for scripts that use little of it,
// and for one that uses all its aliases.
func tapsetLibrary(b *bench) error {
	dir := filepath.Join(b.dir, "tapset")
	if err := makeLibrary(dir); err != nil {
		return err
	}
	fmt.Printf("with a library of %d functions and %d aliases more, on %s, median of %d, process start included\n", madeFunctions, madeAliases, b.release, repeats)
	fmt.Printf("%-44s %10s %10s %12s %10s\n", "", "time", "limit", "memory, MiB", "limit")
	for _, c := range []struct {
		name  string
		args  []string
		limit string
	}{
		{"hello, without it, passes 1 and 2", []string{"-p2", "-e", hello}, "–"},
		{"hello, passes 1 and 2", []string{"-I", dir, "-p2", "-e", hello}, "–"},
		{"hello, passes 1 to 4, unchanged", []string{"-I", dir, "-p4", "-e", hello}, "50 ms"},
		{"all aliases, passes 1 to 3", []string{"-I", dir, "-p3", "-e", `probe made.* { println(name, argstr) }`}, "–"},
		{"all aliases, empty, passes 1 to 4, new", []string{"-I", dir, "-p4", "--poison-cache", "-e", `probe made.* { }`}, "1500 ms"},
	} {
		memory := int64(0)
		once := func(int) error {
			cmd := command(b.gostap, append([]string{"-r", b.release}, c.args...)...)
			if err := cmd.Run(); err != nil {
				return err
			}
			memory = max(memory, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss>>10)
			return nil
		}
		if err := once(0); err != nil { // builds the index
			return err
		}
		memory = 0
		took, err := median(once)
		if err != nil {
			return err
		}
		fmt.Printf("%-44s %10s %10s %12d %10d\n", c.name, ms(took), c.limit, memory, 60)
	}
	return nil
}

const hello = `probe begin { println("hello") exit() }`

// makeLibrary writes the library to dir, with old modification times.
func makeLibrary(dir string) error {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	write := func(name, text string) error {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			return err
		}
		then := time.Now().Add(-time.Hour)
		return os.Chtimes(path, then, then)
	}
	var functions, aliases strings.Builder
	for i := range madeFunctions {
		fmt.Fprintf(&functions, `/** made_%[1]d(task, n) is what is to be said of a task. */
function made_%[1]d:long (task:long, n:long) {
	pid = @cast(task, "task_struct", "kernel")->pid
	for (i = 0; i < n; i++)
		if (pid > i * %[1]d)
			return strlen(sprintf("%%d-%%s", pid, execname())) + made_%[2]d(task, n - 1)
	return 0
}
`, i, max(i-1, 0))
		if i%perFile == perFile-1 {
			if err := write(fmt.Sprintf("functions%d.stp", i/perFile), functions.String()); err != nil {
				return err
			}
			functions.Reset()
		}
	}
	for i := range madeAliases {
		fmt.Fprintf(&aliases, `/** made.a%[1]d - call number %[1]d
 * @name: its name
 * @argstr: its arguments
 */
probe made.a%[1]d = kernel.function("vfs_read") {
	name = "a%[1]d"
	argstr = sprintf("%%d, %%p, %[1]d", $count, $buf)
}
`, i)
		if i%perFile == perFile-1 {
			if err := write(fmt.Sprintf("aliases%d.stp", i/perFile), aliases.String()); err != nil {
				return err
			}
			aliases.Reset()
		}
	}
	return nil
}
