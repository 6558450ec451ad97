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

// attachCases probe ten thousand functions and some more.
var attachCases = []struct{ name, point string }{
	{"entry", `kernel.function("[a-e]*")`},
	{"return", `kernel.function("[a-e]*").return`},
}

const leastAttached = 10000

// attach measures how long it takes to arm and to disarm probes on ten
// thousand functions, under emulation.
func attach(b *bench) error {
	var points []int
	for _, c := range attachCases {
		list, err := command(b.gostap, "-r", b.release, "-l", c.point).Output()
		if err != nil {
			return err
		}
		n := bytes.Count(list, []byte("\n"))
		if n < leastAttached {
			return fmt.Errorf("%s stands for %d functions only", c.point, n)
		}
		points = append(points, n)
		cmd := command(b.gostap, "-p4", "-r", b.release, "-m", "attach_"+c.name, "-e",
			fmt.Sprintf(`global n probe %s { n++ } probe end { printf("%%d\n", n) }`, c.point))
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
		fmt.Printf("%-28s %10s %10s %10s\n", fmt.Sprintf("%s of %d functions", c.name, points[i]), took["started "+c.name], took["stopped "+c.name], "2s")
	}
	return nil
}

var verboseTime = regexp.MustCompile(`(?m)^(started|stopped) in (\S+)$`)

// guestAttach takes the best of three runs of each, as the host has other work, too.
func guestAttach(args []string) {
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
