// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"gostap/elaborate/image"
	"gostap/translator/program"
)

// entry returns where a function that begins at addr, as linked, is best probed.
func entry(im image.Image, addr uint64) uint64 {
	if p, ok := im.(*image.Program); ok {
		return p.Entry(addr)
	}
	return addr
}

// unreturnable says why the returns of a function can't be probed, "" if they can: the kernel's return probes make Go's
// runtime end the program.
func unreturnable(im image.Image, pt *program.Point) string {
	if p, ok := im.(*image.Program); ok && p.IsGo && len(pt.Returns) == 0 {
		return "is of a Go program, and its code does not tell by which instructions it returns"
	}
	return ""
}

// returns returns where a program's file has the instructions by which the function of size bytes at addr, as linked,
// returns; nil for the kernel and its modules, and where they can't be told. Probes there cost less than the kernel's
// return probes, which put an address of their own on the program's stack: what moves stacks, or looks at them, falls over it.
func returns(im image.Image, addr, size uint64) []uint64 {
	p, ok := im.(*image.Program)
	if !ok {
		return nil
	}
	var offsets []uint64
	for _, at := range p.Returns(addr, size) {
		offset, ok := p.FileOffset(at)
		if !ok {
			return nil
		}
		offsets = append(offsets, offset)
	}
	return offsets
}
