// SPDX-License-Identifier: GPL-2.0-or-later

// Package vm runs a command in a throwaway micro-VM, on any kernel that package kernels finds.
//
//	status, err := vm.Run(ctx, vm.Config{
//		Release: "6.1.0-56-cloud-amd64",
//		Args:    []string{"uname", "-r"},
//		Stdout:  os.Stdout,
//	})
//
// The guest sees the host's files, as far as the caller may read them, and runs its programs. What it writes stays in its memory,
// and goes with it. Run takes no root; the command has it in the guest.
//
//	host                                             guest
//	/ ────── virtiofsd ── vhost-user ── virtiofs ──▶ /host, read-only ─▶ lower layer of an overlay, the root
//	Stdin  ─ socket ─ qemu ─ /dev/vport0p1 ─ cat ─▶ FIFO ─▶ 0 ┐
//	Stdout ◀ socket ─ qemu ─ /dev/vport0p2 ─ cat ◀─ FIFO ◀─ 1 ├ the command
//	Stderr ◀ socket ─ qemu ─ /dev/vport0p3 ─ cat ◀─ FIFO ◀─ 2 ┘
//	         socket ─ qemu ─ /dev/vport0p4 ─ init.sh: "init", "started PID" and "exit STATUS" out, "INT PID" in, "alive" both ways,
//	                                                          "forget" in and "forgotten" out
//	         socket ─ qemu: QMP, which says whether the guest runs
//	Console ◀ pipe ─ qemu ─ /dev/ttyS0 ─ kernel messages from warnings up, or all with loglevel=7
//
// A guest boots under KVM, unless that is known to fail with this kernel until the host reboots. Where it fails now, because the
// kernel doesn't reach its init, the boot is done again, emulated. The streams are not touched before "started", and so are as
// they were. From "init" on a guest that is silent is asked whether it is alive. One that doesn't answer is given up in the end,
// as late as the time that the host let it have and its boot's length suggest: see silence.go.
//
// Behind the last byte of stdout and stderr init.sh writes a marker, random for each run, by which Run knows that it has
// everything; it then kills qemu, as there is nothing to shut down. A qemu that ends before that is a guest's death.
//
// Readers may start here, with Run; then boot.go chooses how to boot, guest.go follows the guest, init.sh is the guest's side of
// it, qemu.go the hardware, and initramfs.go and kernel.go what is booted.
package vm

import (
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"time"

	"github.com/pkg/errors"
)

// Config says what to run, and in what VM.
type Config struct {
	Release  string // the kernel, as in /boot/vmlinuz-RELEASE; see package kernels
	CPUs     int    // default 2
	MemoryMB int    // default 1024

	// ICount makes the guest's clocks count instructions, one per nanosecond, on one emulated CPU: the same code takes
	// the same time in each run, however busy the host is. Idle time passes at once.
	ICount bool

	// KASLR has the kernel choose its address at random, as on a real machine. It boots 0.5 s to 1 s slower.
	KASLR bool

	UEFI *UEFI // default: the kernel is started without firmware

	KernelArgs []string // more for the kernel's command line

	Args []string // the command and its arguments; it is looked up in the guest's PATH
	Dir  string   // its working directory, default the caller's
	Env  []string // added to PATH, HOME and USER

	Stdin          io.Reader // default empty
	Stdout, Stderr io.Writer // default discarded; if they are one, it is called by one at a time
	Console        io.Writer // the kernel's console; default discarded

	// Notice is told, in a line, what the user should know though Run goes on: that KVM fails here.
	Notice func(line string)
	// Progress is told what Run waits for, each time that this changes: "" for nothing but the command.
	Progress func(what string)

	// Writable lists host directories in which the guest's writes go to the host.
	Writable []string

	// Interrupt, as filled by signal.Notify, lets a user end the command: the first signal goes to the command's process group,
	// the second ends the VM, and so does a first one before the command has started.
	Interrupt <-chan os.Signal

	patience patience // default defaultPatience
}

// A UEFI boots the kernel through a machine's firmware, which takes some seconds more.
type UEFI struct {
	Code, Vars string // files of the firmware, and of its variables, which say whether Secure Boot is on; they stay as they are
	Image      string // the kernel's file, as the firmware takes it: signed, under Secure Boot
}

// Run runs a command in a new VM and returns its exit status; for one that died from a signal that is 128 and the signal's number.
// All that the command wrote to its streams has then been written to Stdout and Stderr, and nothing of the VM is left.
//
// The error is a *MissingError if the host lacks a package, a *GuestError if the guest died or ctx ended it (errors.Is tells
// context.DeadlineExceeded and context.Canceled), ErrInterrupted after a second signal, or what Stdout or Stderr returned.
// Like exec.Cmd, Run can leave a goroutine behind that is blocked in Stdin.Read.
func Run(ctx context.Context, cfg Config) (int, error) {
	if err := cfg.complete(); err != nil {
		return -1, err
	}
	// The kernel kills qemu and virtiofsd when the thread that started them ends: it must last as long as they do.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	b, err := newBoot(&cfg)
	if err != nil {
		return -1, err
	}
	defer b.close()
	return b.run(ctx)
}

// Check reports whether the host has what Run takes for a kernel, before anybody works for it. The error is a *MissingError if
// a package can help.
func Check(release string) error {
	_, err := findTools(release)
	return err
}

// complete fills in defaults and refuses what can't work.
func (cfg *Config) complete() error {
	if len(cfg.Args) == 0 {
		return errors.New("micro-VM: no command")
	}
	for _, text := range append(append([]string{cfg.Dir}, cfg.Args...), cfg.Env...) {
		if strings.Contains(text, "\x00") {
			return errors.Errorf("micro-VM: NUL in %q", text)
		}
	}
	if cfg.Release == "" || strings.Contains(cfg.Release, "/") {
		return errors.Errorf("micro-VM: bad kernel release %q", cfg.Release)
	}
	cfg.patience = cmp.Or(cfg.patience, defaultPatience)
	switch {
	case cfg.ICount:
		cfg.CPUs = 1
		cfg.patience.ping = time.Minute // to be asked costs instructions
	case cfg.CPUs == 0:
		cfg.CPUs = 2
	}
	if cfg.MemoryMB == 0 {
		cfg.MemoryMB = 1024
	}
	if cfg.Stdin == nil {
		cfg.Stdin = strings.NewReader("")
	}
	if cfg.Stdout == nil {
		cfg.Stdout = io.Discard
	}
	if cfg.Stderr == nil {
		cfg.Stderr = io.Discard
	}
	if w := cfg.Stdout; reflect.TypeOf(w).Comparable() && w == cfg.Stderr {
		both := &inTurn{Writer: w}
		cfg.Stdout, cfg.Stderr = both, both
	}
	if cfg.Notice == nil {
		cfg.Notice = func(string) {}
	}
	if cfg.Progress == nil {
		cfg.Progress = func(string) {}
	}
	var err error
	if cfg.Dir, err = filepath.Abs(cfg.Dir); err != nil {
		return errors.Wrap(err, "micro-VM")
	}
	writable := make([]string, len(cfg.Writable))
	for i, dir := range cfg.Writable {
		// Symbolic links would be followed from the wrong root.
		if writable[i], err = filepath.EvalSymlinks(dir); err == nil {
			writable[i], err = filepath.Abs(writable[i])
		}
		if err != nil {
			return errors.Wrap(err, "micro-VM")
		}
	}
	cfg.Writable = writable
	return nil
}
