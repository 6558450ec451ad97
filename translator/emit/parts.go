// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"cmp"
	"fmt"
	"slices"
)

// Compilers work on one processor each, so the handlers of a larger script are in parts that can be
// compiled at the same time. All are in one file, for which GS_PARTS says which of them to compile. Data
// and tables belong to part 0, functions of the script to each part that calls them.

// A piece is the C of a handler or tail in gen.bodies.
type piece struct {
	from, to    int
	declaration string // of the handler, for the tables
	part        int
}

// apart notes that what is written to the bodies from start on can be in any part.
func (g *gen) apart(start int, declaration string) {
	if end := g.bodies.Len(); end > start {
		g.pieces = append(g.pieces, piece{from: start, to: end, declaration: declaration})
	}
}

const (
	maxParts = 8
	// partBytes is the size of the C of handlers that a compiler takes as long for as for all that precedes them.
	partBytes = 2500
	// tableBytes is the size of the C of handlers that takes as long as the tables of a small script.
	tableBytes = 1000
)

// divide distributes the pieces among parts of the same size, and returns the number of parts.
func (g *gen) divide() int {
	total := 0
	bySize := make([]*piece, len(g.pieces))
	for i := range g.pieces {
		bySize[i] = &g.pieces[i]
		total += bySize[i].size()
	}
	n := max(1, min(maxParts, total/partBytes, len(g.pieces)))
	slices.SortStableFunc(bySize, func(a, b *piece) int { return cmp.Compare(b.size(), a.size()) })
	sizes := make([]int, n)
	sizes[0] = tableBytes
	for _, p := range bySize {
		p.part = slices.Index(sizes, slices.Min(sizes))
		sizes[p.part] += p.size()
	}
	return n
}

func (p *piece) size() int { return p.to - p.from }

// linkage writes what SHARED and INITIAL mean in declarations of what all parts use.
func linkage(w *writer, parts int) {
	if parts == 1 {
		w.line("#define SHARED static")
		w.line("#define INITIAL(...) = __VA_ARGS__")
		w.line("")
		return
	}
	all := 1<<parts - 1
	fmt.Fprintf(w, `#ifndef GS_PARTS
#define GS_PARTS %[1]d
#endif
#if GS_PARTS == %[1]d
#define SHARED static
#define INITIAL(...) = __VA_ARGS__
#elif GS_PARTS & 1
#define SHARED
#define INITIAL(...) = __VA_ARGS__
#else
#define SHARED extern
#define INITIAL(...)
#endif

`, all)
}

// initial is the C text of a shared variable's initializer, which may be "".
func initial(value string) string {
	if value == "" {
		return ""
	}
	return fmt.Sprintf(" INITIAL(%s)", value)
}

// code writes the functions, and begins what only part 0 has.
func (g *gen) code(w *writer, parts int) {
	bodies := g.bodies.Bytes()
	if parts == 1 {
		w.Write(bodies)
		return
	}
	for _, p := range g.pieces {
		if p.declaration != "" {
			w.line("%s", p.declaration)
		}
	}
	done := 0
	for _, p := range g.pieces {
		w.Write(bodies[done:p.from])
		w.line("#if GS_PARTS & %d", 1<<p.part)
		w.Write(bodies[p.from:p.to])
		w.line("#endif")
		done = p.to
	}
	w.Write(bodies[done:])
	w.line("#if GS_PARTS & 1")
}
