// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"path/filepath"
	"strconv"
)

// throughput searches the highest rate of lines, printed on both of a VM's CPUs, at which none is lost,
// and counts the loss at the maximal rate.
func throughput(b *bench) error {
	cmd := command(b.gostap, "-p4", "-r", b.release, "-m", "printer", "-e",
		`probe kernel.function("vfs_read") { printf("%s %d\n", execname(), $count) }`)
	cmd.Dir = b.dir
	if err := cmd.Run(); err != nil {
		return err
	}
	if err := command("gcc", "-O2", "-static", "-o", filepath.Join(b.dir, "paced"), "tests/load/paced.c").Run(); err != nil {
		return err
	}
	found, err := b.inGuest("throughput", false)
	if err != nil {
		return err
	}
	fmt.Printf("two CPUs print a line for each read, on %s, seconds by the VM's clock;\n", b.release)
	fmt.Printf("the most at which none is lost, how often that filled the buffers, and what comes of reading flat out\n")
	fmt.Printf("%-20s %10s %8s %14s %10s %10s %14s\n", "", "lines/s", "filled", "flat out: /s", "read", "printed", "said to be lost")
	for _, p := range printers {
		of := func(what string) string { return found[p.name+" "+what] }
		fmt.Printf("%-20s %10s %8s %14s %10s %10s %14s\n", p.name, of("rate"), of("fills"),
			of("flat rate"), of("flat read"), of("flat printed"), of("flat lost"))
	}
	ours, _ := strconv.ParseFloat(found["gostap rate"], 64)
	if theirs, _ := strconv.ParseFloat(found["bpftrace rate"], 64); theirs > 0 {
		fmt.Printf("%-20s %10.1f\n", "gostap / bpftrace", ours/theirs)
	}
	return nil
}
