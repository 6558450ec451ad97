// SPDX-License-Identifier: GPL-2.0-or-later

// Package vm runs a command in a throwaway micro-VM, on any kernel that package kernels finds.
//
// \tstatus, err := vm.Run(ctx, vm.Config{
// \t\tRelease: "6.1.0-56-cloud-amd64",
// \t\tArgs:    []string{"uname", "-r"},
// \t\tStdout:  os.Stdout,
// \t})
//
// The guest sees the host's files that the caller may read, and runs the host's programs. Its writes
// stay in its memory, and are lost when it ends. Run does not need root; in the guest the command runs
// as root.
//
// \thost                                             guest
// \t/ ────── virtiofsd ── vhost-user ── virtiofs ──▶ /host, read-only ─▶ lower layer of an overlay, the
// root
// \tStdin  ─ socket ─ qemu ─ /dev/vport0p1 ─ cat ─▶ FIFO ─▶ 0 ┐
// \tStdout ◀ socket ─ qemu ─ /dev/vport0p2 ─ cat ◀─ FIFO ◀─ 1 ├ the command
// \tStderr ◀ socket ─ qemu ─ /dev/vport0p3 ─ cat ◀─ FIFO ◀─ 2 ┘
// \t         socket ─ qemu ─ /dev/vport0p4 ─ init.sh: "init", "started PID" and "exit STATUS" out, "INT
// PID" in, "alive" both ways,
// \t                                                          "forget" in and "forgotten" out
// \t         socket ─ qemu: QMP, which reports whether the guest runs
// \tConsole ◀ pipe ─ qemu ─ /dev/ttyS0 ─ kernel messages from warnings up, or all with loglevel=7
//
// A guest boots under KVM, unless that is known to have failed with this kernel since the host's boot.
// If it fails now, because the kernel does not reach its init, the boot is repeated with emulation. The
// streams are not used before "started", so they are not affected. From "init" on, a silent guest is
// asked whether it is alive. A guest that does not respond is given up after a time that depends on the
// CPU time that the host gave it and on the duration of its boot: see silence.go.
//
// Behind the last byte of stdout and stderr init.sh writes a marker, random for each run, which tells
// Run that the output is complete; Run then kills qemu, as there is nothing to shut down. If qemu ends
// before that, the guest has died.
//
// To read the package, start with Run; boot.go chooses the accelerator, guest.go follows the guest,
// init.sh is the guest's side, qemu.go has the hardware, and initramfs.go and kernel.go what is booted.
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

// Config has the command to run, and the parameters of the VM.
type Config struct {
	Release  string // the kernel, as in /boot/vmlinuz-RELEASE; see package kernels
	CPUs     int    // default 2
	MemoryMB int    // default 1024

	// ICount makes the guest's clocks count instructions, one per nanosecond, on one emulated CPU: the
	// same code takes the same time in each run, regardless of the host's load. Idle time is skipped.
	ICount bool

	// KASLR makes the kernel choose a random address, as on a real machine. The boot takes 0.5 s to 1 s
	// longer.
	KASLR bool

	UEFI *UEFI // default: the kernel is started without firmware

	KernelArgs []string // appended to the kernel's command line

	Args []string // the command and its arguments; it is looked up in the guest's PATH
	Dir  string   // its working directory, default the caller's
	Env  []string // added to PATH, HOME and USER

	Stdin          io.Reader // default empty
	Stdout, Stderr io.Writer // default discarded; if they are equal, calls of Write are serialized
	Console        io.Writer // the kernel's console; default discarded

	// Notice is called with a line about a problem with which Run continues: that KVM fails on the
	// host.
	Notice func(line string)
	// Progress is called with what Run waits for, when that changes; with "" if it only waits for the
	// command.
	Progress func(what string)

	// Writable lists host directories in which the guest's writes go to the host.
	Writable []string

	// Interrupt, as filled by signal.Notify, lets a user end the command: the first signal is sent to
	// the command's process group, the second ends the VM, as does the first one if the command has not
	// started yet.
	Interrupt <-chan os.Signal

	patience patience // default defaultPatience
}

// A UEFI boots the kernel through a machine's firmware, which takes some seconds longer.
type UEFI struct {
	Code, Vars string // files of the firmware, and of its variables, which determine whether Secure Boot is on; they are not modified
	Image      string // the kernel's file for the firmware: signed, under Secure Boot
}

// Run runs a command in a new VM and returns its exit status; for a command that was killed by a signal
// that is 128 plus the signal's number. On return all of the command's output has been written to
// Stdout and Stderr, and the VM has ended.
//
// The error is a *MissingError if the host lacks a package, a *GuestError if the guest died or ctx
// ended it (errors.Is recognizes context.DeadlineExceeded and context.Canceled), ErrInterrupted after a
// second signal, or an error of Stdout or Stderr. Like exec.Cmd, Run can leave a goroutine behind that
// is blocked in Stdin.Read.
func Run(ctx context.Context, cfg Config) (int, error) {
	if err := cfg.complete(); err != nil {
		return -1, err
	}
	// The kernel kills qemu and virtiofsd when the thread that started them ends, so it must live as
	// long as they do.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	b, err := newBoot(&cfg)
	if err != nil {
		return -1, err
	}
	defer b.close()
	return b.run(ctx)
}

// Check reports whether the host has what Run needs for a kernel. The error is a *MissingError if
// installing a package solves it.
func Check(release string) error {
	_, err := findTools(release)
	return err
}

// complete sets defaults and rejects invalid settings.
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
		cfg.patience.ping = time.Minute // answering a ping takes instructions, which the clock counts
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
		// In the guest, symbolic links would be resolved from another root.
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
