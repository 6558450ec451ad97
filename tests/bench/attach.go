// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// attachCases are scripts with the minimal number of functions of their probes, and the maximal time
// for arming and for disarming them. PROGRAM stands for a program with many functions, which runs meanwhile.
var attachCases = []struct {
	name, points, script string
	least                int
	limit                string
}{
	{"entry", `kernel.function("[a-e]*")`, `global n probe kernel.function("[a-e]*") { n++ } probe end { println(n) }`, 10000, "2s"},
	{"return", `kernel.function("[a-e]*").return`, `global n probe kernel.function("[a-e]*").return { n++ } probe end { println(n) }`, 10000, "2s"},
	{"syscalls", `syscall.*`, `
		probe syscall.* { if (pid() == target()) printf("%s(%s)", name, argstr) }
		probe syscall.*.return { if (pid() == target()) printf(" = %s\n", retstr) }`, 350, "300ms"},
	{"program", `process("PROGRAM").function("*")`, `global n probe process("PROGRAM").function("*") { n++ } probe end { println(n) }`, manyFunctions, "2s"},
	{"program_return", `process("PROGRAM").function("*").return`, `global n probe process("PROGRAM").function("*").return { n++ } probe end { println(n) }`,
		manyFunctions, "2s"},
}

// attach measures the time for arming and disarming probes on ten thousand functions, on all system
// calls and their returns, and on all functions of a running program, with emulation.
func attach(b *bench) error {
	program, err := b.buildMany()
	if err != nil {
		return err
	}
	in := strings.NewReplacer("PROGRAM", program).Replace
	var points []int
	for _, c := range attachCases {
		list, err := command(b.gostap, "-r", b.release, "-l", in(c.points)).Output()
		if err != nil {
			return err
		}
		n := bytes.Count(list, []byte("\n"))
		if n < c.least {
			return fmt.Errorf("%s stands for %d points only", c.points, n)
		}
		points = append(points, n)
		cmd := command(b.gostap, "-p4", "-r", b.release, "-m", "attach_"+c.name, "-e", in(c.script))
		cmd.Dir = b.dir
		if err := cmd.Run(); err != nil {
			return err
		}
	}
	took, err := b.inGuest("attach", false)
	if err != nil {
		return err
	}
	fmt.Printf("attaching and detaching on %s, under emulation\n", b.release)
	fmt.Printf("%-28s %10s %10s %10s\n", "", "attach", "detach", "limit")
	for i, c := range attachCases {
		fmt.Printf("%-28s %10s %10s %10s\n", fmt.Sprintf("%s at %d points", c.name, points[i]), took["started "+c.name], took["stopped "+c.name], c.limit)
	}
	return nil
}

var verboseTime = regexp.MustCompile(`(?m)^(started|stopped) in (\S+)$`)

// guestAttach takes the best of three runs, as the host has other load.
func guestAttach(args []string) {
	many := exec.Command(filepath.Join(args[0], "many"))
	must(many.Start())
	defer many.Process.Kill()
	for _, c := range attachCases {
		best := map[string]time.Duration{}
		for range 3 {
			cmd := exec.Command(filepath.Join(args[0], "gostap"), "run", "-vv", "-c", "true", filepath.Join(args[0], "attach_"+c.name+".ko"))
			var stderr strings.Builder
			cmd.Stderr = &stderr
			if err := cmd.Run(); err != nil {
				fmt.Fprintf(os.Stderr, "%s: %v\n%s", cmd, err, stderr.String())
				os.Exit(1)
			}
			for _, m := range verboseTime.FindAllStringSubmatch(stderr.String(), -1) {
				took, err := time.ParseDuration(m[2])
				must(err)
				if best[m[1]] == 0 || took < best[m[1]] {
					best[m[1]] = took
				}
			}
		}
		for what, took := range best {
			fmt.Printf("%s %s=%s\n", what, c.name, took)
		}
	}
}
