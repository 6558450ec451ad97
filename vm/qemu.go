// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"fmt"
	"net"
	"os"
	"strings"
)

// ports are the guest's virtio-serial ports /dev/vport0p1 and so on, in this order; init.sh knows them by number.
var ports = []string{"stdin", "stdout", "stderr", "control"}

// kernelArgs are for a fast boot and a prompt end. Without tsc=reliable, 6.1 calls the clocks of an emulated AMD CPU
// unsynchronised, and falls back to slow ones.
const kernelArgs = "console=ttyS0 quiet rdinit=/init panic=-1 oops=panic reboot=triple tsc=reliable no_timer_check cryptomgr.notests"

// machine is a running qemu with the host's ends of its ports.
type machine struct {
	*process
	conns map[string]*net.UnixConn
}

// startQemu boots a guest from a kernel and an initramfs, with its root served at the other end of the socket fs.
func startQemu(cfg *Config, qemu string, kernel, initramfs, fs *os.File, log *console) (*machine, error) {
	m := &machine{conns: map[string]*net.UnixConn{}}
	var files []*os.File
	share := func(f *os.File) int {
		files = append(files, f)
		return 2 + len(files)
	}
	cpus := cfg.CPUs
	accel := deterministic
	if cfg.ICount {
		cpus = 1
	} else {
		accel = acceleration(qemu)
	}
	args := append([]string{
		"-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
		"-M", "pc,memory-backend=mem", "-m", fmt.Sprint(cfg.MemoryMB), "-smp", fmt.Sprint(cpus),
		"-object", fmt.Sprintf("memory-backend-memfd,id=mem,size=%dM,share=on", cfg.MemoryMB),
		"-kernel", fmt.Sprintf("/proc/self/fd/%d", share(kernel)),
		"-initrd", fmt.Sprintf("/proc/self/fd/%d", share(initramfs)),
		"-append", strings.Join(append([]string{kernelArgs}, cfg.KernelArgs...), " "),
		"-chardev", "stdio,id=console,signal=off", "-device", "isa-serial,chardev=console",
		"-device", "virtio-serial-pci", // the first virtio device, hence the 0 in vport0p1
		"-chardev", fmt.Sprintf("socket,id=host,fd=%d", share(fs)), "-device", "vhost-user-fs-pci,chardev=host,tag=host",
	}, accel...)
	for i, name := range ports {
		conn, theirs, err := socketPair()
		if err != nil {
			m.hangUp()
			return nil, err
		}
		defer theirs.Close()
		m.conns[name] = conn
		args = append(args, "-chardev", fmt.Sprintf("socket,id=%s,fd=%d", name, share(theirs)),
			"-device", fmt.Sprintf("virtserialport,nr=%d,chardev=%s,name=%s", i+1, name, name))
	}
	var err error
	if m.process, err = start(log, files, qemu, args...); err != nil {
		m.hangUp()
		return nil, err
	}
	return m, nil
}

// hangUp closes the host's ends of the ports.
func (m *machine) hangUp() {
	for _, conn := range m.conns {
		conn.Close()
	}
}
