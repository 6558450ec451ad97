// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"fmt"
	"strings"

	"gostap/translator/suggest"
)

// A Kernel is one build of the kernel, and the functions in it.
type Kernel struct {
	Release string
	BuildID string // hex

	dir string
	x   *index
}

// BTFPath returns the file with the kernel's raw BTF. Package btf keeps its
// own index beside it.
func (k *Kernel) BTFPath() string { return k.dir + "/btf" }

// Count returns the number of functions.
func (k *Kernel) Count() int { return k.x.count }

// Func returns the i-th function in the order of names.
func (k *Kernel) Func(i int) Func { return k.x.fn(i) }

// Lookup returns all functions called name, by address.
func (k *Kernel) Lookup(name string) []Func {
	var list []Func
	for i := k.x.first(name); i < k.x.count && k.x.name(i) == name; i++ {
		list = append(list, k.x.fn(i))
	}
	return list
}

// Variants returns the functions that the compiler has made of one called name
// while it changed its parameters or cut it up: name.isra.0, name.part.0 and
// the like.
func (k *Kernel) Variants(name string) []Func {
	var list []Func
	prefix := name + "."
	for i := k.x.first(prefix); i < k.x.count && strings.HasPrefix(k.x.name(i), prefix); i++ {
		list = append(list, k.x.fn(i))
	}
	return list
}

// Glob returns the functions whose names match pattern (*, ?, [a-z], [!a-z],
// \ before a character that stands for itself), in the order of names. What
// the compiler has put behind a name need not be matched: see Func.Base.
func (k *Kernel) Glob(pattern string) []Func {
	prefix := pattern
	if i := strings.IndexAny(pattern, `*?[\`); i >= 0 {
		prefix = pattern[:i]
	}
	var list []Func
	for i := k.x.first(prefix); i < k.x.count; i++ {
		name := k.x.name(i)
		if !strings.HasPrefix(name, prefix) {
			break
		}
		if Match(pattern, name) || Match(pattern, base(name)) {
			list = append(list, k.x.fn(i))
		}
	}
	return list
}

// Nearest returns at most n names of functions that can be probed and that
// name may be a misspelling of, the nearest first.
func (k *Kernel) Nearest(name string, n int) []string {
	known := make([]string, 0, k.x.count)
	last := ""
	for i := range k.x.count {
		candidate := k.x.name(i)
		if candidate != last && !strings.Contains(candidate, ".") && k.x.fn(i).Refusal == Probeable {
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
