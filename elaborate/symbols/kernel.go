// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"fmt"
	"strings"

	"gostap/internal/glob"
	"gostap/translator/suggest"
)

// A Kernel is one build of the kernel, and the functions in it.
type Kernel struct {
	Release string
	BuildID string // hex

	dir string
	im  *image // once it has been read
	Functions
}

// Functions are those of a kernel or of a module.
type Functions struct{ x *index }

// BTFPath returns the file with the kernel's raw BTF; "" if it has none.
// Package btf keeps its own index beside it.
func (k *Kernel) BTFPath() string {
	if k.x.btf == 0 {
		return ""
	}
	return k.dir + "/btf"
}

// Text returns the address of _stext, as linked.
func (k *Kernel) Text() uint64 { return k.x.stext }

// Count returns the number of functions.
func (f *Functions) Count() int { return f.x.count }

// Func returns the i-th function in the order of names.
func (f *Functions) Func(i int) Func { return f.x.fn(i) }

// Lookup returns all functions called name, by address.
func (f *Functions) Lookup(name string) []Func {
	var list []Func
	for i := f.x.first(name); i < f.x.count && f.x.name(i) == name; i++ {
		list = append(list, f.x.fn(i))
	}
	return list
}

// Variants returns the clones and parts that the compiler has made of a function called
// name: name.isra.0, name.part.0 and
// the like.
func (f *Functions) Variants(name string) []Func {
	var list []Func
	prefix := name + "."
	for i := f.x.first(prefix); i < f.x.count && strings.HasPrefix(f.x.name(i), prefix); i++ {
		if base(f.x.name(i)) == name {
			list = append(list, f.x.fn(i))
		}
	}
	return list
}

// Glob returns the functions whose names match pattern (*, ?, [a-z], [!a-z],
// \ before a character that stands for itself), in the order of names. Compilers'
// suffixes need not be matched: see Func.Base.
func (f *Functions) Glob(pattern string) []Func {
	prefix := pattern
	if i := strings.IndexAny(pattern, `*?[\`); i >= 0 {
		prefix = pattern[:i]
	}
	var list []Func
	for i := f.x.first(prefix); i < f.x.count; i++ {
		name := f.x.name(i)
		if !strings.HasPrefix(name, prefix) {
			break
		}
		if glob.Match(pattern, name) || glob.Match(pattern, base(name)) {
			list = append(list, f.x.fn(i))
		}
	}
	return list
}

// Nearest returns at most n names of functions that can be probed and that
// name may be a misspelling of, the nearest first.
func (f *Functions) Nearest(name string, n int) []string {
	known := make([]string, 0, f.x.count)
	last := ""
	for i := range f.x.count {
		candidate := f.x.name(i)
		if candidate != last && !strings.Contains(candidate, ".") && f.x.fn(i).Refusal == Probeable {
			known = append(known, candidate)
			last = candidate
		}
	}
	return suggest.Nearest(name, known, n)
}

// String returns the release and the start of the build-id.
func (k *Kernel) String() string {
	return fmt.Sprintf("%s (build-id %.8s…)", k.Release, k.BuildID)
}
