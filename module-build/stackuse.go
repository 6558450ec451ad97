// SPDX-License-Identifier: GPL-2.0-or-later

package modulebuild

import (
	"debug/elf"
	"encoding/binary"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/pkg/errors"
)

// frames are how many bytes of the stack functions take by themselves, by their names in C. Copies that the compiler has
// specialized or split off (f.constprop.0, f.part.0) count to the function that they are of.
type frames map[string]int

// readFrames reads the files that the compiler writes for -fstack-usage, lines of "FILE:LINE:COLUMN:FUNCTION BYTES QUALIFIERS"
// with tabs in between. Of a function that is in several files, the largest counts.
func readFrames(files ...string) (frames, error) {
	f := frames{}
	for _, file := range files {
		inFile := frames{}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, errors.Wrap(err, "the compiler does not tell the use of the stack (-fstack-usage)")
		}
		for line := range strings.Lines(string(text)) {
			fields := strings.Split(strings.TrimSpace(line), "\t")
			if len(fields) < 3 {
				return nil, errors.Errorf("%s: not as gcc writes it: %q", file, line)
			}
			size, err := strconv.Atoi(fields[1])
			if err != nil || strings.HasPrefix(fields[2], "dynamic") && !strings.Contains(fields[2], "bounded") {
				return nil, errors.Errorf("%s: the use of the stack has no bound: %q", file, line)
			}
			name, _, _ := strings.Cut(fields[0][strings.LastIndexByte(fields[0], ':')+1:], ".")
			inFile[name] += size
		}
		for name, size := range inFile {
			f[name] = max(f[name], size)
		}
	}
	return f, nil
}

// helperDepth is how deep functions call each other that are no part of the script's chains of calls: those that find, join,
// merge and compare elements, and embedded C's own.
const helperDepth = 3

// helpers is the most that a chain of helpers takes.
func (f frames) helpers() int {
	var sizes []int
	for _, size := range f {
		sizes = append(sizes, size)
	}
	slices.Sort(sizes)
	sum := 0
	for _, size := range sizes[max(0, len(sizes)-helperDepth):] {
		sum += size
	}
	return sum
}

// writeStackUse writes the maximal stack use of each probe's handlers into an object or a module.
// library has the stack use of the library's functions, files have those of the script's.
func (req *Request) writeStackUse(object string, library int, files ...string) error {
	if req.StackUse == nil {
		return nil
	}
	f, err := readFrames(files...)
	if err != nil {
		return err
	}
	called := map[string]bool{}
	use := req.StackUse(func(function string) int {
		called[function] = true
		return f[function]
	})
	for function := range called {
		delete(f, function)
	}
	for i := range use {
		use[i] += f.helpers() + library
	}
	return setStackUse(object, use)
}

// setStackUse gives gs_stack_use its values in an object or a module.
func setStackUse(path string, use []int) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return errors.WithStack(err)
	}
	defer file.Close()
	object, err := elf.NewFile(file)
	if err != nil {
		return errors.WithStack(err)
	}
	symbols, err := object.Symbols()
	if err != nil {
		return errors.WithStack(err)
	}
	i := slices.IndexFunc(symbols, func(s elf.Symbol) bool { return s.Name == "gs_stack_use" })
	if i < 0 || int(symbols[i].Section) >= len(object.Sections) || symbols[i].Size != uint64(4*len(use)) {
		return errors.Errorf("%s: gs_stack_use is not there for %d probes", path, len(use))
	}
	section := object.Sections[symbols[i].Section]
	if section.Type == elf.SHT_NOBITS {
		return errors.Errorf("%s: gs_stack_use is in %s", path, section.Name)
	}
	var values []byte
	for _, n := range use {
		values = binary.NativeEndian.AppendUint32(values, uint32(n))
	}
	_, err = file.WriteAt(values, int64(section.Offset+symbols[i].Value))
	return errors.WithStack(err)
}
