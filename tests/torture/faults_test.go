// SPDX-License-Identifier: GPL-2.0-or-later

package torture

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"gostap/tests/guest"
	"gostap/tests/session"
)

// Scripts whose modules are built on the host and loaded by the guest.
const (
	// flood prints a line for each event, and at the end their number.
	flood = `global n
		probe kernel.function("vfs_read"), kernel.function("vfs_write"), kernel.function("do_sys_openat2") {
			n++
			printf("event %s %d\n", execname(), pid())
		}
		probe end { printf("produced %d\n", n) }`
	// warnings gives warnings until there are enough to fill any socket, and exits.
	warnings = `global n
		probe kernel.function("vfs_read") { next }
		probe timer.us(200) { for (i = 0; i < 20; i++) warn("a warning of some length, to fill the socket with: " . sprint(n++)) if (n > 12000) exit() }
		probe end { printf("produced %d\n", n) }`
	// victim uses everything that takes memory when a session starts, and ends by itself.
	victim = `global a, b, x, s, n, m%
		probe begin { println("begin") a["k"] = 1 b[1, "l"] <<< 1 s = "text" m[1] = "x" }
		probe kernel.function("vfs_read") { a[execname()]++ x <<< 1 }
		probe kernel.function("vfs_*") { b[cpu(), "x"] <<< 1 }
		probe kernel.function("vfs_write").return { x <<< $return }
		probe kprobe.function("vfs_open") { s .= "y" }
		probe timer.ms(20) { if (n++ == 3) exit() }
		probe end { println("end") }`
)

var (
	eventLine    = regexp.MustCompile(`(?m)^event `)
	producedLine = regexp.MustCompile(`(?m)^produced (\d+)$`)
	lostMessages = regexp.MustCompile(`(?m)^WARNING: (\d+) messages came too fast`)
)

// addsUp checks that the events of a flood are those that were printed and those that were reported as
// lost.
func addsUp(t *testing.T, s *session.Session) {
	t.Helper()
	m := producedLine.FindSubmatch(s.Out.Bytes())
	if m == nil {
		t.Fatalf("the session did not come to its end: %s", s.Err.String())
	}
	produced, _ := strconv.Atoi(string(m[1]))
	printed := printed(s)
	if printed+s.Lost() != produced || produced == 0 {
		t.Errorf("%d events were produced, %d printed, %d reported as lost; %d are unaccounted for\n%s",
			produced, printed, s.Lost(), produced-printed-s.Lost(), s.Err.String())
	}
	t.Logf("%d events produced, %d printed, %d lost", produced, printed, s.Lost())
}

// printed returns the number of events that a session has printed.
func printed(s *session.Session) int { return len(eventLine.FindAllIndex(s.Out.Bytes(), -1)) }

// testKilled kills the consumer at random moments: while it loads, starts, reads.
func testKilled(t *testing.T) {
	defer session.Busy(t)()
	r := rand.New(rand.NewPCG(*seed, 1))
	phases := map[string]int{}
	for i := range session.TimesHere(6, 20) {
		s := session.Start(t, "run", session.Module("flood"))
		if i%2 == 0 {
			session.Armed(t)
		}
		time.Sleep(time.Duration(r.IntN(1000)) * time.Millisecond)
		switch {
		case !session.Loaded("flood"):
			phases["before loading"]++
		case session.Probes(t) == "":
			phases["while starting"]++
		default:
			phases["while running"]++
		}
		s.Process.Kill()
		s.End()
		session.Gone(t)
		session.Removed(t, "flood")
		session.Clean(t)
	}
	t.Logf("killed %v", phases)
}

// testStopped stops the consumer under full load; when it continues, it reports what was lost.
func testStopped(t *testing.T) {
	stop := session.Busy(t)
	s := session.Start(t, "run", "-s1", session.Module("flood"))
	session.Armed(t)
	s.Process.Signal(syscall.SIGSTOP)
	time.Sleep(session.Choose(3*time.Second, 30*time.Second))
	s.Process.Signal(syscall.SIGCONT)
	stop()
	s.Process.Signal(syscall.SIGINT)
	if code := s.End(); code != 0 {
		t.Errorf("exit code %d\n%s", code, s.Err.String())
	}
	addsUp(t, s)
}

// testStoppedWarnings stops a consumer whose control socket fills up: it must still receive the
// session's end.
func testStoppedWarnings(t *testing.T) {
	s := session.Start(t, "run", session.Module("warnings"))
	session.Armed(t)
	s.Process.Signal(syscall.SIGSTOP)
	time.Sleep(session.Choose(3*time.Second, 20*time.Second))
	s.Process.Signal(syscall.SIGCONT)
	ended := make(chan int, 1)
	go func() { ended <- s.End() }()
	select {
	case <-ended:
	case <-time.After(session.Choose(2*time.Minute, 10*time.Minute)):
		s.Process.Kill()
		<-ended
		session.Gone(t)
		session.Removed(t, "warnings")
		t.Errorf("the session has not ended by its exit()")
	}
	through, lost := strings.Count(s.Err.String(), "a warning of some length"), 0
	for _, m := range lostMessages.FindAllStringSubmatch(s.Err.String(), -1) {
		n, _ := strconv.Atoi(m[1])
		lost += n
	}
	if said := fmt.Sprintf("produced %d\n", through+lost); s.Out.String() != said {
		t.Errorf("%d warnings came through, %d were reported as lost, and the script says: %s", through, lost, s.Out.String())
	}
	t.Logf("%d warnings came through, %d were lost", through, lost)
}

// testRemoval tries to remove a module under load: this fails while it is used; and succeeds at once
// when its consumer has been killed.
func testRemoval(t *testing.T) {
	defer session.Busy(t)()
	s := session.Start(t, "run", session.Module("flood"))
	session.Armed(t)
	for range session.TimesHere(20, 200) {
		if err := unix.DeleteModule("flood", unix.O_NONBLOCK); err != unix.EAGAIN && err != unix.EBUSY {
			t.Fatalf("the module in use was removed (error %v)", err)
		}
	}
	s.Process.Signal(syscall.SIGINT)
	if code := s.End(); code != 0 {
		t.Errorf("exit code %d\n%s", code, s.Err.String())
	}
	addsUp(t, s)
	for range session.TimesHere(3, 10) {
		s := session.Start(t, "run", session.Module("flood"))
		session.Armed(t)
		s.Process.Kill()
		s.End()
		session.Removed(t, "flood")
		session.Gone(t)
		session.Clean(t)
	}
}

// testFullDisk fills up the output file's disk.
func testFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Fatal(err)
	}
	defer unix.Unmount(dir, 0)
	defer session.Busy(t)()
	s := session.Run(t, "run", "-o", filepath.Join(dir, "out"), session.Module("flood"))
	if code := s.ProcessState.ExitCode(); code != 1 || !strings.Contains(s.Err.String(), "no space left") {
		t.Errorf("exit code %d\n%s", code, s.Err.String())
	}
	t.Logf("it says: %s", strings.TrimSpace(s.Err.String()))
}

// testOtherReader reads the session's files from another process while it runs.
func testOtherReader(t *testing.T) {
	stop := session.Busy(t)
	s := session.Start(t, "run", session.Module("flood"))
	session.Armed(t)
	files, _ := filepath.Glob("/proc/gostap-flood/cpu*")
	if len(files) == 0 {
		t.Fatal("the session has no files")
	}
	sum := 0
	for end := time.Now().Add(session.Choose(2*time.Second, time.Minute)); time.Now().Before(end); {
		for _, file := range files {
			sum += readOther(t, file)
		}
	}
	stop()
	s.Process.Signal(syscall.SIGINT)
	if code := s.End(); code != 0 {
		t.Errorf("exit code %d\n%s", code, s.Err.String())
	}
	addsUp(t, s)
	t.Logf("%d bytes looked at by somebody else", sum)
}

// readOther reads a file in all possible ways, and returns the number of bytes that it could read. It
// gets the size of the buffer from the module's parameters, as the ioctl is for the session's reader
// only.
func readOther(t *testing.T, file string) int {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n, _ := f.Read(make([]byte, 4096))
	poll := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLIN}}
	unix.Poll(poll, 0)
	var geometry [64]byte
	for _, request := range []uintptr{iocGeometry, iocConsumed} {
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), request, uintptr(unsafe.Pointer(&geometry))); errno == 0 {
			t.Errorf("%s: ioctl %#x by somebody else is obeyed", file, request)
		}
	}
	size := parameter(t, "subbuf_size") * parameter(t, "n_subbufs")
	data, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatalf("%s: mmap: %v", file, err)
	}
	sum := byte(0)
	for i := 0; i < len(data); i += 64 {
		sum ^= data[i]
	}
	unix.Munmap(data)
	return n + len(data) + int(sum&1)
}

// parameter returns the value of a numeric parameter of the loaded module flood.
func parameter(t *testing.T, name string) int {
	text, err := os.ReadFile("/sys/module/flood/parameters/" + name)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// testMemory makes each allocation of a session fail in turn: the session either reports that or works
// without it, and leaves nothing. Of the allocations in a loop only the first fails, and in the long
// form also the third.
func testMemory(t *testing.T) {
	guest.Command(t, "/", "insmod", session.Module("gstortfail"))
	defer unix.DeleteModule("gstortfail", 0)
	refused, survived, failed := map[string]int{}, 0, 0
	for _, turn := range session.Choose([]int{1}, []int{1, 3}) {
		setFailing(t, "turn", turn)
		all := countAllocations(t)
		if all < 20/turn {
			t.Fatalf("only %d allocations were seen", all)
		}
		step := max(all/session.TimesHere(12, all), 1)
		for n := 1; n <= all; n += step {
			failed++
			if said, err := withoutAllocation(t, n); err != nil {
				t.Errorf("allocation %d of %d, for time %d: %v", n, all, turn, err)
			} else if said == "" {
				survived++
			} else {
				refused[said]++
			}
		}
		t.Logf("of %d kinds of allocations each %d. failed, its time %d", all, step, turn)
	}
	setFailing(t, "nth", 0)
	if s := session.Run(t, "run", session.Module("victim")); s.ProcessState.ExitCode() != 0 {
		t.Errorf("afterwards: %s", s.Err.String())
	}
	t.Logf("%d allocations failed; %d times the session did without; else it said", failed, survived)
	for said, n := range refused {
		t.Logf("%6d times: %.300s", n, said)
	}
}

func setFailing(t *testing.T, parameter string, n int) {
	t.Helper()
	if err := os.WriteFile("/sys/module/gstortfail/parameters/"+parameter, fmt.Append(nil, n), 0); err != nil {
		t.Fatal(err)
	}
}

// countAllocations returns the number of allocations in a session in which none fails.
func countAllocations(t *testing.T) int {
	setFailing(t, "nth", 0)
	s := session.Run(t, "run", session.Module("victim"))
	if code := s.ProcessState.ExitCode(); code != 0 || !strings.HasPrefix(s.Out.String(), "begin\nend\n") {
		t.Fatalf("exit code %d without a failure\n%s%s", code, s.Out.String(), s.Err.String())
	}
	text, err := os.ReadFile("/sys/module/gstortfail/parameters/counted")
	if err != nil {
		t.Fatal(err)
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return n
}

// withoutAllocation runs a session in which the nth allocation fails, and returns its error message: ""
// if it worked.
func withoutAllocation(t *testing.T, n int) (said string, err error) {
	setFailing(t, "nth", n)
	s := session.Run(t, "run", "-T30", session.Module("victim"))
	code := s.ProcessState.ExitCode()
	if code != 0 {
		said = strings.TrimSpace(s.Err.String())
	}
	if code == 0 && !strings.HasPrefix(s.Out.String(), "begin\nend\n") || code == 1 && said == "" || code != 0 && code != 1 {
		return "", fmt.Errorf("exit code %d, output %q, and it says %q", code, s.Out.String(), said)
	}
	session.Await(t, "the module is gone", func() bool { return !session.Loaded("victim") })
	return said, left()
}

// left is Clean, except for the kprobes of the module that makes allocations fail.
func left() error {
	list, err := guest.Probes()
	if err != nil {
		return err
	}
	for _, line := range strings.Split(list, "\n") {
		if strings.Contains(line, "vfs_") {
			return fmt.Errorf("a probe is left: %s", line)
		}
	}
	// The kernel itself reports some failing allocations with a stack. Reports of real harm have other
	// words, too.
	return guest.HarmBut(regexp.MustCompile(`^Call Trace$`))
}
