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

// dwarf measures the cost of debuginfo: building the index of a kernel's, and pass 2 with it.
func dwarf(b *bench) error {
	debug := "/usr/lib/debug/boot/vmlinux-" + b.release
	info, err := os.Stat(debug)
	if err != nil {
		fmt.Println("debuginfo: that of " + b.release + " is not installed (tests/setup dwarf)")
		return nil
	}
	fmt.Printf("the index of the debuginfo of %s (%d MB), made once\n", b.release, info.Size()/1e6)
	fmt.Printf("%-44s %10s %10s\n", "", "gostap", "limit")
	cache := filepath.Join(b.dir, "dwarf-cache")
	env := append(os.Environ(), "GOSTAP_CACHE="+cache)
	// Build everything else that is cached first.
	if _, err := b.pass2(`kernel.function("vfs_read")`, "", append(env, "GOSTAP_DEBUGINFO="+b.dir)); err != nil {
		return err
	}
	cmd := command(b.gostap, "lines", "-r", b.release, "vfs_read")
	cmd.Env = env
	cmd.Stdout = nil
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return err
	}
	took := time.Since(start)
	memory := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10
	size := int64(0)
	found, _ := filepath.Glob(filepath.Join(cache, "debuginfo/*/index"))
	for _, file := range found {
		if info, err := os.Stat(file); err == nil {
			size += info.Size()
		}
	}
	fmt.Printf("%-44s %10s %10s\n", "time", ms(took), "6000 ms")
	fmt.Printf("%-44s %10s %10s\n", "memory, mapped files included", fmt.Sprint(memory, " MiB"), "1536 MiB")
	fmt.Printf("%-44s %10s %10s\n", "on disk", fmt.Sprintf("%.1f MB", float64(size)/1e6), "60 MB")
	fmt.Printf("\npass 2 with it, median of %d, process start included\n", repeats)
	fmt.Printf("%-44s %10s %10s %14s\n", "", "gostap", "limit", "SystemTap 5.6")
	for _, c := range []struct{ point, body, limit, peer string }{
		{`kernel.function("vfs_read")`, `println($file->f_path->dentry->d_name->name)`, "60 ms", "926 ms"},
		{`kernel.function("*@fs/*.c")`, ``, "500 ms", "-"},
		{`kernel.statement("*@fs/read_write.c:*")`, ``, "500 ms", "-"},
		{`kernel.statement("vfs_read@fs/read_write.c:*")`, `println($$vars)`, "-", "-"},
	} {
		took, err := median(func(int) error {
			_, err := b.pass2(c.point, c.body, env)
			return err
		})
		if err != nil {
			return err
		}
		fmt.Printf("%-44s %10s %10s %14s\n", strings.TrimPrefix(c.point, "kernel."), ms(took), c.limit, c.peer)
	}
	return nil
}

// pass2 elaborates one probe.
func (b *bench) pass2(point, body string, env []string) (string, error) {
	cmd := command(b.gostap, "-w", "-p2", "-r", b.release, "-e", "probe "+point+" { "+body+" }")
	cmd.Env = env
	var out strings.Builder
	cmd.Stdout = &out
	err := cmd.Run()
	return out.String(), err
}
