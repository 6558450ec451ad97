// SPDX-License-Identifier: GPL-2.0-or-later

// Command intruder tries what only a session's owner may do, and prints how it was refused. Its exit
// code is 0 if anything was allowed.
//
// \tintruder buffers FILE      map a cpuN file, and return its sub-buffers
// \tintruder control FAMILY    query, attach to and detach a session
// \tintruder starts FILE       start and stop it by its control file
package main

import (
	"fmt"
	"os"
	"unsafe"

	"github.com/mdlayher/genetlink"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// From runtime-c/include/protocol.h.
const (
	iocConsumed = 0x4701
	iocGeometry = 0x80184702
	iocFirst    = 0x4703
	iocStart    = 0x40304710
	iocStop     = 0x4711
	cmdStats    = 3
	cmdAttach   = 5
	cmdDetach   = 6
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "intruder buffers FILE | control FAMILY | starts FILE")
		os.Exit(2)
	}
	let := false
	switch os.Args[1] {
	case "buffers":
		let = buffers(os.Args[2])
	case "control":
		let = control(os.Args[2])
	case "starts":
		let = starts(os.Args[2])
	}
	if !let {
		os.Exit(1)
	}
}

func failed(what string, err error) bool {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
	}
	return err != nil
}

func buffers(path string) (let bool) {
	f, err := os.Open(path)
	if failed("open", err) {
		return false
	}
	defer f.Close()
	if mem, err := unix.Mmap(int(f.Fd()), 0, 1<<20, unix.PROT_READ, unix.MAP_SHARED); err == nil {
		sum := byte(0)
		for _, b := range mem {
			sum += b
		}
		fmt.Fprintf(os.Stderr, "mapped, the sum is %d\n", sum)
	}
	if _, err := unix.Mmap(int(f.Fd()), 0, 1<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); !failed("mmap to write", err) {
		let = true
	}
	var geometry [6]uint32
	// The first process that queries the geometry becomes the reader, and may do the rest.
	for _, try := range []struct{ request, arg uintptr }{
		{iocGeometry, uintptr(unsafe.Pointer(&geometry))}, {iocConsumed, 1}, {iocFirst, 1 << 20},
	} {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), try.request, try.arg)
		if errno == 0 || !failed(fmt.Sprintf("ioctl %#x", try.request), errno) {
			let = true
		}
	}
	return let
}

func control(family string) (let bool) {
	conn, err := genetlink.Dial(nil)
	if failed("generic netlink", err) {
		return false
	}
	defer conn.Close()
	f, err := conn.GetFamily(family)
	if failed(family, err) {
		return false
	}
	for _, command := range []uint8{cmdStats, cmdAttach, cmdDetach} {
		m := genetlink.Message{Header: genetlink.Header{Command: command, Version: 1}}
		if _, err := conn.Execute(m, f.ID, netlink.Request); !failed(fmt.Sprintf("command %d", command), err) {
			let = true
		}
	}
	return let
}

func starts(path string) (let bool) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if failed("open", err) {
		return false
	}
	defer f.Close()
	var args [48]byte
	for request, arg := range map[uintptr]uintptr{iocStart: uintptr(unsafe.Pointer(&args)), iocStop: 0} {
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), request, arg); errno == 0 || !failed(fmt.Sprintf("ioctl %#x", request), errno) {
			let = true
		}
	}
	return let
}
