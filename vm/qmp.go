// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"encoding/json"
	"fmt"
	"net"
	"sync"
)

// monitor is a client of QMP, qemu's machine protocol: a sequence of JSON objects, see
// docs/interop/qmp-spec.txt in qemu's source.
type monitor struct {
	conn    *net.UnixConn
	greeted chan struct{} // closed when qemu has started
	stopped chan struct{} // closed when the guest has stopped, though qemu still runs
	done    chan struct{} // closed when qemu has closed the connection

	mu  sync.Mutex
	why string // the reason why the guest has stopped, as qemu names it
}

// qmpMessage is a message from qemu: a greeting, an event, or the response to a command.
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

// internalError is qemu's reason when KVM fails.
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
			m.execute("query-status") // the response has the reason
		case s.Event == "SHUTDOWN": // qemu ends, too
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

// execute sends a command without arguments. Its effect is reported by events.
func (m *monitor) execute(command string) {
	fmt.Fprintf(m.conn, "{\"execute\":%q}\n", command)
}

// setReason stores the first reason, and reports whether it is the first.
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

// reason returns why the guest has stopped, "" if qemu hasn't reported it.
func (m *monitor) reason() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.why
}

// up reports whether qemu has started.
func (m *monitor) up() bool {
	select {
	case <-m.greeted:
		return true
	default:
		return false
	}
}
