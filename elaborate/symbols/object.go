// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"bytes"
	"fmt"
	"strings"

	"gostap/translator/suggest"
)

// An Object is a symbol that is no function: mostly a variable.
type Object struct {
	Name   string
	Offset int64  // from _stext
	Size   uint32 // to the next symbol
	Kind   byte   // as nm(1) has it
	PerCPU bool   // each CPU has its own; Offset may then be an address
}

// Init reports whether o's memory is freed once the kernel has booted.
func (o *Object) Init() bool { return o.Kind == initKind }

// initKind is added to the kind of Objects in the init sections.
const initKind = 'i'

// Objects returns all objects called name.
func (k *Kernel) Objects(name string) ([]Object, error) {
	data, err := k.extra(objectsFile)
	if err != nil {
		return nil, err
	}
	var list []Object
	key := []byte("\n" + name + " ")
	for from := 0; ; {
		i := bytes.Index(data[from:], key)
		if i < 0 {
			return list, nil
		}
		from += i + 1
		line, _, _ := bytes.Cut(data[from:], []byte("\n"))
		if o, ok := parseObject(string(line)); ok {
			list = append(list, o)
		}
	}
}

// NearestObjects returns at most n names that name may be a misspelling of.
func (k *Kernel) NearestObjects(name string, n int) []string {
	return suggest.Nearest(name, k.ObjectNames(""), n)
}

// ObjectNames returns the names that begin with prefix, in the order of their addresses.
func (k *Kernel) ObjectNames(prefix string) []string {
	data, err := k.extra(objectsFile)
	if err != nil {
		return nil
	}
	var names []string
	for line := range strings.Lines(string(data)) {
		if o, ok := parseObject(strings.TrimSuffix(line, "\n")); ok && strings.HasPrefix(o.Name, prefix) {
			names = append(names, o.Name)
		}
	}
	return names
}

// parseObject reads "name kind offset size", where a per-CPU object's kind is
// followed by a p.
func parseObject(line string) (o Object, ok bool) {
	fields := strings.Split(line, " ")
	if len(fields) != 4 || fields[1] == "" {
		return o, false
	}
	return Object{
		Name:   fields[0],
		Kind:   fields[1][0],
		PerCPU: strings.HasSuffix(fields[1], "p"),
		Offset: parseHex(fields[2]),
		Size:   uint32(parseHex(fields[3])),
	}, true
}

// encodeObjects writes the symbols that are no functions, which ascend by address.
// The first line is empty, so that each name follows a newline.
func encodeObjects(symbols []symbol, stext uint64) []byte {
	a := areasOf(symbols)
	out := []byte("\n")
	for i := range symbols {
		s := &symbols[i]
		if !a.isObject(s) || strings.ContainsAny(s.name, " \n") {
			continue
		}
		size := uint64(0)
		for j := i + 1; j < len(symbols) && size == 0; j++ {
			size = min(symbols[j].addr-s.addr, 1<<31)
		}
		kind, offset := string(s.kind), int64(s.addr-stext)
		switch {
		case s.addr>>63 == 0:
			kind, offset = kind+"p", int64(s.addr)
		case s.addr >= a.percpu.start && s.addr < a.percpu.end:
			kind += "p"
		case s.addr >= a.init.start && s.addr < a.init.end:
			kind = string(initKind)
		}
		if size > 0 {
			out = fmt.Appendf(out, "%s %s %x %x\n", s.name, kind, offset, size)
		}
	}
	return out
}

// areas are the ranges of the kernel's symbols that are no ordinary data. Since 6.15 the per-CPU variables are linked among the
// initialization data; before, from address 0 on.
type areas struct {
	text, initText, init, percpu textRange
}

func areasOf(symbols []symbol) *areas {
	between := func(from, to string) textRange {
		start, _ := find(symbols, from)
		end, _ := find(symbols, to)
		return textRange{start: start, end: end}
	}
	return &areas{between("_stext", "_etext"), between("_sinittext", "_einittext"), between("__init_begin", "__init_end"),
		between("__per_cpu_start", "__per_cpu_end")}
}

// isObject reports whether a symbol is an object, and no function. Symbols among the data are objects, even if nm has them as
// code, as those of read-mostly data in 7.2.
func (a *areas) isObject(s *symbol) bool {
	if strings.ContainsRune("tTwW", rune(s.kind)) {
		return s.addr >= a.text.end && (s.addr < a.init.start || s.addr >= a.init.end) && (s.addr < a.initText.start || s.addr >= a.initText.end)
	}
	return strings.ContainsRune("dDbBrRvVaA", rune(s.kind))
}

// PerCPU reports whether a per-CPU variable is linked at addr.
func (k *Kernel) PerCPU(addr uint64) bool {
	if addr>>63 == 0 {
		return true
	}
	start, err1 := k.Objects("__per_cpu_start")
	end, err2 := k.Objects("__per_cpu_end")
	offset := int64(addr - k.Text())
	return err1 == nil && err2 == nil && len(start) == 1 && len(end) == 1 && start[0].Offset <= offset && offset < end[0].Offset
}
