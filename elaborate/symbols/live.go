// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"os"
	"sort"
	"strconv"
	"strings"

	"github.com/pkg/errors"

	"gostap/internal/buildid"
	"gostap/internal/kallsyms"
)

// openLive reads the running kernel, which takes root: /proc/kallsyms for the symbols,
// tracefs and debugfs for which of them can be probed.
func openLive(release string) (*Kernel, error) {
	notes, err := os.ReadFile("/sys/kernel/notes")
	if err != nil {
		return nil, errors.Wrap(err, "no kernel image in /boot, and the running kernel can't be asked")
	}
	buildID := buildid.Find(notes)
	if buildID == "" {
		return nil, errors.New("the running kernel has no build-id")
	}
	if k, err := openCached(release, buildID); err == nil {
		return k, nil
	}
	btf, err := os.ReadFile("/sys/kernel/btf/vmlinux")
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	symbols, err := liveSymbols()
	if err != nil {
		return nil, err
	}
	l, err := liveLayout(symbols)
	if err != nil {
		return nil, err
	}
	list := l.functions(symbols)
	sortFuncs(list)
	return write(release, buildID, encodeIndex(list, l.stext, len(btf)), btf)
}

// liveSymbols reads the kernel's own symbols, which come before its modules'.
func liveSymbols() ([]symbol, error) {
	f, err := os.Open(kallsyms.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var symbols []symbol
	err = kallsyms.Scan(f, func(s kallsyms.Symbol) bool {
		name, module := s.Name()
		if module == nil {
			symbols = append(symbols, symbol{s.Addr(), s.Kind(), string(name)})
		}
		return module == nil
	})
	if err != nil {
		return nil, err
	}
	if stext, _ := find(symbols, "_stext"); stext == 0 {
		return nil, errors.New(kallsyms.Path + " hides its addresses: run as root")
	}
	sort.SliceStable(symbols, func(i, j int) bool { return symbols[i].addr < symbols[j].addr })
	return symbols, nil
}

// liveLayout reads the layout from tracefs and debugfs.
func liveLayout(symbols []symbol) (*layout, error) {
	l, _, err := newLayout(symbols)
	if err != nil {
		return nil, errors.Wrap(err, kallsyms.Path)
	}
	l.sites, l.blacklist, l.exported = map[uint64]bool{}, map[uint64]bool{}, map[uint64]bool{}
	if probes, _ := find(symbols, "register_kprobe"); probes == 0 {
		return nil, errors.New("the running kernel has no kprobes (it was built without CONFIG_KPROBES); -r RELEASE is for another one")
	}
	// Without debugfs the blacklist is not known; the kernel refuses these functions when a probe is registered.
	blacklist, err := readKernelFS("debugfs", "/sys/kernel/debug", "kprobes/blacklist")
	if err != nil && !os.IsNotExist(err) {
		return nil, errors.Wrap(err, "the kprobes blacklist")
	}
	for line := range strings.Lines(string(blacklist)) {
		// 0xffffffff81000000-0xffffffff81000010	name
		start, rest, _ := strings.Cut(line, "-")
		if addr, err := strconv.ParseUint(strings.TrimPrefix(start, "0x"), 16, 64); err == nil && rest != "" {
			l.blacklist[addr] = true
		}
	}
	names, err := readTracefs("available_filter_functions", "what ftrace can trace")
	if err != nil {
		return nil, err
	}
	traced := map[string]bool{}
	for line := range strings.Lines(string(names)) {
		traced[strings.TrimSpace(line)] = true
	}
	exports := map[string]bool{}
	for i := range symbols {
		if name, ok := strings.CutPrefix(symbols[i].name, "__ksymtab_"); ok {
			exports[name] = true
		}
	}
	for i := range symbols {
		s := &symbols[i]
		if traced[s.name] {
			l.sites[s.addr] = true
		}
		if exports[s.name] {
			l.exported[s.addr] = true
		}
	}
	return l, nil
}
