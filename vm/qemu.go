// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"fmt"
	"net"
	"os"
	"strings"
)

// ports are the guest's virtio-serial ports /dev/vport0p1 and so on, in this order, which init.sh
// relies on. The last one is qemu's monitor.
var ports = []string{"stdin", "stdout", "stderr", "control", "monitor"}

// kernelArgs are for a fast boot, and for a reboot at a panic. Without tsc=reliable, 6.1 considers the
// clocks of an emulated AMD CPU unsynchronised, and uses slow ones. An NMI makes a guest that hangs
// panic, to show where it hangs.
const kernelArgs = "console=ttyS0 quiet rdinit=/init panic=-1 oops=panic reboot=triple unknown_nmi_panic tsc=reliable no_timer_check cryptomgr.notests"

// machine is a running VM: qemu with the host's ends of its ports, and virtiofsd.
type machine struct {
	qemu, fsd *process
	monitor   *monitor
	log       *console
	conns     map[string]*net.UnixConn
}

// startMachine boots a guest.
func startMachine(b *boot, accel accelerator) (*machine, error) {
	fsd, fs, err := startVirtiofsd(b.tools)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	m := &machine{fsd: fsd, log: &console{next: b.cfg.Console}, conns: map[string]*net.UnixConn{}}
	if err := m.startQemu(b, accel, fs); err != nil {
		m.hangUp()
		fsd.kill()
		return nil, err
	}
	return m, nil
}

// startQemu starts qemu; virtiofsd is at the other end of the socket fs.
func (m *machine) startQemu(b *boot, accel accelerator, fs *os.File) error {
	var files []*os.File
	share := func(f *os.File) int {
		files = append(files, f)
		return 2 + len(files)
	}
	cfg := b.cfg
	args := append([]string{
		"-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
		"-M", "pc,memory-backend=mem", "-m", fmt.Sprint(cfg.MemoryMB), "-smp", fmt.Sprint(cfg.CPUs),
		"-object", fmt.Sprintf("memory-backend-memfd,id=mem,size=%dM,share=on", cfg.MemoryMB),
		"-kernel", fmt.Sprintf("/proc/self/fd/%d", share(b.kernel)),
		"-initrd", fmt.Sprintf("/proc/self/fd/%d", share(b.initramfs)),
		"-append", strings.Join(append([]string{kernelArgs}, cfg.KernelArgs...), " "),
		"-chardev", "stdio,id=console,signal=off", "-device", "isa-serial,chardev=console",
		"-device", "virtio-serial-pci", // the first virtio device, hence the 0 in vport0p1
		"-chardev", fmt.Sprintf("socket,id=host,fd=%d", share(fs)), "-device", "vhost-user-fs-pci,chardev=host,tag=host",
		"-mon", "chardev=monitor,mode=control",
	}, append(accel.args, cfg.UEFI.args()...)...)
	for i, name := range ports {
		conn, theirs, err := socketPair()
		if err != nil {
			return err
		}
		defer theirs.Close()
		m.conns[name] = conn
		args = append(args, "-chardev", fmt.Sprintf("socket,id=%s,fd=%d", name, share(theirs)))
		if name != "monitor" {
			args = append(args, "-device", fmt.Sprintf("virtserialport,nr=%d,chardev=%s,name=%s", i+1, name, name))
		}
	}
	m.qemu = newProcess(m.log, files, b.tools.qemu, args...)
	if err := m.qemu.start(); err != nil {
		return err
	}
	m.monitor = newMonitor(m.conns["monitor"])
	return nil
}

// end ends the processes that still run. The streams can then be read to their ends.
func (m *machine) end() {
	if !m.qemu.kill() {
		m.hangUp()
	}
	<-m.monitor.done
	m.fsd.kill()
}

// args are qemu's arguments for the firmware; changes to its variables are not kept.
func (u *UEFI) args() []string {
	if u == nil {
		return nil
	}
	return []string{
		"-drive", "if=pflash,unit=0,format=raw,readonly=on,file=" + u.Code,
		"-drive", "if=pflash,unit=1,format=raw,snapshot=on,file=" + u.Vars,
	}
}

// hangUp closes the host's ends of the ports.
func (m *machine) hangUp() {
	for _, conn := range m.conns {
		conn.Close()
	}
}
