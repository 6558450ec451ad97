// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import "gostap/elaborate/image"

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
