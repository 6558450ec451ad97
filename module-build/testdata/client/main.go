// SPDX-License-Identifier: GPL-2.0-or-later

// Command client runs a module in a test VM, in the plainest way: it loads it, starts it, runs a command, stops it, prints what
// came, and unloads it.
//
//	client [-kill] [-quiet] MODULE.ko SYMBOL,SYMBOL… COMMAND ARG…
//
// With -kill it kills itself with SIGKILL once the command has ended.
package main

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/mdlayher/genetlink"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"

	"gostap/internal/kallsyms"
)

type record struct {
	time uint64
	text string
}

func main() {
	log.SetFlags(0)
	kill := flag.Bool("kill", false, "end by SIGKILL")
	quiet := flag.Bool("quiet", false, "count records, don't print them")
	flag.Parse()
	module := flag.Arg(0)
	name := strings.TrimSuffix(filepath.Base(module), ".ko")
	f, err := os.Open(module)
	check(err)
	check(unix.FinitModule(int(f.Fd()), "family=gs0123456789ab", 0))

	files, _ := filepath.Glob("/proc/gostap-" + name + "/cpu*")
	var readers []*reader
	for _, file := range files {
		readers = append(readers, open(file))
	}
	conn, err := genetlink.Dial(nil)
	check(err)
	family, err := conn.GetFamily("gs0123456789ab")
	check(err)
	command(conn, family, attach)
	control, err := os.OpenFile("/proc/gostap-"+name+"/control", os.O_RDWR, 0)
	check(err)
	if *kill {
		start(control, addresses(flag.Arg(1)))
		cmd := exec.Command(flag.Arg(2), flag.Args()[3:]...)
		cmd.Stdout = os.Stdout
		check(cmd.Run())
		unix.Kill(os.Getpid(), unix.SIGKILL)
	}
	addrs := addresses(flag.Arg(1))
	begin := time.Now()
	start(control, addrs)
	fmt.Println("started in", time.Since(begin))
	var done atomic.Bool
	var wg sync.WaitGroup
	for _, r := range readers {
		wg.Go(func() { r.read(&done, *quiet) })
	}
	begin = time.Now()
	if out, err := exec.Command(flag.Arg(2), flag.Args()[3:]...).CombinedOutput(); err != nil {
		log.Fatalf("%v: %s", err, out)
	}
	fmt.Println("ran", time.Since(begin))
	begin = time.Now()
	ioctl(control, 0x4711, nil)
	fmt.Println("stopped in", time.Since(begin))
	command(conn, family, stats)
	done.Store(true)
	wg.Wait()
	var all []record
	n := 0
	for _, r := range readers {
		all = append(all, r.records...)
		n += r.n
	}
	slices.SortStableFunc(all, func(a, b record) int { return int(int64(a.time - b.time)) })
	for _, r := range all {
		fmt.Print(r.text)
	}
	fmt.Println("records", n)
	conn.Close()
	control.Close()
	for _, r := range readers {
		r.file.Close()
		unix.Munmap(r.data)
	}
	check(unix.DeleteModule(name, unix.O_NONBLOCK))
	fmt.Println("unloaded")
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func addresses(symbols string) []uint64 {
	f, err := os.Open(kallsyms.Path)
	check(err)
	defer f.Close()
	found := make(map[string]uint64)
	check(kallsyms.Scan(f, func(s kallsyms.Symbol) bool {
		if name, module := s.Name(); module == nil {
			found[string(name)] = s.Addr()
		}
		return true
	}))
	var addrs []uint64
	for _, s := range strings.Split(symbols, ",") {
		addrs = append(addrs, found[s])
	}
	return addrs
}

func start(control *os.File, addrs []uint64) {
	args := struct { // struct gs_start
		addrs, globals      uint64
		naddrs, globalsSize uint32
		target              int64
		flags, nfiles       uint32
		files               uint64
	}{addrs: uint64(uintptr(unsafe.Pointer(&addrs[0]))), naddrs: uint32(len(addrs)), files: uint64(uintptr(unsafe.Pointer(&noFile))), nfiles: 1}
	ioctl(control, 0x40304710, unsafe.Pointer(&args))
	runtime.KeepAlive(addrs)
}

// noFile is that of the only image, the kernel.
var noFile int32 = -1

func ioctl(f *os.File, request uintptr, arg unsafe.Pointer) {
	if _, _, e := unix.Syscall(unix.SYS_IOCTL, f.Fd(), request, uintptr(arg)); e != 0 {
		log.Fatalf("ioctl %#x: %v", request, e)
	}
}

// Commands of the session's generic netlink family.
const stats, attach = 3, 5

// command sends one and prints the messages that come until its answer.
func command(conn *genetlink.Conn, family genetlink.Family, cmd uint8) {
	_, err := conn.Send(genetlink.Message{Header: genetlink.Header{Command: cmd, Version: 1}}, family.ID, netlink.Request)
	check(err)
	for {
		msgs, _, err := conn.Receive()
		check(err)
		for _, m := range msgs {
			ad, err := netlink.NewAttributeDecoder(m.Data)
			check(err)
			var line bytes.Buffer
			for ad.Next() {
				switch ad.Type() {
				case 5, 11, 12, 16:
					fmt.Fprintf(&line, " %d=%d", ad.Type(), ad.Uint32())
				case 6, 7, 8:
					fmt.Fprintf(&line, " %q", ad.String())
				case 13:
					fmt.Fprintf(&line, " errors=%d", ad.Uint64())
				case 14, 15, 17:
					fmt.Fprintf(&line, " %s=%d", map[uint16]string{14: "skipped", 15: "lost", 17: "written"}[ad.Type()],
						unsafe.Slice((*uint64)(unsafe.Pointer(&ad.Bytes()[0])), len(ad.Bytes())/8))
				}
			}
			fmt.Printf("message %d:%s\n", m.Header.Command, line.String())
			if m.Header.Command == 3 {
				return
			}
		}
	}
}

type reader struct {
	file    *os.File
	data    []byte
	size    int
	records []record
	n       int
}

func open(path string) *reader {
	f, err := os.Open(path)
	check(err)
	var geometry [6]uint32 // struct gs_geometry
	ioctl(f, 0x80184702, unsafe.Pointer(&geometry))
	data, err := unix.Mmap(int(f.Fd()), 0, int(geometry[0]*geometry[1]), unix.PROT_READ, unix.MAP_SHARED)
	check(err)
	if _, err := unix.Mmap(int(f.Fd()), 0, int(geometry[0]*geometry[1]), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err == nil {
		log.Fatal("the buffers can be written")
	}
	return &reader{file: f, data: data, size: int(geometry[0])}
}

// read reads until nothing more will come.
func (r *reader) read(done *atomic.Bool, quiet bool) {
	seq, at := uint64(1), 32
	for {
		last := done.Load()
		sub := r.data[int((seq-1)%uint64(len(r.data)/r.size))*r.size:]
		if atomic.LoadUint64((*uint64)(unsafe.Pointer(&sub[0]))) != seq {
			if last {
				return
			}
			time.Sleep(time.Millisecond)
			continue
		}
		closed := atomic.LoadUint32((*uint32)(unsafe.Pointer(&sub[12])))
		committed := int(atomic.LoadUint32((*uint32)(unsafe.Pointer(&sub[8]))))
		for at < committed {
			n := int(binary.NativeEndian.Uint32(sub[at:]))
			if !quiet {
				r.records = append(r.records, record{binary.NativeEndian.Uint64(sub[at+8:]), string(sub[at+16 : at+n])})
			}
			r.n++
			at += (n + 7) &^ 7
		}
		switch {
		case closed != 0:
			if _, _, e := unix.Syscall(unix.SYS_IOCTL, r.file.Fd(), 0x4701, 1); e != 0 {
				log.Fatal(e)
			}
			seq, at = seq+1, 32
		case last:
			return
		default:
			time.Sleep(time.Millisecond)
		}
	}
}
