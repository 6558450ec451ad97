// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"context"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"

	"gostap/internal/panics"
	"gostap/live"
	"gostap/manifest"
)

// RunHost runs a program of the host runtime: the script as an ordinary process, which writes its
// records to file descriptor 3.
func RunHost(ctx context.Context, cfg Config) (Result, error) {
	m, err := ReadManifest(cfg.Module)
	if err != nil {
		return Result{ExitCode: 1}, err
	}
	cfg.Globals = cfg.globals(m)
	supervisor, release := newSupervisor(ctx, &cfg)
	defer release()
	h := &hostRun{supervisor: supervisor, done: make(chan struct{}), started: time.Now(), views: map[uint32][]byte{}}
	if h.out, err = newOutput(&cfg, m, new(clock), nil, nil); err != nil {
		return Result{ExitCode: 1}, err
	}
	h.out.fail = h.outputFailed
	h.out.system = h.systemCommands.run
	return h.run(m)
}

// A hostRun is the run of a program of the host runtime.
type hostRun struct {
	*supervisor
	process *exec.Cmd
	done    chan struct{} // closed when the program has written all records
	records uint64        // number of records read
	started time.Time
	views   map[uint32][]byte // rows of globals and of probes, sent when the program ends
	stats   *hostStats        // nil until its record has been read
	err     error             // of reading
}

// hostStats is the payload of a GS_REC_STATS.
type hostStats struct {
	state, unarmed        uint32
	errors, lost, written uint64
	skipped               [nSkip]uint64
}

func (h *hostRun) run(m *manifest.Manifest) (result Result, err error) {
	result.ExitCode = 1
	defer func() {
		if !h.waitForCommands() {
			result.ExitCode = 1
		}
	}()
	if h.cfg.Command != "" {
		if h.command, err = startCommand(h.cfg.Command, h.cfg.commandOutput()); err != nil {
			return result, err
		}
		defer h.command.cancel()
		h.cfg.Target = h.command.pid()
	}
	records, err := h.spawn()
	if err != nil {
		return result, err
	}
	go h.read(records)
	if h.command != nil {
		h.command.release()
	}
	h.waitForEnd(h.done)
	h.interrupt()
	if !h.await(h.done) {
		h.process.Process.Kill()
		return result, errAbandoned
	}
	waitErr := h.process.Wait()
	switch {
	case h.err != nil:
		err = h.err
	case waitErr != nil:
		err = errors.Errorf("the script's program: %v", waitErr)
	case h.stats == nil && h.out.failed == nil:
		err = errors.New("the script's program has ended without its last record")
	}
	if h.cfg.Final != nil {
		h.cfg.Final(h.snapshot(m))
	}
	result.Stats = h.report()
	if !h.messages.failed() && err == nil {
		result.ExitCode = 0
	}
	return result, err
}

// spawn starts the program and returns the end of its pipe.
func (h *hostRun) spawn() (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, errors.WithStack(err)
	}
	defer w.Close()
	var args []string
	if h.cfg.Target != 0 {
		args = append(args, "-x", strconv.Itoa(h.cfg.Target))
	}
	for _, g := range h.cfg.Globals {
		args = append(args, "-G", g)
	}
	h.process = exec.Command(h.cfg.Module, args...)
	h.process.Stderr = h.messages.stderr()
	h.process.ExtraFiles = []*os.File{w}
	if err := h.process.Start(); err != nil {
		r.Close()
		return nil, errors.Wrap(err, "starting the script's program")
	}
	return r, nil
}

// interrupt sends SIGINT to the program when it catches the signal: before, the signal would end it
// without its end probes.
func (h *hostRun) interrupt() {
	status := "/proc/" + strconv.Itoa(h.process.Process.Pid) + "/status"
	for deadline := time.Now().Add(abandonPatience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		_, caught, found := strings.Cut(readTrimmed(status), "SigCgt:\t")
		mask, _, _ := strings.Cut(caught, "\n")
		if signals, err := strconv.ParseUint(mask, 16, 64); !found || err != nil || signals>>(unix.SIGINT-1)&1 != 0 {
			break
		}
	}
	h.process.Process.Signal(unix.SIGINT)
}

// read reads records until the program closes its end. If the output fails, read closes the pipe, so
// that the program does not block.
func (h *hostRun) read(r *os.File) {
	defer close(h.done)
	defer panics.Catch(&h.err)
	defer r.Close()
	buf := make([]byte, 256<<10)
	filled := 0
	for h.out.failed == nil {
		n, err := r.Read(buf[filled:])
		filled += n
		taken, ok := h.take(buf[:filled])
		if !ok {
			h.err = errors.New("the script's program has written something that is no record")
			break
		}
		filled = copy(buf, buf[taken:filled])
		if filled == len(buf) {
			buf = append(buf, make([]byte, len(buf))...)
		}
		h.out.flush()
		if err == io.EOF {
			break
		}
		if err != nil {
			h.err = errors.WithStack(err)
			break
		}
	}
	h.out.flush()
}

// take handles the complete records at the beginning of data and returns their size.
func (h *hostRun) take(data []byte) (taken int, ok bool) {
	for len(data)-taken >= recordSize {
		r := (*record)(unsafe.Pointer(&data[taken]))
		if r.len < recordSize || r.len > 1<<30 {
			return taken, false
		}
		size := (int(r.len) + 7) &^ 7
		if size > len(data)-taken {
			break
		}
		payload := data[taken+recordSize : taken+int(r.len)]
		taken += size
		switch r.kind {
		case recMessage:
			if len(payload) < 4 {
				return taken, false
			}
			h.message(hostMessage(payload))
		case recView:
			if len(payload) < 4 {
				return taken, false
			}
			h.views[le32(payload)] = append(h.views[le32(payload)], payload[4:]...)
		case recStats:
			if len(payload) < int(unsafe.Sizeof(hostStats{})) {
				return taken, false
			}
			stats := *(*hostStats)(unsafe.Pointer(&payload[0]))
			h.stats = &stats
			continue // not included in the count of records
		default:
			h.out.record(0, r, payload)
		}
		h.records++
	}
	return taken, true
}

// hostMessage reads the payload of a GS_REC_MESSAGE.
func hostMessage(payload []byte) message {
	m := message{kind: le32(payload)}
	payload = payload[4:]
	for _, s := range []*string{&m.text, &m.near, &m.point} {
		if len(payload) < 2 {
			break
		}
		end := min(2+int(binary.LittleEndian.Uint16(payload)), len(payload))
		*s = string(payload[2:end])
		payload = payload[end:]
	}
	return m
}

// snapshot returns the final state of the program's globals.
func (h *hostRun) snapshot(m *manifest.Manifest) *live.Snapshot {
	s := &live.Snapshot{Time: time.Now(), State: live.State{Script: h.cfg.Script, Started: h.started, Records: h.records}}
	if h.stats != nil {
		s.State.Lost, s.State.Errors, s.State.Skipped = h.stats.lost, h.stats.errors, sum(h.stats.skipped[:])
	}
	for i, v := range m.Views {
		g := describeGlobal(v)
		if !appendRows(&g, v, h.views[uint32(i)]) {
			g.Error = "the program's answer makes no sense"
		}
		s.Globals = append(s.Globals, g)
	}
	s.Probes, _ = appendProbes(nil, m.Probes, h.views[viewProbes])
	return s
}

// report warns of everything that went wrong, and returns the session's figures.
func (h *hostRun) report() Stats {
	if h.stats == nil {
		return Stats{Records: h.records}
	}
	f := figures{
		messages: h.messages,
		lost:     []uint64{h.stats.lost},
		bad:      h.out.bad,
		skipped:  h.stats.skipped[:],
		unarmed:  h.stats.unarmed,
		errors:   h.stats.errors,
	}
	if h.records < h.stats.written && h.out.failed == nil {
		f.missing = []uint64{h.stats.written - h.records}
	}
	return Stats{
		Records: h.records,
		Written: []uint64{h.stats.written},
		Lost:    f.lost,
		Errors:  f.errors,
		Skipped: f.report(),
		Unarmed: f.unarmed,
	}
}
