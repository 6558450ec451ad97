// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestMain runs the stand-in when the test binary is started as qemu.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "qemu-system-x86_64" {
		newStandIn().behave(os.Getenv("STANDIN"))
		return
	}
	os.Exit(m.Run())
}

// standIn is a stand-in for qemu: it has qemu's ports and its monitor, and plays the guest.
type standIn struct {
	kvm    bool
	marker string
	ports  map[string]*os.File
	status string // the response to query-status
}

func newStandIn() *standIn {
	s := &standIn{ports: map[string]*os.File{}, status: `"status":"running","running":true`}
	chardev := regexp.MustCompile(`^socket,id=(\w+),fd=(\d+)$`)
	for i, arg := range os.Args {
		var fd int
		if m := chardev.FindStringSubmatch(arg); m != nil {
			fmt.Sscan(m[2], &fd)
			s.ports[m[1]] = os.NewFile(uintptr(fd), m[1])
		}
		if arg == "-initrd" {
			initramfs, _ := os.ReadFile(os.Args[i+1])
			_, rest, _ := bytes.Cut(initramfs, []byte("MARKER='"))
			s.marker = string(rest[:bytes.IndexByte(rest, '\'')])
		}
		s.kvm = s.kvm || arg == "kvm"
	}
	return s
}

// behave shows a behaviour that a test needs.
func (s *standIn) behave(how string) {
	if how, ok := strings.CutPrefix(how, "kvm:"); ok && s.kvm {
		s.behave(how)
		return
	}
	switch how {
	case "dies":
		fmt.Fprintln(os.Stderr, "qemu-system-x86_64: no such machine")
		os.Exit(1)
	case "says nothing":
		s.hang()
	case "hangs in the kernel":
		fmt.Println("[    0.5] Freeing unused memory")
		s.greet()
		s.hang()
	case "stops in the kernel":
		s.greet()
		s.stop()
	case "hangs in the session", "stops in the session", "loses its files":
		s.greet()
		control := s.start()
		fmt.Println("[    2.5] the last line of the console")
		fmt.Fprintln(s.ports["stdout"], "half of the output")
		control.Scan() // the first ping
		switch how {
		case "stops in the session":
			s.stop()
		case "loses its files":
			s.ports["host"].Close() // makes virtiofsd end
		}
		s.hang()
	case "cannot start the command":
		s.greet()
		s.say("init")
		s.end(126)
	case "answers late":
		s.greet()
		control := s.start()
		for asked := 0; asked < 2 && control.Scan(); asked++ {
			time.Sleep(200 * time.Millisecond)
			s.say("alive")
		}
		s.end(0)
	default:
		s.greet()
		s.start()
		io.Copy(s.ports["stdout"], s.ports["stdin"])
		s.end(7)
	}
}

// greet serves QMP. An NMI makes the kernel panic.
func (s *standIn) greet() {
	monitor := s.ports["monitor"]
	fmt.Fprintln(monitor, `{"QMP":{"version":{},"capabilities":[]}}`)
	go func() {
		for lines := bufio.NewScanner(monitor); lines.Scan(); {
			switch command := lines.Text(); {
			case strings.Contains(command, "query-status"):
				fmt.Fprintf(monitor, "{\"return\":{%s,\"singlestep\":false}}\n", s.status)
			case strings.Contains(command, "inject-nmi"):
				fmt.Println("[   99.9] Kernel panic - not syncing: NMI: Not continuing")
				fmt.Fprintln(monitor, `{"event":"SHUTDOWN","data":{"guest":true,"reason":"guest-reset"}}`)
				os.Exit(0)
			}
		}
	}()
}

// stop does what qemu does when KVM fails.
func (s *standIn) stop() {
	s.status = `"status":"internal-error","running":false`
	fmt.Fprintln(s.ports["monitor"], `{"event":"STOP"}`)
	s.hang()
}

func (s *standIn) say(word string) { fmt.Fprintln(s.ports["control"], word) }

// start boots and starts the command.
func (s *standIn) start() *bufio.Scanner {
	control := bufio.NewScanner(s.ports["control"])
	s.say("init")
	control.Scan() // the greeting
	s.say("started 1")
	return control
}

// end ends the command.
func (s *standIn) end(status int) {
	fmt.Fprint(s.ports["stdout"], s.marker)
	fmt.Fprint(s.ports["stderr"], s.marker)
	s.say(fmt.Sprint("exit ", status))
	s.hang()
}

// hang sleeps: with select {} the Go runtime would detect a deadlock and exit.
func (s *standIn) hang() { time.Sleep(math.MaxInt64) }
