// SPDX-License-Identifier: GPL-2.0-or-later

package torture

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"

	"github.com/mdlayher/genetlink"
	"golang.org/x/sys/unix"
)

// familyOf returns the number of a session's generic netlink family.
func familyOf(t *testing.T, name string) uint16 {
	t.Helper()
	conn, err := genetlink.Dial(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	f, err := conn.GetFamily(name)
	if err != nil {
		t.Fatalf("no family %s: %v", name, err)
	}
	return f.ID
}

// netlinkSocket opens a generic netlink socket.
func netlinkSocket() (int, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_GENERIC)
	if err == nil {
		err = unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK})
	}
	return fd, err
}

// command sends a command without attributes and returns the kernel's response: nil for an
// acknowledgement.
func command(family uint16, cmd byte) error {
	fd, err := netlinkSocket()
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	msg := message(family, unix.NLM_F_REQUEST|unix.NLM_F_ACK, cmd, nil)
	if err := unix.Sendto(fd, msg, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	answer := make([]byte, 65536)
	for {
		n, _, err := unix.Recvfrom(fd, answer, 0)
		if err != nil {
			return err
		}
		if n >= 20 && binary.NativeEndian.Uint16(answer[4:]) == unix.NLMSG_ERROR {
			if code := int32(binary.NativeEndian.Uint32(answer[16:])); code != 0 {
				return syscall.Errno(-code)
			}
			return nil
		}
	}
}

// message returns a generic netlink message.
func message(family uint16, flags uint16, cmd byte, attrs []byte) []byte {
	b := make([]byte, 20, 20+len(attrs))
	binary.NativeEndian.PutUint32(b, uint32(20+len(attrs)))
	binary.NativeEndian.PutUint16(b[4:], family)
	binary.NativeEndian.PutUint16(b[6:], flags)
	b[16], b[17] = cmd, 1
	return append(b, attrs...)
}

// attr returns an attribute, padded.
func attr(kind uint16, data []byte) []byte {
	b := make([]byte, 4, 8+len(data))
	binary.NativeEndian.PutUint16(b, uint16(4+len(data)))
	binary.NativeEndian.PutUint16(b[2:], kind)
	return append(append(b, data...), "\x00\x00\x00"[:-len(data)&3]...)
}

// malformed returns a message that is valid or, mostly, has random errors.
func malformed(r *rand.Rand, family uint16) []byte {
	random := func(n int) []byte {
		b := make([]byte, 0, n+8)
		for len(b) < n {
			b = binary.NativeEndian.AppendUint64(b, r.Uint64())
		}
		return b[:n]
	}
	var attrs []byte
	for range r.IntN(5) {
		kind := uint16(r.IntN(20))
		if r.IntN(4) == 0 {
			kind |= uint16(r.IntN(4)) << 14 // nested, network byte order
		}
		var data []byte
		switch r.IntN(6) {
		case 0:
			data = random(r.IntN(9))
		case 1:
			data = random(8 * r.IntN(40))
		case 2:
			data = []byte([]string{"n=5\x00", "s=text\x00", "n=5", "nosuch=1\x00", "=\x00", "n=" + strings.Repeat("9", 700) + "\x00", "s=" + strings.Repeat("x", 5000) + "\x00"}[r.IntN(7)])
		case 3:
			data = attr(uint16(r.IntN(20)), random(r.IntN(64)))
		case 4:
			data = random(r.IntN(60000))
		}
		attrs = append(attrs, attr(kind, data)...)
	}
	cmds := []byte{cmdStats, cmdStats, 4, cmdAttach, cmdDetach, 0, byte(r.Uint32())}
	msg := message(family, []uint16{unix.NLM_F_REQUEST, unix.NLM_F_REQUEST | unix.NLM_F_ACK, unix.NLM_F_REQUEST | unix.NLM_F_DUMP, uint16(r.Uint32())}[r.IntN(4)],
		cmds[r.IntN(len(cmds))], attrs)
	switch r.IntN(6) {
	case 0: // truncated
		msg = msg[:r.IntN(len(msg)+1)]
	case 1: // some bytes replaced
		for range 1 + r.IntN(8) {
			msg[16+r.IntN(len(msg)-16)] = byte(r.Uint32())
		}
	case 2: // a wrong length
		binary.NativeEndian.PutUint32(msg, r.Uint32()>>r.IntN(32))
	case 3: // a wrong length of an attribute
		if len(attrs) > 4 {
			binary.NativeEndian.PutUint16(msg[20:], uint16(r.Uint32()))
		}
	}
	return msg
}

func mustSocket(t *testing.T) int {
	t.Helper()
	fd, err := netlinkSocket()
	if err != nil {
		t.Fatal(err)
	}
	return fd
}

// sendMalformed sends a message, reads the responses, and reports whether it was accepted.
func sendMalformed(r *rand.Rand, socket int, family uint16) bool {
	err := unix.Sendto(socket, malformed(r, family), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK})
	answer := make([]byte, 65536)
	for {
		if _, _, err := unix.Recvfrom(socket, answer, 0); err != nil {
			break
		}
	}
	return err == nil
}
