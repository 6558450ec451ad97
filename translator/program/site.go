// SPDX-License-Identifier: GPL-2.0-or-later

package program

// An Image identifies a file of machine code on the running system. Images are the same file if they
// are equal.
type Image struct {
	Module  string // a kernel module's name; "", without a Path, for the kernel itself
	Path    string // of a program or library, absolute, as the target's processes see it
	BuildID string // hex, "" if it is unknown
	Go      bool   // a Go program, whose goroutines have stacks that move, and change threads

	Goroutine Goroutine // of a Go program, zero if unknown
}

// A Goroutine has the offsets, in bytes, at which Go's runtime keeps a goroutine's number.
type Goroutine struct {
	ID      int64 // in struct g
	Current int64 // in struct m: the goroutine for which the runtime runs on its own stack
}

// A Site is the location of a point in an image. Without a Symbol and a FileOffset it is none: the
// point is an event, or its address is in Args.
type Site struct {
	Image  Image
	Symbol string // of the kernel or a module; its address is resolved when the session starts
	Offset int64  // from Symbol, in bytes
	// SymbolOffset is Symbol's own offset from _stext in the target's build, in bytes: it distinguishes
	// symbols of the same name, and avoids a search for them. 0 if unknown.
	SymbolOffset int64
	// FileOffset is the offset of the instruction in a program's file, in bytes, and RefCounter that of
	// its SDT semaphore; 0 if it has none.
	FileOffset, RefCounter uint64
}
