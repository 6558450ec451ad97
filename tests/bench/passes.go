// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// passes measures passes 1 to 4 as users see them: the whole command, up to the built module.
func passes(b *bench) error {
	fmt.Printf("passes 1 to 4 for %s, median of %d, process start included\n", b.release, repeats)
	fmt.Printf("%-28s %10s %14s %10s\n", "", "gostap", "SystemTap 5.6", "limit")
	for _, c := range []struct {
		name, file, text                     string
		newPeer, newLimit, oldPeer, oldLimit string
	}{
		{"hello", "examples/hello.stp", "", "1930 ms", "90 ms", "360 ms", "50 ms"},
		{"vfs-reads", "examples/vfs-reads.stp", "", "2540 ms", "130 ms", "360 ms", "50 ms"},
		{"all system calls", "", "probe syscall.*, syscall.*.return {}", "48000 ms", "1500 ms", "-", "-"},
		{"counted by name", "", "global n probe syscall.* { n[name]++ } probe syscall.*.return { n[name]++ }", "-", "1500 ms", "-", "-"},
		{"printed as strace does", "", `probe syscall.*.return { if (pid() == target()) printf("%s(%s) = %s\n", name, argstr, retstr) }`, "-", "-", "-", "-"},
	} {
		text := []byte(c.text)
		if c.file != "" {
			var err error
			if text, err = os.ReadFile(c.file); err != nil {
				return err
			}
		}
		if err := b.pass4(text, nil); err != nil { // fills the runtime cache
			return err
		}
		fresh, err := median(func(i int) error {
			return b.pass4(fmt.Appendf(text, "\nprobe begin { if (target() == -%d) exit() }\n", time.Now().UnixNano()), nil)
		})
		if err != nil {
			return err
		}
		same, err := median(func(int) error { return b.pass4(text, nil) })
		if err != nil {
			return err
		}
		fmt.Printf("%-28s %10s %14s %10s\n", c.name+", new", ms(fresh), c.newPeer, c.newLimit)
		fmt.Printf("%-28s %10s %14s %10s\n", c.name+", unchanged", ms(same), c.oldPeer, c.oldLimit)
	}
	hello, err := os.ReadFile("examples/hello.stp")
	if err != nil {
		return err
	}
	start := time.Now()
	if err := b.pass4(hello, []string{"GOSTAP_CACHE=" + filepath.Join(b.dir, "empty-cache")}); err != nil {
		return err
	}
	fmt.Printf("%-28s %10s %14s %10s\n", "first script on a kernel", ms(time.Since(start)), "12000 ms", "4000 ms")
	return nil
}

const repeats = 11

// pass4 builds a script's module.
func (b *bench) pass4(script []byte, env []string) error {
	file := filepath.Join(b.dir, "script.stp")
	if err := os.WriteFile(file, script, 0o666); err != nil {
		return err
	}
	cmd := command(b.gostap, "-p4", "-r", b.release, file)
	cmd.Env = append(os.Environ(), env...)
	return cmd.Run()
}

func median(f func(i int) error) (time.Duration, error) {
	var took []time.Duration
	for i := range repeats {
		start := time.Now()
		if err := f(i); err != nil {
			return 0, err
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}

func ms(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }
