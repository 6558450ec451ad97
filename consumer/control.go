// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"encoding/binary"
	"os"
	"sync"
	"time"

	"github.com/mdlayher/genetlink"
	"github.com/mdlayher/netlink"
	"github.com/pkg/errors"
	"golang.org/x/sys/unix"

	"gostap/internal/panics"
)

// control is the session's generic netlink socket. Its owner sends one command
// at a time; a goroutine receives the replies and, in between, messages. A
// session is started and stopped by another file: see starter.
type control struct {
	conn      *genetlink.Conn
	familyID  uint16
	onMessage func(message)

	mu      sync.Mutex // held during a command
	replies chan reply
	lost    chan struct{} // closed when nothing more will be received
	err     error         // the reason, if the socket was not closed here; valid then
}

type reply struct {
	to    uint32 // the sequence number of the command; unknown for an error
	stats *kernelStats
	err   error
}

// errOverflow says that messages came faster than they were read, so that some were
// lost, perhaps a reply.
var errOverflow = errors.New("messages from the kernel were lost")

// replyTimeout is how long a reply is waited for. The kernel sends it before the
// command's system call returns, so it is late only after many messages. If these
// fill the socket, it is lost; errOverflow is reported only for the first loss.
const replyTimeout = time.Second

// kernelStats are the kernel side's statistics of a session: GS_CMD_STATS.
type kernelStats struct {
	clock       clock
	state       uint32
	errors      uint64
	unarmed     uint32
	skipped     []uint64 // for each skip*
	lost        []uint64 // for each CPU
	written     []uint64 // for each CPU
	overwritten []uint64 // of those, for each CPU: before they were read
	first       []uint64 // for each CPU, the number of the first record not read
	owner       uint32   // a process; 0: none
	memory      uint64   // bytes of the script's data
	kprobes     uint32   // registered
	loaded      time.Time
}

func dialControl(family string, onMessage func(message)) (*control, error) {
	conn, err := genetlink.Dial(nil)
	if err != nil {
		return nil, errors.Wrap(err, "generic netlink")
	}
	f, err := conn.GetFamily(family)
	if err != nil {
		conn.Close()
		return nil, errors.Wrapf(err, "the module has no control channel %s", family)
	}
	// Room for bursts of messages, and for the addresses of many thousand functions.
	_ = conn.SetReadBuffer(4 << 20)
	_ = conn.SetWriteBuffer(4 << 20)
	c := &control{
		conn:      conn,
		familyID:  f.ID,
		onMessage: onMessage,
		replies:   make(chan reply, 16),
		lost:      make(chan struct{}),
	}
	go c.receive()
	return c, nil
}

func (c *control) close() { c.conn.Close() }

// receive passes messages on and hands replies to the command that waits.
func (c *control) receive() {
	defer close(c.lost)
	defer panics.Catch(&c.err)
	for {
		msgs, raw, err := c.conn.Receive()
		switch {
		case errors.Is(err, unix.ENOBUFS):
			c.deliver(reply{err: errOverflow})
			continue
		case errors.Is(err, os.ErrClosed) || errors.Is(err, unix.EBADF):
			return
		case err != nil:
			c.deliver(reply{err: err})
			continue
		}
		for i, m := range msgs {
			switch {
			case raw[i].Header.Type != netlink.HeaderType(c.familyID):
			case m.Header.Command == cmdMessage:
				if msg, err := decodeMessage(m.Data); err == nil {
					c.onMessage(msg)
				}
			default:
				stats, err := decodeStats(m.Data)
				c.deliver(reply{raw[i].Header.Sequence, stats, err})
			}
		}
	}
}

// deliver passes a reply to the waiting command. If none waits, the next command drops
// it.
func (c *control) deliver(r reply) {
	select {
	case c.replies <- r:
	default:
	}
}

// command sends a command that is answered with the session's statistics.
func (c *control) command(cmd uint8) (*kernelStats, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.replies) > 0 {
		<-c.replies
	}
	for {
		m := genetlink.Message{Header: genetlink.Header{Command: cmd, Version: 1}}
		sent, err := c.conn.Send(m, c.familyID, netlink.Request)
		if err != nil {
			return nil, commandError(err)
		}
		a := c.await(sent.Header.Sequence)
		if a.err != errOverflow {
			return a.stats, commandError(a.err)
		}
		// The command has been executed, but its reply may be lost: repeat it.
		cmd = cmdStats
	}
}

// await returns the reply to the command of that sequence number, or an error.
func (c *control) await(sequence uint32) reply {
	late := time.After(replyTimeout)
	for {
		select {
		case a := <-c.replies:
			if a.err != nil || a.to == sequence {
				return a
			}
		case <-late:
			return reply{err: errOverflow}
		case <-c.lost:
			if c.err != nil {
				return reply{err: c.err}
			}
			return reply{err: errors.New("the module's control channel is gone")}
		}
	}
}

// commandError extracts the kernel's error from an error of netlink.
func commandError(err error) error {
	var op *netlink.OpError
	if errors.As(err, &op) {
		return errors.WithStack(op.Err)
	}
	return err
}

// attach makes this process the session's owner. It waits while the kernel ends the session of a previous owner.
func (c *control) attach() (*kernelStats, error) {
	for {
		stats, err := c.command(cmdAttach)
		if !errors.Is(err, unix.EAGAIN) {
			return stats, err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (c *control) stats() (*kernelStats, error)  { return c.command(cmdStats) }
func (c *control) detach() (*kernelStats, error) { return c.command(cmdDetach) }

func decodeMessage(data []byte) (message, error) {
	var m message
	ad, err := netlink.NewAttributeDecoder(data)
	if err != nil {
		return m, errors.WithStack(err)
	}
	for ad.Next() {
		switch ad.Type() {
		case attrMsgKind:
			m.kind = ad.Uint32()
		case attrText:
			m.text = ad.String()
		case attrNear:
			m.near = ad.String()
		case attrPoint:
			m.point = ad.String()
		}
	}
	return m, errors.WithStack(ad.Err())
}

func decodeStats(data []byte) (*kernelStats, error) {
	ad, err := netlink.NewAttributeDecoder(data)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	s := new(kernelStats)
	for ad.Next() {
		switch ad.Type() {
		case attrClockNow:
			s.clock.now = ad.Uint64()
		case attrClockNs:
			s.clock.ns = ad.Uint64()
		case attrClockKhz:
			s.clock.khz = ad.Uint32()
		case attrState:
			s.state = ad.Uint32()
		case attrErrors:
			s.errors = ad.Uint64()
		case attrUnarmed:
			s.unarmed = ad.Uint32()
		case attrSkipped:
			s.skipped = uint64s(ad.Bytes())
		case attrLost:
			s.lost = uint64s(ad.Bytes())
		case attrWritten:
			s.written = uint64s(ad.Bytes())
		case attrOverwritten:
			s.overwritten = uint64s(ad.Bytes())
		case attrFirst:
			s.first = uint64s(ad.Bytes())
		case attrOwner:
			s.owner = ad.Uint32()
		case attrMemory:
			s.memory = ad.Uint64()
		case attrKprobes:
			s.kprobes = ad.Uint32()
		case attrLoaded:
			s.loaded = time.Unix(0, int64(ad.Uint64()))
		}
	}
	return s, errors.WithStack(ad.Err())
}

func uint64s(b []byte) []uint64 {
	var values []uint64
	for ; len(b) >= 8; b = b[8:] {
		values = append(values, binary.NativeEndian.Uint64(b))
	}
	return values
}

func le32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
