// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"slices"

	"gostap/elaborate/image"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// entry returns the address at which the entry of a function that begins at addr, as linked, is probed.
func entry(im image.Image, addr uint64) uint64 {
	if p, ok := im.(*image.Program); ok {
		return p.Entry(addr)
	}
	return addr
}

// unreturnable says why the returns of the function of size bytes at addr, as linked, can't be probed, "" if they can: the
// kernel's return probes make Go's runtime end the program, as exceptions do that pass them, and take what is on top of the stack for the
// return address.
func unreturnable(im image.Image, pt *program.Point, addr, size uint64) string {
	p, ok := im.(*image.Program)
	if !ok || len(pt.Returns) > 0 {
		return ""
	}
	_, known := p.Returns(addr, size)
	switch {
	case !p.Called(addr):
		return "is not called, so that it does not return"
	case known:
		return "does not return: none of its instructions does"
	case p.IsGo:
		return "is of a Go program, and its code does not tell by which instructions it returns"
	}
	return ""
}

// returns returns the offsets in a program's file of the instructions that return from the function of size bytes at addr,
// as linked; nil for the kernel and its modules, and if they are not known. Probes there cost less than the kernel's
// return probes, which replace return addresses on the stack, and so break programs that move or inspect their stacks.
func returns(im image.Image, addr, size uint64) []uint64 {
	p, ok := im.(*image.Program)
	if !ok {
		return nil
	}
	var offsets []uint64
	list, _ := p.Returns(addr, size)
	for _, at := range list {
		offset, ok := p.FileOffset(at)
		if !ok {
			return nil
		}
		offsets = append(offsets, offset)
	}
	return offsets
}

// sparing returns the sites without those of several that are returns by the kernel's uretprobes in a program through whose functions
// exceptions may pass: the unwinder takes the changed return address for code that it knows nothing of, and ends the program. One
// that is alone is probed, with a warning.
func (c *Context) sparing(m match, p *image.Program, sites []*ProbeSite) ([]*ProbeSite, *syntax.Diagnostic) {
	changes := func(site *ProbeSite) bool { return site.Point.Family == "uretprobe" && site.Point.Returns == nil }
	if !slices.ContainsFunc(sites, changes) || !p.Unwinds() {
		return sites, nil
	}
	if len(sites) == 1 {
		c.Diags.Warnf(m.At, "%s, of %s, is left by a jump, so that its return is probed by the kernel's uretprobe: an exception that passes it ends the program", sites[0].Point.Func, p)
		return sites, nil
	}
	kept := slices.DeleteFunc(slices.Clone(sites), changes)
	d := m.Errorf("%d of %d functions of %s are left out, as they are left by jumps: the kernel's uretprobes, which would probe their returns, end the program when an exception passes", len(sites)-len(kept), len(sites), p)
	d.Hint = "each is probed where its name is given alone"
	if len(kept) == 0 {
		return nil, d
	}
	c.Diags.Warnf(m.At, "%s", d.Msg).Hint = d.Hint
	return kept, nil
}
