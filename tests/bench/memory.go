// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// memoryLimit is the maximal memory of hello's module without its buffers, in KiB.
const memoryLimit = 1024

// memory measures the kernel memory of a session of hello.
func memory(b *bench) error {
	cmd := command(b.gostap, "-p4", "-r", b.release, "-m", "memory", "-e", `probe begin { println("hello") }`)
	cmd.Dir = b.dir
	if err := cmd.Run(); err != nil {
		return err
	}
	found, err := b.inGuest("memory", false)
	if err != nil {
		return err
	}
	fmt.Printf("memory of hello's module on %s, two CPUs, without its buffers\n", b.release)
	fmt.Printf("%-28s %10s %10s\n", "", "KiB", "limit")
	fmt.Printf("%-28s %10s %10d\n", "all", found["all"], memoryLimit)
	for _, what := range memoryParts {
		fmt.Printf("%-28s %10s\n", "  "+what.name, found[what.name])
	}
	return nil
}

// memoryParts are the lines of /proc/meminfo that a module adds to. None of them includes its buffers.
var memoryParts = []struct{ name, line string }{
	{"the module, loaded", "VmallocUsed:"},
	{"for each CPU", "Percpu:"},
	{"slabs", "Slab:"},
}

// guestMemory compares the kernel with and without the module: except for a few hundred bytes, the
// memory of a session of hello is allocated when the module is loaded. No session is started, as
// processes would add more to the slabs than the module does. The figures fluctuate, so the median of
// several is used.
func guestMemory(args []string) {
	found := map[string][]int64{}
	for range 5 {
		before := memInfo()
		must(exec.Command("insmod", filepath.Join(args[0], "memory.ko")).Run())
		time.Sleep(time.Second)
		for line, n := range memInfo() {
			found[line] = append(found[line], n-before[line])
		}
		must(exec.Command("rmmod", "memory").Run())
		time.Sleep(time.Second)
	}
	sum := int64(0)
	for _, what := range memoryParts {
		values := found[what.line]
		slices.Sort(values)
		n := values[len(values)/2]
		fmt.Printf("%s=%d\n", what.name, n)
		sum += n
	}
	fmt.Printf("all=%d\n", sum)
}

// memInfo returns /proc/meminfo, in KiB.
func memInfo() map[string]int64 {
	text, err := os.ReadFile("/proc/meminfo")
	must(err)
	info := map[string]int64{}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 1 {
			info[f[0]], err = strconv.ParseInt(f[1], 10, 64)
			must(err)
		}
	}
	return info
}
