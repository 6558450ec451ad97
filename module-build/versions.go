// SPDX-License-Identifier: GPL-2.0-or-later

package modulebuild

import (
	"context"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pkg/errors"
)

// versions makes an object with the versions of those kernel symbols that the script's objects refer to and the runtime
// doesn't; none where there are no such. In section __versions are, for each, the CRC in 8 bytes and the name in 56.
func (rt *kernelRuntime) versions(ctx context.Context, objects []string, work string) ([]string, error) {
	names, err := rt.undefinedSymbols(objects)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	t := &target{Kernel: rt.kernel, build: rt.Build}
	crcs, err := t.symbolVersions()
	if err != nil {
		return nil, err
	}
	var s strings.Builder
	s.WriteString(".section __versions,\"a\",@progbits\n.p2align 3\n")
	for _, name := range names {
		crc, ok := crcs[name]
		if !ok {
			return nil, &CompileError{What: "the script's embedded C", Output: fmt.Sprintf("kernel %s has no %s for modules", t.Release, name)}
		}
		fmt.Fprintf(&s, ".quad %#x\n1: .asciz %q\n.zero 56 - (. - 1b)\n", crc, name)
	}
	s.WriteString(".section .note.GNU-stack,\"\",@progbits\n")
	if !t.configured("CONFIG_MODVERSIONS") {
		return nil, nil
	}
	source, object := filepath.Join(work, "versions.s"), filepath.Join(work, "versions.o")
	if err := os.WriteFile(source, []byte(s.String()), 0o644); err != nil {
		return nil, errors.WithStack(err)
	}
	return []string{object}, rt.run(ctx, "the table of symbol versions", []string{rt.Script[0], "-c", "-o", object, source})
}

// undefinedSymbols returns the undefined symbols of objects that neither the runtime nor another of the objects has.
func (rt *kernelRuntime) undefinedSymbols(objects []string) ([]string, error) {
	undefined, defined := make(map[string]bool), make(map[string]bool)
	for _, object := range objects {
		f, err := elf.Open(object)
		if err != nil {
			return nil, errors.WithStack(err)
		}
		symbols, err := f.Symbols()
		f.Close()
		if err != nil {
			return nil, errors.WithStack(err)
		}
		for _, s := range symbols {
			if s.Section != elf.SHN_UNDEF {
				defined[s.Name] = true
			} else if _, known := slices.BinarySearch(rt.Known, s.Name); !known && s.Name != "" {
				undefined[s.Name] = true
			}
		}
	}
	var names []string
	for name := range undefined {
		if !defined[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}
