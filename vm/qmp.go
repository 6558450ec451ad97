// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"encoding/json"
	"fmt"
	"net"
	"sync"
)

// monitor listens to qemu by QMP, its machine protocol: one JSON object after the other, docs/interop/qmp-spec.txt in qemu's source.
type monitor struct {
	conn    *net.UnixConn
	greeted chan struct{} // closed when qemu has come up
	stopped chan struct{} // closed when the guest no longer runs, though qemu goes on
	done    chan struct{} // closed when qemu has hung up

	mu  sync.Mutex
	why string // the guest no longer runs, in qemu's words
}

// qmpMessage is what qemu sends: a greeting, an event, or the answer to a command.
type qmpMessage struct {
	QMP   *struct{}
	Event string
	Data  struct {
		Reason string // of SHUTDOWN and RESET
	}
	Return struct {
		Status  string // of query-status
		Running bool
	}
}

// internalError is qemu's reason where KVM gives up.
const internalError = "internal-error"

func newMonitor(conn *net.UnixConn) *monitor {
	m := &monitor{conn: conn, greeted: make(chan struct{}), stopped: make(chan struct{}), done: make(chan struct{})}
	go m.listen()
	return m
}

func (m *monitor) listen() {
	defer close(m.done)
	for d := json.NewDecoder(m.conn); ; {
		var s qmpMessage
		if d.Decode(&s) != nil {
			return
		}
		switch {
		case s.QMP != nil:
			m.execute("qmp_capabilities")
			m.execute("query-status") // it may have stopped already
			close(m.greeted)
		case s.Event == "STOP":
			m.execute("query-status") // says why
		case s.Event == "SHUTDOWN": // and qemu ends
			m.setReason(s.Data.Reason)
		case s.Event == "RESET":
			m.stop("it has been reset, " + s.Data.Reason)
		case s.Event == "GUEST_PANICKED":
			m.stop("its kernel has panicked")
		case s.Return.Status == "" || s.Return.Running || s.Return.Status == "prelaunch":
		default:
			m.stop(s.Return.Status)
		}
	}
}

// execute asks for a command without arguments. Whether qemu obeys is heard from the events, or isn't.
func (m *monitor) execute(command string) {
	fmt.Fprintf(m.conn, "{\"execute\":%q}\n", command)
}

// setReason keeps the first reason, and reports whether this is it.
func (m *monitor) setReason(why string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.why != "" {
		return false
	}
	m.why = why
	return true
}

func (m *monitor) stop(why string) {
	if m.setReason(why) {
		close(m.stopped)
	}
}

// reason returns why the guest no longer runs, "" if qemu hasn't said it.
func (m *monitor) reason() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.why
}

// up reports whether qemu has come up.
func (m *monitor) up() bool {
	select {
	case <-m.greeted:
		return true
	default:
		return false
	}
}
