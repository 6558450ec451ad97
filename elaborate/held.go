// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gostap/elaborate/dwarf"
	"gostap/internal/cache"
	"gostap/translator/syntax"
)

// The probe cache has for a kernel build a thin copy of its debuginfo, and of that
// of modules: the source files whose code the probe points are in that were added,
// and the texts of these points. A probe point that asks for no more than one of
// them finds in the copy all that it finds in the debuginfo.

// A heldCopy is what the probe cache has of the target kernel itself, or of a module.
type heldCopy struct {
	info   *dwarf.Info
	points []string
}

// loadHeld reads what the probe cache has of the kernel itself, or of a module,
// by its build-id: dwarf.ErrNone for nothing.
func (t *Target) loadHeld(module, buildID string) (*heldCopy, error) {
	kernel, err := t.buildID()
	if err != nil {
		return nil, err
	}
	info, points, err := dwarf.LoadThin(dwarf.ThinPath(kernel, module), buildID)
	var mismatch *dwarf.MismatchError
	switch {
	case errors.As(err, &mismatch):
		return nil, errors.WithMessage(err, "the probe cache holds what has changed since")
	case err == nil || errors.Is(err, dwarf.ErrNone):
		return &heldCopy{info, points}, err
	}
	return nil, t.damaged(err)
}

// damaged is the error for what err says of a file of the probe cache.
func (t *Target) damaged(err error) error {
	return errors.WithMessage(err, "the probe cache is damaged (gostap probe-cache --remove -r "+t.Release+" empties it)")
}

// A holding is what the probe cache is being filled with, by modules' names: ""
// is the kernel itself.
type holding map[string]*heldPart

type heldPart struct {
	info   *dwarf.Info // the whole
	points []string
}

// count is how many probe points there are.
func (h holding) count() (n int) {
	for _, part := range h {
		n += len(part.points)
	}
	return n
}

// Hold makes the probe cache hold all that debuginfo says at probe points, and
// nothing else. The debuginfo has to be there.
func Hold(points []*syntax.ProbePoint, lib *Library, target *Target) syntax.Diagnostics {
	fail := func(d *syntax.Diagnostic) syntax.Diagnostics { return syntax.Diagnostics{d} }
	target.holding = holding{}
	var diags syntax.Diagnostics
	for _, pt := range points {
		if pt.Components[0].Name != "module" {
			if _, d := target.debuginfo.need(pt.At, "what the probe cache is to hold", nil); d != nil {
				return fail(d)
			}
		}
		before := target.holding.count()
		// What the variables take is read besides, and so copied.
		_, more := Vars([]*syntax.ProbePoint{pt}, lib, target)
		if diags = append(diags, more...); diags.Err() != nil {
			return diags
		}
		if target.holding.count() == before {
			d := errorAt(pt.At, "%s: there is nothing to keep of it", spell(pt))
			d.Hint = "its places and variables are known without debuginfo"
			return append(diags, d)
		}
	}
	if err := target.keep(target.holding); err != nil {
		diags = append(diags, errorAt(points[0].At, "%v", err))
	}
	return diags
}

// keep writes thin copies into the probe cache.
func (t *Target) keep(parts holding) error {
	kernel, err := t.buildID()
	if err != nil {
		return err
	}
	for module, part := range parts {
		slices.Sort(part.points)
		data, err := part.info.WriteThin(slices.Compact(part.points))
		if err == nil {
			err = cache.Write(dwarf.ThinPath(kernel, module), data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// hold has the code of functions held, if that is what goes on.
func (s *session) hold(im *image, m match, functions []dwarf.Func) error {
	if s.target.holding == nil {
		return nil
	}
	part := s.target.holding[im.module]
	if part == nil {
		part = &heldPart{info: im.info}
		s.target.holding[im.module] = part
	}
	if part.info != im.info {
		return errors.Errorf("the probe cache keeps one module %s, and there are two: the other's debuginfo is %s", im.module, part.info.Path())
	}
	part.points = append(part.points, spell(m.point))
	for _, f := range functions {
		for _, in := range f.Instances() {
			if err := im.info.Hold(in); err != nil {
				return err
			}
		}
	}
	return nil
}

// has reports whether the copy has all that the debuginfo has for a probe point
// in the same kernel or module.
func (h *heldCopy) has(point *syntax.ProbePoint) bool {
	m := match{point}
	if m.has("statement") && m.text("statement") == "" {
		_, _, err := h.info.StatementAt(uint64(m.number("statement", 0)))
		return err == nil
	}
	text := inside(point)
	return slices.ContainsFunc(h.points, func(have string) bool {
		points, diags := syntax.ParseProbePoint(have, &syntax.Env{})
		if diags.Err() != nil || len(points) != 1 {
			return false
		}
		held := match{points[0]}
		return inside(held.point) == text || !m.has("callee") && !m.has("callees") && narrower(m.where(), held.where())
	})
}

// inside spells a probe point without what it is in: function("vfs_read").callees.
func inside(point *syntax.ProbePoint) string {
	return spell(&syntax.ProbePoint{Components: point.Components[1:]})
}

// where is the functions that a probe point asks for: NAME@FILE.
func (m match) where() string { return m.text("function") + m.text("statement") }

// narrower reports whether all functions that fit a pattern also fit another. A *
// in that fits any text, a pattern's too; of others nothing is sure.
func narrower(inner, outer string) bool {
	in, err := parsePattern(inner)
	out, err2 := parsePattern(outer)
	if err != nil || err2 != nil {
		return false
	}
	if in.name == out.name && in.file == out.file {
		return true
	}
	if strings.ContainsAny(outer, "?[") || in.file == "" && out.file != "" {
		return false
	}
	return out.matchesName(in.name) && out.matchesFile(in.file)
}
