// SPDX-License-Identifier: GPL-2.0-or-later

package torture

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/mdlayher/genetlink"
	"golang.org/x/sys/unix"

	"gostap/consumer"
	"gostap/tests/guest"
	"gostap/tests/session"
)

// From runtime-c/include/protocol.h.
const (
	cmdStats, cmdAttach, cmdDetach = 3, 5, 6
	iocConsumed, iocGeometry       = 0x4701, 0x80184702
	iocStart, iocStop              = 0x40304710, 0x4711
)

// quiet has probes, but ends only when it is told to.
const quiet = `global n, s
	probe begin { println("begin") }
	probe kernel.function("vfs_read") { n++ s = execname() }
	probe end { println("end") }`

// testMessages sends malformed messages to sessions in all states, and reads their files out of bounds.
func testMessages(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 2))
	sent, accepted := 0, 0
	for round := range session.TimesHere(4, 12) {
		// When it is loaded by insmod, the module's family has its name, and nobody owns the session.
		guest.Command(t, "/", "insmod", session.Module("quiet"), "subbuf_size=65536", "n_subbufs=4")
		family := familyOf(t, "quiet")
		owner := inState(t, "quiet", family, round%4)
		other := mustSocket(t)
		for range session.Choose(600, 2000) {
			if sendMalformed(r, other, family) {
				accepted++
			}
			sent++
		}
		files(t, r, "quiet")
		unix.Close(other)
		unix.Close(owner)
		session.Gone(t)
		session.Removed(t, "quiet")
		session.Clean(t)
	}
	t.Logf("%d messages sent, %d went through to the kernel", sent, accepted)
	s := session.Start(t, "run", session.Module("quiet"))
	session.Armed(t)
	s.Process.Signal(syscall.SIGINT)
	if code := s.End(); code != 0 || !strings.HasPrefix(s.Out.String(), "begin\nend\n") {
		t.Errorf("afterwards: exit code %d\n%s%s", code, s.Out.String(), s.Err.String())
	}
}

// inState brings a loaded session into a state: 0 as it is, 1 running, 2 stopped, 3 running without its
// owner. It returns the owner's socket, which is not the one for the malformed messages.
func inState(t *testing.T, name string, family uint16, state int) (owner int) {
	t.Helper()
	owner = mustSocket(t)
	if state == 0 {
		return owner
	}
	tell := func(cmd byte) {
		if err := unix.Sendto(owner, message(family, unix.NLM_F_REQUEST, cmd, nil), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
			t.Fatal(err)
		}
	}
	tell(cmdAttach)
	startAtZero(t, name)
	switch state {
	case 2:
		control := openControl(t, name)
		defer control.Close()
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, control.Fd(), iocStop, 0); errno != 0 {
			t.Fatalf("STOP: %v", errno)
		}
	case 3:
		tell(cmdDetach)
	}
	return owner
}

// startArgs is struct gs_start.
type startArgs struct {
	addrs, globals      uint64
	naddrs, globalsSize uint32
	target              int64
	flags, nfiles       uint32
	files               uint64
}

// noFile is the descriptor for an image that is not a file: the kernel.
var noFile int32 = -1

func openControl(t *testing.T, name string) *os.File {
	t.Helper()
	f, err := os.OpenFile("/proc/gostap-"+name+"/control", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// startAtZero starts a session with all its symbols at address 0.
func startAtZero(t *testing.T, name string) {
	t.Helper()
	m, err := consumer.ReadManifest(session.Module(name))
	if err != nil {
		t.Fatal(err)
	}
	f := openControl(t, name)
	defer f.Close()
	addrs := make([]uint64, len(m.Symbols)+1)
	args := &startArgs{addrs: uint64(uintptr(unsafe.Pointer(&addrs[0]))), naddrs: uint32(len(m.Symbols)),
		files: uint64(uintptr(unsafe.Pointer(&noFile))), nfiles: uint32(len(m.Images))}
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), iocStart, uintptr(unsafe.Pointer(args))); errno != 0 {
		t.Fatalf("START: %v", errno)
	}
	runtime.KeepAlive(addrs)
}

// malformedStart makes arguments of START with random errors: wrong lengths, invalid addresses, text
// without an end.
func malformedStart(r *rand.Rand) *startArgs {
	text := []byte("n=5\x00s=text\x00nosuch=1\x00=\x00n=5")
	bad := []uint64{0, 1, 1 << 20, 1 << 47, 1 << 63, r.Uint64(), 0xffffffff81000000}
	args := &startArgs{
		addrs:       uint64(uintptr(unsafe.Pointer(&make([]uint64, 64)[0]))),
		naddrs:      uint32(r.IntN(64)),
		globals:     uint64(uintptr(unsafe.Pointer(&text[0]))),
		globalsSize: uint32(r.IntN(len(text) + 1)),
		target:      int64(r.Uint64()),
		flags:       uint32(r.IntN(8)),
		files:       uint64(uintptr(unsafe.Pointer(&noFile))),
		nfiles:      uint32(r.IntN(3)),
	}
	switch r.IntN(7) {
	case 0:
		args.addrs = bad[r.IntN(len(bad))]
	case 1:
		args.globals = bad[r.IntN(len(bad))]
	case 2:
		args.globalsSize = r.Uint32()
	case 3:
		args.naddrs = r.Uint32()
	case 4:
		args.files = bad[r.IntN(len(bad))]
	case 5:
		args.nfiles = r.Uint32()
	}
	return args
}

// files reads a session's files at valid and invalid positions.
func files(t *testing.T, r *rand.Rand, name string) {
	t.Helper()
	list, _ := filepath.Glob("/proc/gostap-" + name + "/*")
	if len(list) == 0 {
		t.Fatal("the session has no files")
	}
	for _, path := range list {
		fd, err := unix.Open(path, unix.O_RDONLY, 0)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		requests := []uint{iocConsumed, iocGeometry, iocStart, 0, 0x4700, 0x4703, 0x5401, 0xc0184714, 0x4715, 0x4716, uint(r.Uint32())}
		args := []uint64{0, 1, 1 << 20, 1 << 63, r.Uint64(), 0xffffffff81000000, 0xffff888000000000}
		for i := range 500 {
			if i%8 == 0 {
				args[1] = uint64(uintptr(unsafe.Pointer(malformedStart(r))))
			}
			unix.Syscall(unix.SYS_IOCTL, uintptr(fd), uintptr(requests[r.IntN(len(requests))]), uintptr(args[r.IntN(len(args))]))
			length := uintptr(r.IntN(1<<22) + 1)
			prot := uintptr(r.IntN(8))
			flags := uintptr([]int{unix.MAP_SHARED, unix.MAP_PRIVATE}[r.IntN(2)])
			if r.IntN(2) == 0 {
				length = 4 * 65536
			}
			at, _, errno := unix.Syscall6(unix.SYS_MMAP, 0, length, prot, flags, uintptr(fd), uintptr(r.IntN(4)*4096))
			if errno == 0 {
				unix.Syscall(unix.SYS_MPROTECT, at, length, unix.PROT_READ|unix.PROT_WRITE)
				unix.Syscall(unix.SYS_MADVISE, at, length, uintptr(r.IntN(25)))
				if _, _, errno := unix.Syscall6(unix.SYS_MREMAP, at, length, length*2, 0, 0, 0); errno == 0 {
					length *= 2
				}
				unix.Syscall(unix.SYS_MUNMAP, at, length, 0)
			}
			unix.Read(fd, make([]byte, 64))
			unix.Seek(fd, int64(r.Uint64()), r.IntN(3))
			unix.Write(fd, []byte("x"))
		}
		unix.Close(fd)
		for _, flags := range []int{unix.O_RDWR, unix.O_WRONLY | unix.O_TRUNC} {
			if fd, err := unix.Open(path, flags, 0); err == nil {
				unix.Close(fd) // root may open it, but nothing must be written
			}
		}
	}
}

// strangerVar makes the test binary run as an unprivileged process; its value is the family's number.
const strangerVar = "GOSTAP_STRANGER"

// testStrangers tries access without CAP_SYS_ADMIN: as another user, and as root without the
// capability.
func testStrangers(t *testing.T) {
	s := session.Start(t, "run", session.Module("quiet"))
	session.Armed(t)
	conn, err := genetlink.Dial(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	families, err := conn.ListFamilies()
	if err != nil {
		t.Fatal(err)
	}
	var family uint16
	for _, f := range families {
		if strings.HasPrefix(f.Name, "gs") {
			family = f.ID
		}
	}
	if family == 0 {
		t.Fatal("the session has no family")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, who := range [][]string{
		{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"},
		{"setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin"},
	} {
		args := append(who[1:], self, "-test.run=^TestStranger$", "-test.v")
		cmd := exec.Command(who[0], args...)
		cmd.Dir = "/tmp"
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", strangerVar, family))
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestStranger") {
			t.Errorf("%v: %v\n%s", who, err, out)
		}
	}
	s.Process.Signal(syscall.SIGINT)
	if code := s.End(); code != 0 || !strings.HasPrefix(s.Out.String(), "begin\nend\n") {
		t.Errorf("the session: exit code %d\n%s%s", code, s.Out.String(), s.Err.String())
	}
}

// TestStranger tries what is not allowed without CAP_SYS_ADMIN.
func TestStranger(t *testing.T) {
	var family uint16
	if n, _ := fmt.Sscan(os.Getenv(strangerVar), &family); n == 0 {
		t.Skip("testStrangers runs this")
	}
	for _, cmd := range []byte{cmdStats, cmdAttach, cmdDetach} {
		if err := command(family, cmd); err != syscall.EPERM {
			t.Errorf("command %d: %v, want EPERM", cmd, err)
		}
	}
	for _, file := range []string{"cpu0", "cpu1", "control"} {
		fd, err := unix.Open("/proc/gostap-quiet/"+file, unix.O_RDONLY, 0)
		if err != unix.EACCES && err != unix.EPERM {
			t.Errorf("opening %s: %v", file, err)
			unix.Close(fd)
		}
	}
	if err := unix.DeleteModule("quiet", unix.O_NONBLOCK); err == nil {
		t.Error("the module could be removed")
	}
}
