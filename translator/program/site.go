// SPDX-License-Identifier: GPL-2.0-or-later

package program

// An Image is a file of machine code as the running system names it. Two
// Images are the same file if they are equal.
type Image struct {
	Module  string // a kernel module's name; "" and no Path: the kernel itself
	Path    string // of a program or library, absolute, as the target's processes see it
	BuildID string // hex, "" if it is unknown
	Go      bool   // a program of Go's, whose goroutines have stacks that move, and change threads

	Goroutine Goroutine // of a program of Go's, zero if unknown
}

// A Goroutine says where Go's runtime keeps a goroutine's number, as offsets in bytes.
type Goroutine struct {
	ID      int64 // in struct g
	Current int64 // in struct m: the goroutine for which the runtime runs on a stack of its own
}

// A Site is where a point is in an image. One without a Symbol and a
// FileOffset is nowhere: an event, or an address that Args has.
type Site struct {
	Image  Image
	Symbol string // of the kernel or a module; its address is found at load
	Offset int64  // from Symbol, in bytes
	// SymbolOffset is Symbol's own offset from _stext in the target's build: it tells symbols
	// of one name apart, and spares the search for them. 0 if unknown.
	SymbolOffset int64
	// FileOffset is where the instruction stands in a program's file, and
	// RefCounter where its SDT semaphore does; 0 if it has none.
	FileOffset, RefCounter uint64
}
