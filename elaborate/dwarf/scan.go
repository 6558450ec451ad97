// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import "debug/dwarf"

// A found is the result of the scan of a unit, for the index.
type found struct {
	u         *unit
	abstracts []abstractRec // by DIE
	instances []instanceRec
	globals   []globalRec
}

// An abstractRec is a function's declaration in the source.
type abstractRec struct {
	die    uint32
	origin uint64 // of a specification, else 0
	scope  string // the namespaces and types around it, with a :: behind each
	name   string // "": that of origin
	file   string
	line   uint32 // 0: that of origin
}

// An instanceRec is code of a function: the function itself, or an inlined copy.
type instanceRec struct {
	die    uint32
	origin uint64 // the abstract's DIE, in the file that originFile says
	alt    bool   // origin is in the supplement
	outer  int32  // of an inlined copy: the index in found.instances of the function around it
	entry  uint64
	ranges []Range
}

// A globalRec is a variable that has an address.
type globalRec struct {
	die         uint32
	declaration uint32 // the DIE that declares it in its scope, else 0
	scope       string // as an abstractRec's
	name        string
	file        string
}

// scan walks over the unit's DIEs. Types, which are most of them, are
// skipped; building an index takes most of its time here.
func (u *unit) scan() (*found, error) {
	s := scanner{found: found{u: u}}
	b := buf{data: u.f.info[:u.end], at: int(u.first)}
	depth, outer, outerDepth := 0, int32(-1), 0
	scoped := u.scoped()
	for b.at < len(b.data) {
		off := uint32(b.at)
		code := b.uleb()
		if code == 0 {
			if depth--; depth <= 0 {
				break
			}
			if depth <= outerDepth {
				outer = -1
			}
			continue
		}
		a := u.abbrevs.find(code)
		if a == nil || b.bad {
			return nil, errDWARF
		}
		d := die{u, off, a, uint32(b.at)}
		enter := a.children
		if enter && scoped {
			s.enter(d, depth)
			if isScope(a.tag) {
				u.skip(&b, a.steps)
				depth++
				continue
			}
		}
		switch a.tag {
		case dwarf.TagSubprogram:
			s.scope = s.around(depth)
			if i := s.subprogram(d); i >= 0 && outer < 0 {
				outer, outerDepth = i, depth
				if !a.children {
					outer = -1
				}
			}
		case dwarf.TagInlinedSubroutine:
			if outer >= 0 {
				s.inlined(d, outer)
			}
		case dwarf.TagVariable, dwarf.TagMember:
			if depth == 1 || s.within(depth) {
				s.global(d, s.around(depth))
			}
		case dwarf.TagStructType, dwarf.TagUnionType, dwarf.TagClassType, dwarf.TagEnumerationType, dwarf.TagSubroutineType, dwarf.TagArrayType, dwarf.TagCallSite, tagGNUCallSite:
			if next, ok := d.sibling(); ok && a.children {
				b.at = int(next)
				continue
			}
		}
		u.skip(&b, a.steps)
		if b.bad {
			return nil, errDWARF
		}
		if enter {
			depth++
		} else if depth == 0 {
			break
		}
	}
	for i := range s.globals {
		if g := &s.globals[i]; g.declaration != 0 {
			g.scope = s.declared[g.declaration]
		}
	}
	return &s.found, s.err
}

// A scanner scans a unit.
type scanner struct {
	found
	scopes
	scope string // of the current DIE
	files []string
	known bool // files have been read
	err   error
}

// file returns the path of a file by its number.
func (s *scanner) file(n uint64) string {
	if !s.known {
		s.known = true
		s.files, s.err = s.u.fileNames()
	}
	if n < uint64(len(s.files)) {
		return s.files[n]
	}
	return ""
}

// subprogram adds a function: its declaration, its code, or both. It returns the
// index of its code in found.instances, -1 for a declaration alone.
func (s *scanner) subprogram(d die) int32 {
	var rec abstractRec
	var origin value
	var code, declaration bool
	b := buf{data: d.u.f.info[:d.u.end], at: int(d.vals)}
	for i := range d.attrs {
		spec := &d.attrs[i]
		switch spec.name {
		case dwarf.AttrName, dwarf.AttrDeclFile, dwarf.AttrDeclLine, dwarf.AttrDeclaration, dwarf.AttrAbstractOrigin, dwarf.AttrSpecification, dwarf.AttrLowpc, dwarf.AttrRanges:
		default:
			step := [1]step{d.u.step(spec.form)}
			d.u.skip(&b, step[:])
			continue
		}
		v := d.u.value(&b, spec.form, spec.constant)
		switch spec.name {
		case dwarf.AttrName:
			rec.name = v.s
		case dwarf.AttrDeclFile:
			rec.file = s.file(v.u)
		case dwarf.AttrDeclLine:
			rec.line = uint32(v.u)
		case dwarf.AttrDeclaration:
			declaration = v.u != 0
		case dwarf.AttrAbstractOrigin, dwarf.AttrSpecification:
			origin = v
		case dwarf.AttrLowpc, dwarf.AttrRanges:
			code = true
		}
	}
	if b.bad {
		s.err = errDWARF
		return -1
	}
	defined := code && rec.line != 0 && rec.name == "" && origin.f == d.u.f
	if rec.name != "" || origin.f != nil && !code || defined {
		rec.die, rec.scope = d.off, s.scope
		if origin.f == d.u.f {
			rec.origin = origin.u
		}
		if !declaration || origin.f == nil {
			s.abstracts = append(s.abstracts, rec)
		}
	}
	if !code {
		return -1
	}
	inst := instanceRec{die: d.off, origin: uint64(d.off), outer: -1, entry: d.entry(), ranges: d.ranges()}
	if origin.f != nil && rec.name == "" && !defined {
		inst.origin, inst.alt = origin.u, origin.f != d.u.f
	}
	if len(inst.ranges) == 0 || inst.ranges[0].Low == 0 {
		return -1 // dropped by the linker
	}
	s.instances = append(s.instances, inst)
	return int32(len(s.instances) - 1)
}

// inlined adds an inlined copy of a function.
func (s *scanner) inlined(d die, outer int32) {
	origin, ok := d.attr(dwarf.AttrAbstractOrigin)
	if !ok || origin.f == nil {
		return
	}
	ranges := d.ranges()
	if len(ranges) == 0 {
		return
	}
	s.instances = append(s.instances, instanceRec{
		die: d.off, origin: origin.u, alt: origin.f != d.u.f, outer: outer, entry: d.entry(), ranges: ranges,
	})
}

// global adds a global variable that has an address, or records the scope in which one is declared.
func (s *scanner) global(d die, scope string) {
	loc, ok := d.attr(dwarf.AttrLocation)
	if !ok || len(loc.b) == 0 {
		if scope != "" && d.flag(dwarf.AttrDeclaration) {
			s.declare(d.off, scope)
		}
		return
	}
	g := globalRec{die: d.off, scope: scope}
	if v, ok := d.attr(dwarf.AttrSpecification); ok && v.f == d.u.f {
		g.declaration = uint32(v.u)
	}
	d.origins(func(o die) bool {
		if g.name == "" {
			g.name = o.text(dwarf.AttrName)
		}
		if n, ok := o.number(dwarf.AttrDeclFile); ok && g.file == "" {
			g.file = s.file(n)
			if o.u.off != s.u.off || o.u.f != s.u.f {
				g.file = fileOf(o.u, n)
			}
		}
		return g.name != "" && g.file != ""
	})
	if g.name != "" {
		s.globals = append(s.globals, g)
	}
}

// fileOf returns the path of a file of a unit by its number.
func fileOf(u *unit, n uint64) string {
	files, err := u.fileNames()
	if err != nil || n >= uint64(len(files)) {
		return ""
	}
	return files[n]
}
