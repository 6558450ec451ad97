// SPDX-License-Identifier: GPL-2.0-or-later

package image

import (
	"go/version"

	"gostap/elaborate/btf"
	"gostap/translator/program"
)

// goroutines are the offsets of a goroutine's number in the runtime's structs, by Go's version (src/runtime/runtime2.go).
var goroutines = map[string]program.Goroutine{
	"go1.22": {ID: 152, Current: 192},
	"go1.23": {ID: 160, Current: 192},
	"go1.24": {ID: 160, Current: 192},
	"go1.25": {ID: 152, Current: 184},
	"go1.26": {ID: 152, Current: 184},
}

// readGoroutine returns the offsets of a goroutine's number: for versions that are not in the table, from debuginfo.
// Zero if they are not known, or it is no Go program.
func (p *Program) readGoroutine() (at program.Goroutine) {
	if !p.IsGo {
		return at
	}
	if known, ok := goroutines[version.Lang(p.GoVersion())]; ok {
		return known
	}
	return p.describedGoroutine()
}

// describedGoroutine returns the same by debuginfo.
func (p *Program) describedGoroutine() (at program.Goroutine) {
	info, err := p.debuginfo.local()
	if err != nil {
		return at
	}
	types := info.Types()
	offset := func(name, member string) int64 {
		for _, id := range types.Find(name, btf.Struct) {
			if m, ok := types.Member(id, member); ok {
				return m.Offset / 8
			}
		}
		return 0
	}
	at.ID, at.Current = offset("runtime.g", "goid"), offset("runtime.m", "curg")
	if at.ID == 0 || at.Current == 0 {
		return program.Goroutine{}
	}
	return at
}
