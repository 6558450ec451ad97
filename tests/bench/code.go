// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// codeLimit is the maximal cost of a script relative to hand-written C.
const codeLimit = 1.5

// codeRuns is the number of runs of a program; the shortest time counts.
const codeRuns = 15

// handFlags are the flags of the hand-written C: its integers wrap, as in scripts and in the kernel,
// which is compiled with these flags.
var handFlags = []string{"-O2", "-fno-strict-overflow", "-fno-strict-aliasing"}

// code compares generated code with C: each script in tests/bench/code, on the host runtime, with a
// hand-written program beside it that prints the same. The figures are those of whole processes; the
// script counts its actions, as always.
func code(b *bench) error {
	scripts, err := filepath.Glob("tests/bench/code/*.stp")
	if err != nil {
		return err
	}
	fmt.Printf("generated code on the host runtime beside hand-written C: millions of instructions, CPU time in ms, shortest of %d\n", codeRuns)
	_, err = exec.LookPath("valgrind")
	counted := err == nil
	if !counted {
		fmt.Println("no instructions without valgrind: apt-get install valgrind")
	}
	fmt.Printf("%-16s %10s %8s %6s %10s %8s %6s %6s\n", "", "script", "C", "ratio", "script ms", "C ms", "ratio", "limit")
	for _, script := range scripts {
		pair, err := b.buildPair(script)
		if err != nil {
			return err
		}
		fmt.Printf("%-16s", pair.name)
		if counted {
			if err := pair.print(1, 1e-6, instructions); err != nil {
				return err
			}
		} else {
			fmt.Printf(" %10s %8s %6s", "", "", "")
		}
		if err := pair.print(codeRuns, 1e3, seconds); err != nil {
			return err
		}
		fmt.Printf(" %6.2f\n", codeLimit)
	}
	return nil
}

// A codePair is a script and its hand-written equivalent, both as programs.
type codePair struct{ name, script, hand string }

// buildPair builds both programs, and checks that they print the same.
func (b *bench) buildPair(script string) (codePair, error) {
	source := strings.TrimSuffix(script, ".stp")
	p := codePair{name: filepath.Base(source)}
	p.hand = filepath.Join(b.dir, p.name)
	if err := command("gcc", append(handFlags, "-o", p.hand, source+".c")...).Run(); err != nil {
		return p, err
	}
	options := []string{"--runtime=host", "-DMAXACTION_INTERRUPTIBLE=4294967295", script}
	built, err := command(b.gostap, append(options, "-p4")...).Output()
	if err != nil {
		return p, err
	}
	p.script = strings.TrimSpace(string(built))
	got, err := command(b.gostap, options...).Output()
	if err != nil {
		return p, err
	}
	want, err := command(p.hand).Output()
	if err != nil {
		return p, err
	}
	if !bytes.Equal(got, want) {
		return p, fmt.Errorf("%s prints\n%sand its C\n%s", script, got, want)
	}
	return p, nil
}

// print measures both programs alternately, so that the machine's state is the same for both, and
// prints the lowest figures, scaled, and their ratio.
func (p codePair) print(runs int, scale float64, measure func(...string) (float64, error)) error {
	script, hand := math.Inf(1), math.Inf(1)
	for range runs {
		for _, of := range []struct {
			program string
			lowest  *float64
		}{{p.script, &script}, {p.hand, &hand}} {
			figure, err := measure(of.program)
			if err != nil {
				return err
			}
			*of.lowest = min(*of.lowest, figure)
		}
	}
	fmt.Printf(" %10.1f %8.1f %6.2f", script*scale, hand*scale, script/hand)
	return nil
}

// seconds is the CPU time of a program.
func seconds(args ...string) (float64, error) {
	cmd, err := runQuietly(args...)
	if err != nil {
		return 0, err
	}
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), nil
}

// runQuietly runs a program with its output and records discarded.
func runQuietly(args ...string) (*exec.Cmd, error) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.ExtraFiles = []*os.File{null}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", cmd, err, stderr.String())
	}
	return cmd, nil
}

var references = regexp.MustCompile(`I\s+refs:\s+([\d,]+)`)

// instructions is the number of instructions of a program, counted by valgrind.
func instructions(args ...string) (float64, error) {
	cmd, err := runQuietly(append([]string{"valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"}, args...)...)
	if err != nil {
		return 0, err
	}
	stderr := cmd.Stderr.(*bytes.Buffer).String()
	count := references.FindStringSubmatch(stderr)
	if count == nil {
		return 0, fmt.Errorf("valgrind counted no instructions:\n%s", stderr)
	}
	return strconv.ParseFloat(strings.ReplaceAll(count[1], ",", ""), 64)
}
