// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"fmt"
	"os"

	"gostap/vm"
)

const throughputReads = 600000

// throughput prints a line for each of 600,000 reads, with default settings,
// and counts what comes out.
func throughput(b *bench) error {
	script := fmt.Sprintf(`
		cd %s
		gostap=./gostap
		echo "gostap: $($gostap run -c './reads %d' printer.ko 2>lost | grep -c '^reads 1$') lines; $(grep -i lost lost || echo none lost)"
		if command -v bpftrace >/dev/null; then
			echo "bpftrace: $(bpftrace -c './reads %d' -e 'kprobe:vfs_read { printf("%%s %%d\n", comm, arg2) }' 2>lost | grep -c '^reads 1$') lines; $(grep -i lost lost || echo no loss reported)"
		fi`, b.dir, throughputReads, throughputReads)
	cmd := command(b.gostap, "-p4", "-r", b.release, "-m", "printer", "-e",
		`probe kernel.function("vfs_read") { printf("%s %d\n", execname(), $count) }`)
	cmd.Dir = b.dir
	if err := cmd.Run(); err != nil {
		return err
	}
	fmt.Printf("%d prints, a line for each one-byte read, on %s, two CPUs, default settings\n", throughputReads, b.release)
	code, err := vm.Run(context.Background(), vm.Config{
		Release: b.release, MemoryMB: 2048, Dir: b.dir,
		Args: []string{"sh", "-c", script}, Stdout: os.Stdout, Stderr: os.Stderr,
	})
	if err != nil {
		return err
	}
	if code != 0 {
		return fmt.Errorf("the guest ended with %d", code)
	}
	return nil
}
