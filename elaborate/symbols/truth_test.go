// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"gostap/elaborate/internal/testkernel"
	"gostap/vm"
)

// TestTruth boots each kernel and compares the index with the running kernel.
func TestTruth(t *testing.T) {
	for _, release := range testkernel.Releases(t) {
		t.Run(release, func(t *testing.T) { truth(t, release) })
	}
}

const ask = `
mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
cat /proc/kallsyms; echo ==
cat /sys/kernel/debug/kprobes/blacklist; echo ==
cat /sys/kernel/tracing/available_filter_functions`

func truth(t *testing.T, release string) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	status, err := vm.Run(ctx, vm.Config{Release: release, Args: []string{"sh", "-c", ask}, Stdout: &out, Stderr: &errs})
	if err != nil || status != 0 {
		t.Fatalf("micro-VM: status %d, %v\n%s", status, err, &errs)
	}
	answers := strings.Split(out.String(), "==\n")
	if len(answers) != 3 {
		t.Fatalf("micro-VM: %d answers", len(answers))
	}
	k, err := Open(release)
	if err != nil {
		t.Fatal(err)
	}

	// Addresses. The guest's functions by name and offset from its _stext.
	type place struct {
		name   string
		offset int64
	}
	theirs := map[place]bool{}
	byAddr := map[uint64]string{}
	var stext, etext uint64
	guest := parseKallsyms(t, answers[0])
	for i := range guest {
		switch guest[i].name {
		case "_stext":
			stext = guest[i].addr
		case "_etext":
			etext = guest[i].addr
		}
	}
	for i := range guest {
		s := &guest[i]
		theirs[place{s.name, int64(s.addr - stext)}] = true
		byAddr[s.addr] = s.name
	}
	mine := map[place]bool{}
	sites := map[string]int{}
	refused := map[uint64]bool{}
	for i := range k.Count() {
		f := k.Func(i)
		mine[place{f.Name, f.Offset}] = true
		if !theirs[place{f.Name, f.Offset}] {
			t.Errorf("%s: the guest has no such function at _stext%+d", f.Name, f.Offset)
		}
		if f.Ftrace && f.Refusal != Init {
			sites[f.Name]++
		}
		switch f.Refusal {
		case Blacklisted, Noinstr, Entry, Kprobes:
			refused[stext+uint64(f.Offset)] = true
		}
	}
	left := 0
	for i := range guest {
		s := &guest[i]
		if s.addr >= stext && s.addr < etext && isFunction(s) && !mine[place{s.name, int64(s.addr - stext)}] {
			left++
			t.Errorf("the index lacks %s", s.name)
		}
	}

	// The blacklist, by address: 0xSTART-0xEND name
	listed, unlisted := 0, 0
	blacklist := map[uint64]bool{}
	for line := range strings.Lines(answers[1]) {
		start, _, _ := strings.Cut(strings.TrimPrefix(line, "0x"), "-")
		addr, err := strconv.ParseUint(start, 16, 64)
		if err != nil {
			t.Fatalf("blacklist: %q", line)
		}
		blacklist[addr] = true
		if refused[addr] {
			listed++
		} else if s := (symbol{addr, 't', byAddr[addr]}); isFunction(&s) && addr < etext {
			unlisted++
			t.Errorf("%s is on the guest's blacklist, but not refused", byAddr[addr])
		}
	}
	extra := 0
	for addr := range refused {
		if !blacklist[addr] {
			extra++
			t.Errorf("%s is refused, but not on the guest's blacklist", byAddr[addr])
		}
	}

	// What ftrace can trace, by name; some names occur more than once.
	traced := map[string]int{}
	agree, total := 0, 0
	for line := range strings.Lines(answers[2]) {
		name := strings.Fields(line)[0]
		if strings.Contains(line, "[") || strings.HasPrefix(name, "__ftrace_invalid_address") {
			continue // a module's; a weak function that was overridden
		}
		traced[name]++
	}
	for name, n := range traced {
		total += n
		agree += min(n, sites[name])
		if sites[name] < n {
			t.Errorf("ftrace: %s: %d in the guest, %d in the index", name, n, sites[name])
		}
	}
	// The guest lists one name for an address, the index has all.
	more := 0
	for name, n := range sites {
		more += max(0, n-traced[name])
	}
	if more > total/100 {
		t.Errorf("ftrace: the index has %d more than the guest's %d", more, total)
	}
	t.Logf("%d functions agree, %d left out; blacklist: %d agree, %d missed, %d more; ftrace: %d of %d agree, %d second names",
		len(mine), left, listed, unlisted, extra, agree, total, more)
}

func parseKallsyms(t *testing.T, text string) []symbol {
	var list []symbol
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) != 3 { // a module's, from here on
			break
		}
		addr, err := strconv.ParseUint(fields[0], 16, 64)
		if err != nil {
			t.Fatalf("kallsyms: %q", line)
		}
		list = append(list, symbol{addr, fields[1][0], fields[2]})
	}
	return list
}
