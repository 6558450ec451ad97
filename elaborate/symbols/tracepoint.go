// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"sort"
	"strings"

	"gostap/internal/glob"
	"gostap/translator/suggest"
)

// A Tracepoint is one of the kernel's tracepoints.
type Tracepoint struct {
	System string // "sched"; "" for the few without a trace event
	Name   string // "sched_switch"
	Offset int64  // of its struct tracepoint, from _stext; 0 in modules
	Module string // the module that it is in; "" for the kernel itself
}

// tracepointPrefix is the prefix of the symbol of a struct tracepoint.
const tracepointPrefix = "__tracepoint_"

// Symbol is the name of its struct tracepoint.
func (t *Tracepoint) Symbol() string { return tracepointPrefix + t.Name }

// String is system:name, or only the name.
func (t *Tracepoint) String() string {
	if t.System == "" {
		return t.Name
	}
	return t.System + ":" + t.Name
}

// Tracepoints returns those of the kernel itself, by system and name.
func (k *Kernel) Tracepoints() ([]Tracepoint, error) {
	data, err := k.extra(tracepointsFile)
	if err != nil {
		return nil, err
	}
	return parseTracepoints(data)
}

// parseTracepoints decodes the data of encodeTracepoints.
func parseTracepoints(data []byte) ([]Tracepoint, error) {
	var list []Tracepoint
	for line := range strings.Lines(string(data)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), " ")
		if len(fields) != 3 {
			return nil, errIndex
		}
		list = append(list, Tracepoint{System: fields[0], Name: fields[1], Offset: parseHex(fields[2])})
	}
	return list, nil
}

// MatchTracepoints returns those that pattern, "name" or "system:name", both
// with wildcards, stands for.
func MatchTracepoints(list []Tracepoint, pattern string) []Tracepoint {
	system, name, both := strings.Cut(pattern, ":")
	if !both {
		system, name = "*", pattern
	}
	var found []Tracepoint
	for _, t := range list {
		if glob.Match(system, t.System) && glob.Match(name, t.Name) {
			found = append(found, t)
		}
	}
	return found
}

// NearestTracepoints returns at most n spellings, with the system if pattern
// has one, of which pattern may be a misspelling.
func NearestTracepoints(list []Tracepoint, pattern string, n int) []string {
	var known []string
	for i := range list {
		if strings.Contains(pattern, ":") {
			known = append(known, list[i].String())
		} else {
			known = append(known, list[i].Name)
		}
	}
	return suggest.Nearest(pattern, known, n)
}

// A tracepoint is a tracepoint with its address.
type tracepoint struct {
	system, name string
	addr         uint64
}

// Offsets of the class and the tracepoint in struct trace_event_call, and of the
// system's name in struct trace_event_class, since Linux 3.15.
const (
	callClass      = 16
	callTracepoint = 24
	classSystem    = 0
)

// imageTracepoints returns the tracepoints of a kernel image: every struct
// tracepoint begins with its name. The systems are those of their
// trace events.
func imageTracepoints(im *image, symbols []symbol) []tracepoint {
	var list []tracepoint
	at := map[uint64]int{} // in list
	var start, stop uint64
	for i := range symbols {
		s := &symbols[i]
		switch s.name {
		case "__start_ftrace_events":
			start = s.addr
		case "__stop_ftrace_events":
			stop = s.addr
		}
		name, ok := strings.CutPrefix(s.name, tracepointPrefix)
		if !ok || im.text(im.pointer(s.addr)) != name {
			continue
		}
		at[s.addr] = len(list)
		list = append(list, tracepoint{name: name, addr: s.addr})
	}
	for calls := im.between(start, stop); len(calls) >= 8; calls = calls[8:] {
		call := binary.LittleEndian.Uint64(calls)
		if i, ok := at[im.pointer(call+callTracepoint)]; ok {
			list[i].system = im.text(im.pointer(im.pointer(call+callClass) + classSystem))
		}
	}
	return list
}

// pointer returns the 8 bytes at addr, 0 if there are none.
func (im *image) pointer(addr uint64) uint64 {
	data := im.at(addr)
	if len(data) < 8 {
		return 0
	}
	return binary.LittleEndian.Uint64(data)
}

// text returns the name at addr, "" if there is none.
func (im *image) text(addr uint64) string {
	data := im.at(addr)
	n := bytes.IndexByte(data[:min(len(data), 256)], 0)
	if n <= 0 || bytes.ContainsAny(data[:n], " \n") {
		return ""
	}
	return string(data[:n])
}

// liveTracepoints takes the systems from tracefs: trace events have the names of their
// tracepoints, except for a few that share one.
func liveTracepoints(symbols []symbol) ([]tracepoint, error) {
	events, err := readTracefs("available_events", "the kernel's trace events")
	if err != nil {
		return nil, err
	}
	systems := map[string]string{}
	for line := range strings.Lines(string(events)) {
		system, name, _ := strings.Cut(strings.TrimSpace(line), ":")
		systems[name] = system
	}
	var list []tracepoint
	for i := range symbols {
		if name, ok := strings.CutPrefix(symbols[i].name, tracepointPrefix); ok && strings.ContainsRune("dDbB", rune(symbols[i].kind)) {
			list = append(list, tracepoint{systems[name], name, symbols[i].addr})
		}
	}
	return list, nil
}

func encodeTracepoints(list []tracepoint, stext uint64) []byte {
	sort.Slice(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		if a.system != b.system {
			return a.system < b.system
		}
		return a.name < b.name
	})
	var out []byte
	for i := range list {
		out = fmt.Appendf(out, "%s %s %x\n", list[i].system, list[i].name, int64(list[i].addr-stext))
	}
	return out
}
