// SPDX-License-Identifier: GPL-2.0-or-later

// Command bench measures the figures that gostap guarantees and prints them, beside those of the
// installed alternatives and of a hand-written module as the lower bound: the time of the passes, the
// cost of generated code relative to hand-written C, the cost of a hit in instructions (icount in the
// micro-VM), the rate of events without loss, the time for attaching to ten thousand functions, and the
// memory of a session.
//
// \tgo run ./tests/bench [-kernel RELEASE] [-tools NAME,…] [front] [passes] [library] [dwarf] [code]
// [hits] [throughput] [attach] [memory] [starts] [tools] [live]
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"gostap/vm"
)

// A bench has what all measurements share.
type bench struct {
	release string
	dir     string // scratch, with gostap and reads in it
	gostap  string
}

// onlyTools are the tools to measure, all if it is empty.
var onlyTools = flag.String("tools", "", "measure only these of gostap's tools, `NAME,…`")

func main() {
	if len(os.Args) > 2 && os.Args[1] == guestArg {
		guests[os.Args[2]](os.Args[3:])
		return
	}
	kernel := flag.String("kernel", "", "kernel `release` to measure on (default: the oldest installed)")
	flag.Parse()
	if err := run(*kernel, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(release string, parts []string) error {
	if release == "" {
		all := vm.Releases()
		if len(all) == 0 {
			return fmt.Errorf("no kernel to measure on: run tests/setup test")
		}
		release = all[0]
	}
	dir, err := os.MkdirTemp("", "gostap-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{release: release, dir: dir, gostap: filepath.Join(dir, "gostap")}
	if err := command("go", "build", "-o", b.gostap, "./cmd/gostap").Run(); err != nil {
		return err
	}
	if err := command("gcc", "-O2", "-static", "-o", filepath.Join(dir, "reads"), "tests/load/reads.c").Run(); err != nil {
		return err
	}
	if err := command("gcc", "-O2", "-g", "-o", filepath.Join(dir, "calls"), "tests/load/calls.c").Run(); err != nil {
		return err
	}
	for _, part := range []struct {
		name string
		run  func(*bench) error
	}{{"front", front}, {"passes", passes}, {"library", tapsetLibrary}, {"dwarf", dwarf}, {"code", code}, {"hits", hits}, {"userhits", userHits}, {"throughput", throughput}, {"attach", attach}, {"memory", memory}, {"starts", starts}, {"tools", toolCosts}, {"live", watched}} {
		if len(parts) > 0 && !slices.Contains(parts, part.name) {
			continue
		}
		if err := part.run(b); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		fmt.Println()
	}
	return nil
}

// command returns a command whose standard error is shown.
func command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	return cmd
}
