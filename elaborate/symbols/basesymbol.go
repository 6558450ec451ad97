// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"debug/elf"

	"github.com/pkg/errors"
)

// BaseSymbol returns a base symbol for a function that shares its name with others of the
// module, and the function's offset from it: the nearest symbol of the same section whose
// name is unique in the module. In a loaded module, only names identify symbols.
func (m *Module) BaseSymbol(f *Func) (name string, distance int64, err error) {
	file, err := readModule(m.Path)
	if err != nil {
		return "", 0, err
	}
	parsed, err := parseModule(file)
	if err != nil {
		return "", 0, err
	}
	counts := map[string]int{}
	var section elf.SectionIndex
	for _, s := range parsed.symbols {
		counts[s.Name]++
		if s.Name == f.Name && s.Value == f.Addr && elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			section = s.Section
		}
	}
	far := func(d int64) int64 { return max(d, -d) }
	for _, s := range parsed.symbols {
		if s.Section != section || elf.ST_TYPE(s.Info) != elf.STT_FUNC || counts[s.Name] != 1 {
			continue
		}
		if d := int64(f.Addr) - int64(s.Value); name == "" || far(d) < far(distance) {
			name, distance = s.Name, d
		}
	}
	if name == "" {
		return "", 0, errors.Errorf("%s: there is no symbol to tell where %s is", m.Path, f.Name)
	}
	return name, distance, nil
}
