// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"cmp"
	"debug/elf"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// userCases are handlers at a function of a program; FUNCTION stands for it, and PATH for the program.
// bpftrace 0.17 aborts when it prints the stack of a process that has ended.
var userCases = []hitCase{
	{"empty handler", `probe process("PATH").function("FUNCTION") { }`, `uprobe:PATH:FUNCTION { }`, "1620", false},
	{"n++", `global n probe process("PATH").function("FUNCTION") { n++ } probe end { printf("%d\n", n) }`, `uprobe:PATH:FUNCTION { @n++ }`, "1640", false},
	{"a[execname()] <<< $n", `global a probe process("PATH").function("FUNCTION") { a[execname()] <<< $n }
		probe end { foreach (name in a) printf("%s %d %d\n", name, @count(a[name]), @sum(a[name])) }`,
		`uprobe:PATH:FUNCTION { @a[comm] = stats(arg1) }`, "1800", false},
	{"a[user_string($it->name)]++", `global a probe process("PATH").function("FUNCTION") { a[user_string($it->name)]++ }
		probe end { foreach (name in a) printf("%s %d\n", name, a[name]) }`,
		`uprobe:PATH:FUNCTION { @a[str(*(arg0 + 8))] = count() }`, "2000", false},
	{"printf, consumer included", `probe process("PATH").function("FUNCTION") { printf("%s %d\n", execname(), $n) }`,
		`uprobe:PATH:FUNCTION { printf("%s %d\n", comm, arg1) }`, "2400", true},
	{"$return added up", `global s probe process("PATH").function("FUNCTION").return { s <<< $return } probe end { printf("%d\n", @sum(s)) }`,
		`uretprobe:PATH:FUNCTION { @s = sum(retval) }`, "1800", false},
	{threeFrames, `probe process("PATH").function("FUNCTION") { print_ubacktrace() }`,
		"", "3500", true},
	{"seven frames of it", `probe process("PATH").function("FUNCTION") { print_ubacktrace() }`,
		"", "-", true},
}

// threeFrames is the case for which the load calls its function with three frames on the stack instead
// of seven.
const threeFrames = "print_ubacktrace(), the same"

// userCalls is the number of calls per measurement.
const userCalls = 20000

// userEntries are the kernel's ways to execute a probed function's first instruction.
var userEntries = []string{"stepped", "emulated"}

func (c hitCase) script(text, path, function string) string {
	return strings.NewReplacer("PATH", path, "FUNCTION", function).Replace(text)
}

// userHits measures instructions per hit of user probes, in a VM whose clock counts them.
func userHits(b *bench) error {
	if err := b.floor(); err != nil {
		return err
	}
	for i, c := range userCases {
		for _, how := range userEntries {
			cmd := command(b.gostap, "-p4", "-r", b.release, "-m", fmt.Sprintf("user%d%s", i, how), "-e", c.script(c.gostap, filepath.Join(b.dir, "calls"), how))
			cmd.Dir = b.dir
			if err := cmd.Run(); err != nil {
				return err
			}
		}
	}
	cost, err := b.inGuest("userhits", true)
	if err != nil {
		return err
	}
	for _, how := range userEntries {
		fmt.Printf("extra instructions per hit of a program's function, whose first instruction is %s, on %s\n", how, b.release)
		fmt.Printf("%-28s %10s %10s %10s\n", "", "gostap", "bpftrace", "limit")
		for _, c := range userCases {
			fmt.Printf("%-28s %10s %10s %10s\n", c.name, cost["gostap "+how+" "+c.name], cmp.Or(cost["bpftrace "+how+" "+c.name], "-"), c.limit)
		}
		for _, what := range []string{"entry", "return"} {
			fmt.Printf("%-28s %10s\n", "by hand, "+what, cost["floor "+how+" "+what])
		}
	}
	return nil
}

// guestUserHits measures every case inside the VM.
func guestUserHits(args []string) {
	dir := args[0]
	for _, how := range userEntries {
		calls := filepath.Join(dir, "calls")
		m := newMeter(calls+" "+how+" %d", userCalls)
		flat := newMeter(calls+" "+how+" %d flat", userCalls)
		of := func(c hitCase) *meter {
			if c.name == threeFrames {
				return flat
			}
			return m
		}
		offset := functionOffset(calls, how)
		for _, what := range []string{"entry", "return"} {
			returns := strconv.FormatBool(what == "return")
			must(exec.Command("insmod", filepath.Join(dir, "floor/userfloor.ko"), "path="+calls, fmt.Sprintf("offset=%d", offset), "returns="+returns).Run())
			fmt.Printf("floor %s %s=%s\n", how, what, m.perHit(false, func(cmd string) []string { return []string{"sh", "-c", cmd} }))
			must(exec.Command("rmmod", "userfloor").Run())
		}
		for i, c := range userCases {
			fmt.Printf("gostap %s %s=%s\n", how, c.name, of(c).perHit(c.prints, func(cmd string) []string {
				return []string{filepath.Join(dir, "gostap"), "run", "-o", "/tmp/out", "-c", cmd, filepath.Join(dir, fmt.Sprintf("user%d%s.ko", i, how))}
			}))
		}
		if _, err := exec.LookPath("bpftrace"); err != nil {
			continue
		}
		for _, c := range userCases {
			if c.bpftrace == "" {
				continue
			}
			fmt.Printf("bpftrace %s %s=%s\n", how, c.name, of(c).perHit(c.prints, func(cmd string) []string {
				return []string{"bpftrace", "-o", "/tmp/out", "-c", cmd, "-e", c.script(c.bpftrace, calls, how)}
			}))
		}
	}
}

// functionOffset returns the offset of a function in a program's file.
func functionOffset(path, name string) uint64 {
	f, err := elf.Open(path)
	must(err)
	defer f.Close()
	list, err := f.Symbols()
	must(err)
	for _, s := range list {
		if s.Name != name {
			continue
		}
		for _, p := range f.Progs {
			if p.Type == elf.PT_LOAD && s.Value-p.Vaddr < p.Filesz {
				return s.Value - p.Vaddr + p.Off
			}
		}
	}
	must(fmt.Errorf("%s has no function %s", path, name))
	return 0
}
