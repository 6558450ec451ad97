// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"encoding/binary"
	"sort"
	"strings"

	"github.com/pkg/errors"
)

// A layout has the tables and ranges of a kernel that classify its functions.
type layout struct {
	stext, etext uint64
	refused      []textRange
	sites        map[uint64]bool // addresses of ftrace's calls
	exported     map[uint64]bool
	blacklist    map[uint64]bool // functions' addresses
	reserved     map[uint64]Refusal
}

// A textRange is a range of code that is refused for one reason.
type textRange struct {
	start, end uint64
	why        Refusal
}

// endbr is the length of the instruction that may precede ftrace's call.
const endbr = 4

// functions returns the functions among symbols, which ascend by address.
func (l *layout) functions(symbols []symbol) []Func {
	var list []Func
	for i := range symbols {
		s := &symbols[i]
		if !isFunction(s) {
			continue
		}
		f := Func{Name: s.name, Addr: s.addr, Offset: int64(s.addr - l.stext), Kind: s.kind, Refusal: l.refusal(s)}
		if f.Refusal == Probeable && (s.addr < l.stext || s.addr >= l.etext) {
			continue
		}
		for j := i + 1; j < len(symbols); j++ {
			if symbols[j].addr > s.addr {
				f.Size = uint32(min(symbols[j].addr-s.addr, 1<<31))
				break
			}
		}
		if f.Size == 0 { // a label at a section's end
			continue
		}
		f.Ftrace = l.sites[s.addr] || l.sites[s.addr+endbr]
		f.Exported = l.exported[s.addr]
		list = append(list, f)
	}
	return list
}

// isFunction reports whether a symbol is a function, and no label, padding or part of one.
func isFunction(s *symbol) bool {
	switch s.kind {
	case 't', 'T', 'w', 'W':
	default:
		return false
	}
	return !strings.HasPrefix(s.name, "__pfx_") && !strings.HasPrefix(s.name, "__cfi_") &&
		!strings.Contains(s.name, ".cold") && !strings.HasPrefix(s.name, ".") && !isMark(s.name)
}

// isMark reports whether name is a label of the linker script between
// functions.
func isMark(name string) bool {
	switch name {
	case "_stext", "_text", "_etext", "_sinittext", "_einittext":
		return true
	}
	return strings.HasPrefix(name, "__") &&
		(strings.HasSuffix(name, "_text_start") || strings.HasSuffix(name, "_text_end") ||
			strings.HasSuffix(name, "text_start") || strings.HasSuffix(name, "text_end"))
}

func (l *layout) refusal(s *symbol) Refusal {
	for _, r := range l.refused {
		if s.addr >= r.start && s.addr < r.end {
			return r.why
		}
	}
	if l.blacklist[s.addr] {
		return Blacklisted
	}
	if strings.HasPrefix(s.name, "__SCT__") {
		return Trampoline
	}
	if s.addr >= l.stext && s.addr < l.etext {
		return l.reserved[s.addr]
	}
	return Probeable
}

// refusedText are ranges of code that is refused, by the symbols around them.
var refusedText = []struct {
	start, end string
	why        Refusal
}{
	{"_sinittext", "_einittext", Init},
	{"__init_begin", "__init_end", Init}, // __exit too
	{"__noinstr_text_start", "__noinstr_text_end", Noinstr},
	{"__entry_text_start", "__entry_text_end", Entry},
	{"__kprobes_text_start", "__kprobes_text_end", Kprobes},
}

// newLayout finds the linker script's labels among the symbols. It returns their
// addresses, too.
func newLayout(symbols []symbol) (*layout, map[string]uint64, error) {
	marks := map[string]uint64{
		"_stext": 0, "_etext": 0,
		"__start_mcount_loc": 0, "__stop_mcount_loc": 0,
		"__start_kprobe_blacklist": 0, "__stop_kprobe_blacklist": 0,
	}
	for _, r := range refusedText {
		marks[r.start], marks[r.end] = 0, 0
	}
	for _, t := range codeTables {
		marks[t.start], marks[t.stop] = 0, 0
	}
	for i := range symbols {
		if _, ok := marks[symbols[i].name]; ok {
			marks[symbols[i].name] = symbols[i].addr
		}
	}
	l := &layout{stext: marks["_stext"], etext: marks["_etext"]}
	if l.stext == 0 || l.etext <= l.stext {
		return nil, nil, errors.New("no symbols _stext and _etext around the kernel's code")
	}
	for _, r := range refusedText {
		if marks[r.start] != 0 && marks[r.end] > marks[r.start] {
			l.refused = append(l.refused, textRange{marks[r.start], marks[r.end], r.why})
		}
	}
	return l, marks, nil
}

// imageLayout reads the layout out of a kernel image.
func imageLayout(im *image, symbols []symbol) (*layout, error) {
	l, marks, err := newLayout(symbols)
	if err != nil {
		return nil, errors.Wrap(err, "kernel image")
	}
	l.sites = addressSet(im.between(marks["__start_mcount_loc"], marks["__stop_mcount_loc"]))
	l.blacklist = addressSet(im.between(marks["__start_kprobe_blacklist"], marks["__stop_kprobe_blacklist"]))
	l.exported = exportedSet(im)
	l.reserved = map[uint64]Refusal{}
	for _, t := range codeTables {
		for table, at := im.between(marks[t.start], marks[t.stop]), marks[t.start]; uint64(len(table)) >= t.entry; table, at = table[t.entry:], at+t.entry {
			l.reserved[relative(at, table)] = t.refusal
		}
	}
	if len(l.blacklist) == 0 {
		return nil, errors.New("kernel image: no kprobes blacklist (was it built without CONFIG_KPROBES?)")
	}
	return l, nil
}

// addressSet reads an array of addresses.
func addressSet(data []byte) map[uint64]bool {
	set := make(map[uint64]bool, len(data)/8)
	for ; len(data) >= 8; data = data[8:] {
		set[binary.LittleEndian.Uint64(data)] = true
	}
	return set
}

// exportedSet reads the addresses out of arrays of the kernel's struct
// kernel_symbol: its value, name and namespace, each relative to itself.
func exportedSet(im *image) map[uint64]bool {
	set := map[uint64]bool{}
	for _, name := range []string{"__ksymtab", "__ksymtab_gpl"} {
		s := im.section(name)
		if s == nil {
			continue
		}
		for at := 0; at+12 <= len(s.data); at += 12 {
			set[s.addr+uint64(at)+uint64(int64(int32(binary.LittleEndian.Uint32(s.data[at:]))))] = true
		}
	}
	return set
}

// sortFuncs puts functions into the index's order.
func sortFuncs(list []Func) {
	sort.Slice(list, func(i, j int) bool {
		if list[i].Name != list[j].Name {
			return list[i].Name < list[j].Name
		}
		return list[i].Addr < list[j].Addr
	})
}
