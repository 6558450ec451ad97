// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"encoding/binary"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"

	"gostap/live"
	"gostap/manifest"
)

// A liveSession implements live.Session for a session in the kernel.
type liveSession struct {
	session *session
	mu      sync.Mutex // held while the file is used, which is closed with the session
	file    *starter   // nil when the session has ended
	buffer  []byte
}

// errOver is the error after the session has ended.
var errOver = errors.New("the session has ended")

// watch calls Config.Watch with the session; the function that it returns ends the access.
func (s *session) watch() (end func(), err error) {
	if s.cfg.Watch == nil || s.stats.state != stateRunning {
		return func() {}, nil
	}
	if len(s.manifest.Probes) == 0 {
		return nil, errors.New("the module was built without --serve, --monitor or --otlp: nothing of it can be looked at while it runs")
	}
	l, err := s.look()
	if err != nil {
		return nil, err
	}
	done := s.cfg.Watch(l)
	return func() {
		done()
		l.close()
	}, nil
}

// look returns access to the session.
func (s *session) look() (*liveSession, error) {
	file, err := openStarter(s.mod.name)
	if err != nil {
		return nil, err
	}
	return &liveSession{session: s, file: file, buffer: make([]byte, viewMax)}, nil
}

func (l *liveSession) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.file.close()
	l.file = nil
}

// final calls Config.Final with the globals' final values.
func (s *session) final() {
	if s.cfg.Final == nil {
		return
	}
	var snapshot *live.Snapshot
	l, err := s.look()
	if err == nil {
		snapshot, err = l.Snapshot()
		l.close()
	}
	if err != nil {
		s.messages.warning("the globals could not be read at the end: %v", err)
	}
	s.cfg.Final(snapshot)
}

// Snapshot implements live.Session. A global that can't be read has an error.
func (l *liveSession) Snapshot() (*live.Snapshot, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil, errOver
	}
	stats, err := l.session.control.stats()
	if err != nil {
		return nil, errors.Wrap(err, "looking at the session")
	}
	m := l.session.manifest
	snapshot := &live.Snapshot{Time: time.Now(), State: live.State{
		Module: l.session.mod.name, Script: l.session.cfg.Script, Started: stats.loaded, Running: stats.state == stateRunning,
		Memory: stats.memory, Records: sum(stats.written), Lost: sum(stats.lost), Errors: stats.errors, Skipped: sum(stats.skipped),
	}}
	for i, v := range m.Views {
		snapshot.Globals = append(snapshot.Globals, l.global(uint32(i), v))
	}
	snapshot.Probes, err = l.probes(m.Probes)
	return snapshot, err
}

func sum(list []uint64) (n uint64) {
	for _, v := range list {
		n += v
	}
	return n
}

// Reset implements live.Session.
func (l *liveSession) Reset() error { return l.ioctl(iocReset, 0) }

// Switch implements live.Session.
func (l *liveSession) Switch(probe int, on bool) error {
	arg := uintptr(probe) * 2
	if !on {
		arg++
	}
	return l.ioctl(iocSwitch, arg)
}

func (l *liveSession) ioctl(request, arg uintptr) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return errOver
	}
	return errors.WithStack(ioctl(int(l.file.file.Fd()), request, arg))
}

// read calls take with the rows of a view, in several parts. take reports whether it could decode all
// of its argument.
func (l *liveSession) read(view uint32, take func(rows []byte) bool) error {
	args := viewRead{view: view, to: uint64(uintptr(unsafe.Pointer(unsafe.SliceData(l.buffer))))}
	for args.from != viewEnd {
		args.size = uint32(len(l.buffer))
		err := ioctl(int(l.file.file.Fd()), iocView, uintptr(unsafe.Pointer(&args)))
		runtime.KeepAlive(l.buffer)
		switch {
		case errors.Is(err, unix.EAGAIN):
			return errors.New("handlers have it all the time")
		case errors.Is(err, unix.EMSGSIZE):
			return errors.New("an element is larger than what can be read at once")
		case err != nil:
			return errors.WithStack(err)
		}
		if int(args.size) > len(l.buffer) || !take(l.buffer[:args.size]) {
			return errors.New("the module's answer makes no sense")
		}
	}
	return nil
}

func (l *liveSession) probes(list []manifest.Probe) ([]live.Probe, error) {
	var probes []live.Probe
	err := l.read(viewProbes, func(rows []byte) (ok bool) {
		probes, ok = appendProbes(probes, list, rows)
		return ok
	})
	return probes, err
}

// appendProbes appends the next probes of list, whose figures are in rows.
func appendProbes(probes []live.Probe, list []manifest.Probe, rows []byte) ([]live.Probe, bool) {
	const size = int(unsafe.Sizeof(probeFigures{}))
	for ; len(rows) >= size && len(probes) < len(list); rows = rows[size:] {
		m, v := list[len(probes)], uint64s(rows[:size])
		f := probeFigures{hits: v[0], total: v[1], min: v[2], max: v[3], off: v[4]}
		p := live.Probe{Name: m.Name, At: m.At, Points: m.Points, On: f.off == 0, Hits: f.hits, Cycles: f.total, Max: f.max}
		if f.hits > 0 {
			p.Min, p.Avg = f.min, f.total/f.hits
		}
		probes = append(probes, p)
	}
	return probes, len(rows) == 0
}

// global reads a global.
func (l *liveSession) global(view uint32, v manifest.View) live.Global {
	g := describeGlobal(v)
	if err := l.read(view, func(rows []byte) bool { return appendRows(&g, v, rows) }); err != nil {
		g.Rows, g.Error = []live.Row{}, err.Error()
	}
	return g
}

// describeGlobal returns a global without its rows.
func describeGlobal(v manifest.View) live.Global {
	g := live.Global{Name: v.Name, Kind: kindOf(v.Value), Rows: []live.Row{}}
	for _, k := range v.Keys {
		g.Keys = append(g.Keys, kindOf(string(k)))
	}
	for i := range v.Hists {
		g.Hists = append(g.Hists, liveHist(&v.Hists[i]))
	}
	return g
}

func liveHist(h *manifest.Hist) live.Hist {
	return live.Hist{Linear: h.Linear, Low: h.Low, High: h.High, Interval: h.Interval}
}

// appendRows appends rows in the format of GS_IOC_VIEW.
func appendRows(g *live.Global, v manifest.View, rows []byte) bool {
	d := &rowDecoder{rows: rows}
	for len(d.rows) > 0 && !d.bad {
		g.Rows = append(g.Rows, d.row(v))
	}
	return !d.bad
}

func kindOf(letter string) string {
	switch letter {
	case "l":
		return live.Long
	case "s":
		return live.String
	}
	return live.Statistics
}

// A rowDecoder decodes rows in the format of GS_IOC_VIEW.
type rowDecoder struct {
	rows []byte
	bad  bool // the rows are truncated
}

func (d *rowDecoder) row(v manifest.View) live.Row {
	var r live.Row
	for _, k := range v.Keys {
		r.Keys = append(r.Keys, d.value(string(k)))
	}
	if v.Value != "" {
		r.Value = d.value(v.Value)
		return r
	}
	s := &live.Stats{Count: d.long(), Sum: d.long()}
	figure := func(there bool) *int64 {
		if !there {
			return nil
		}
		n := d.long()
		if s.Count == 0 {
			return nil
		}
		return &n
	}
	s.Min = figure(v.Min)
	s.Max = figure(v.Max)
	for i := range v.Hists {
		s.Hists = append(s.Hists, d.longs(v.Hists[i].Buckets()))
	}
	r.Value = live.Value{Kind: live.Statistics, Stats: s}
	return r
}

func (d *rowDecoder) value(letter string) live.Value {
	if letter == "s" {
		return live.Value{Kind: live.String, Text: d.text()}
	}
	return live.Value{Kind: live.Long, Number: d.long()}
}

// take returns the next n bytes, zeros if they are missing.
func (d *rowDecoder) take(n int) []byte {
	if n > len(d.rows) {
		d.rows, d.bad = nil, true
		return make([]byte, n)
	}
	b := d.rows[:n]
	d.rows = d.rows[n:]
	return b
}

func (d *rowDecoder) long() int64 { return int64(binary.NativeEndian.Uint64(d.take(8))) }

func (d *rowDecoder) longs(n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = d.long()
	}
	return list
}

func (d *rowDecoder) text() string {
	return string(d.take(int(binary.NativeEndian.Uint16(d.take(2)))))
}
