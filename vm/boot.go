// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/pkg/errors"

	"gostap/internal/kernels"
)

// boot has the parameters of a boot, under KVM or emulated.
type boot struct {
	cfg               *Config
	tools             tools
	marker            string
	kernel, initramfs *os.File
}

func newBoot(cfg *Config) (*boot, error) {
	b := &boot{cfg: cfg, marker: "\x01" + rand.Text()}
	var err error
	if b.tools, err = findTools(cfg.Release); err != nil {
		return nil, err
	}
	if b.kernel, err = openKernel(cfg); err != nil {
		return nil, errors.Wrap(err, "micro-VM kernel")
	}
	b.initramfs, err = openInitramfs(cfg.Release, b.tools.busybox,
		sessionScript(b.marker, kernels.Find(cfg.Release), os.Geteuid() != 0, cfg.Writable), commandScript(cfg.Dir, cfg.Env, cfg.Args))
	if err != nil {
		b.kernel.Close()
		return nil, errors.Wrap(err, "micro-VM initramfs")
	}
	return b, nil
}

func (b *boot) close() {
	b.kernel.Close()
	b.initramfs.Close()
}

// run boots a guest with the fastest accelerator that works on the host, and runs the command in it.
func (b *boot) run(ctx context.Context) (int, error) {
	if b.cfg.ICount {
		g, err := b.start(ctx, deterministic, b.cfg.patience.boot)
		if err != nil {
			return -1, err
		}
		return g.run(ctx, b.marker)
	}
	known := readVerdict(b.cfg.Release, b.tools.qemu)
	g, err := b.underKVM(ctx, &known)
	if err != nil {
		return -1, err
	}
	if g == nil {
		if g, err = b.start(ctx, emulated(), b.cfg.patience.boot); err != nil {
			return -1, err
		}
		known.keep("fails")
	}
	status, err := g.run(ctx, b.marker)
	if g.monitor.reason() == internalError {
		known.keep("fails")
	}
	return status, err
}

// underKVM boots the guest under KVM, unless that is known to fail. It returns nil if the guest is to
// be emulated.
func (b *boot) underKVM(ctx context.Context, known *verdict) (*guest, error) {
	var limit time.Duration
	switch known.words {
	case "fails":
		return nil, nil
	case "works":
		limit = b.cfg.patience.boot
	default:
		limit = b.cfg.patience.kvm
	}
	g, err := b.start(ctx, kvm, limit)
	if err == nil {
		known.keep("works")
		return g, nil
	}
	var dead *GuestError
	if !errors.As(err, &dead) || !dead.early {
		return nil, err // not caused by KVM
	}
	why, _, _ := strings.Cut(dead.Reason, "\n")
	b.cfg.Notice(fmt.Sprintf("KVM does not run kernel %s on this machine (%s): the VM is emulated, from now on until the next reboot",
		b.cfg.Release, why))
	return nil, nil
}

// start boots a guest until its command is about to run.
func (b *boot) start(ctx context.Context, accel accelerator, limit time.Duration) (*guest, error) {
	b.cfg.Progress(fmt.Sprintf("booting a VM with kernel %s, %s", b.cfg.Release, accel.name))
	m, err := startMachine(b, accel)
	if err != nil {
		return nil, err
	}
	g := newGuest(m, b.cfg, limit)
	if err := g.start(ctx); err != nil {
		return nil, g.end(err)
	}
	return g, nil
}
