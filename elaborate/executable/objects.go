// SPDX-License-Identifier: GPL-2.0-or-later

package executable

import (
	"debug/elf"

	"github.com/pkg/errors"
)

// Objects returns the addresses, as linked, of the variables that the symbol tables have of a name.
func (f *File) Objects(name string) ([]uint64, error) {
	found := map[uint64]bool{}
	for _, table := range []func() ([]elf.Symbol, error){f.elf.DynamicSymbols, f.elf.Symbols} {
		list, err := table()
		if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
			return nil, errors.WithStack(err)
		}
		for i := range list {
			if s := &list[i]; s.Name == name && elf.ST_TYPE(s.Info) == elf.STT_OBJECT && s.Section != elf.SHN_UNDEF {
				found[s.Value] = true
			}
		}
	}
	var addrs []uint64
	for addr := range found {
		addrs = append(addrs, addr)
	}
	return addrs, nil
}
