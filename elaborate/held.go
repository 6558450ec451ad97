// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"os"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gostap/elaborate/dwarf"
	"gostap/elaborate/internal/store"
	"gostap/translator/syntax"
)

// The probe cache has for a kernel build a thin copy of its debuginfo: the
// source files whose code the probe points are in that were added, and the
// texts of these points. A probe point that asks for no more than one of them
// finds in the copy all that it finds in the debuginfo.

// A heldCopy is what the probe cache has for the target.
type heldCopy struct {
	info   *dwarf.Info
	points []string
}

// loadHeld reads what the probe cache has for the target: dwarf.ErrNone for nothing.
func (t *Target) loadHeld() (*heldCopy, error) {
	k, err := t.kernel()
	if err != nil {
		return nil, err
	}
	info, points, err := dwarf.LoadThin(k.BuildID)
	var mismatch *dwarf.MismatchError
	switch {
	case err == nil || errors.Is(err, dwarf.ErrNone) || errors.As(err, &mismatch):
		return &heldCopy{info, points}, err
	}
	return nil, errors.WithMessage(err, "the probe cache is damaged (gostap probe-cache --remove -r "+t.Release+" empties it)")
}

// Held returns the probe points that the probe cache has for the target, and
// the file that they are in; none if there is none.
func (t *Target) Held() (path string, points []string, err error) {
	held, err := t.held()
	switch {
	case errors.Is(err, dwarf.ErrNone):
		return "", nil, nil
	case err != nil:
		return "", nil, err
	}
	return held.info.Path(), held.points, nil
}

// Hold makes the probe cache hold all that debuginfo says at probe points, and
// nothing else. The debuginfo has to be there.
func Hold(points []*syntax.ProbePoint, lib *Library, target *Target) syntax.Diagnostics {
	fail := func(d *syntax.Diagnostic) syntax.Diagnostics { return syntax.Diagnostics{d} }
	target.held = func() (*heldCopy, error) { return nil, dwarf.ErrNone } // it is made anew
	info, d := target.needDebuginfo(points[0].At, "what the probe cache is to hold", nil)
	if d != nil {
		return fail(d)
	}
	target.holding = info
	var all []string
	var diags syntax.Diagnostics
	for _, pt := range points {
		target.asked.points = nil
		// What the variables take is read besides, and so copied.
		_, more := Vars([]*syntax.ProbePoint{pt}, lib, target)
		if diags = append(diags, more...); diags.Err() != nil {
			return diags
		}
		if len(target.asked.points) == 0 {
			d := errorAt(pt.At, "%s: there is nothing to keep of it", spell(pt))
			d.Hint = "its places and variables are known without the kernel's debuginfo; that of modules can't be kept"
			return append(diags, d)
		}
		all = append(all, target.asked.points...)
	}
	slices.Sort(all)
	data, err := info.WriteThin(slices.Compact(all))
	if err == nil {
		k, _ := target.kernel()
		err = store.Write(dwarf.ThinPath(k.BuildID), data)
	}
	if err != nil {
		return append(diags, errorAt(points[0].At, "%v", err))
	}
	return diags
}

// hold has the code of functions held, of the kernel itself, if that is what goes on.
func (s *session) hold(info *dwarf.Info, m match, functions []dwarf.Func) error {
	if s.target.holding != info {
		return nil
	}
	s.target.asked.points = append(s.target.asked.points, spell(m.point))
	for _, f := range functions {
		for _, in := range f.Instances() {
			if err := info.Hold(in); err != nil {
				return err
			}
		}
	}
	return nil
}

// has reports whether the copy has all that the debuginfo has for a probe point.
func (h *heldCopy) has(point *syntax.ProbePoint) bool {
	m := match{point}
	if m.has("statement") && m.text("statement") == "" {
		_, _, err := h.info.StatementAt(uint64(m.number("statement", 0)))
		return err == nil
	}
	text := spell(point)
	return slices.ContainsFunc(h.points, func(have string) bool {
		return have == text || !m.has("callee") && !m.has("callees") && narrower(m.where(), whereOf(have))
	})
}

// where is the functions that a probe point asks for: NAME@FILE.
func (m match) where() string { return m.text("function") + m.text("statement") }

// whereOf is where, of a probe point's text; "" if it is of no functions.
func whereOf(text string) string {
	points, diags := syntax.ParseProbePoint(text, &syntax.Env{})
	if diags.Err() != nil || len(points) != 1 {
		return ""
	}
	return match{points[0]}.where()
}

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

// ImportHeld puts a file that Hold has made on another machine into the probe cache.
func (t *Target) ImportHeld(path string) (points []string, err error) {
	k, err := t.kernel()
	if err != nil {
		return nil, err
	}
	has, points, err := dwarf.OpenThin(path)
	if err != nil {
		return nil, errors.WithMessage(err, "this is not what gostap probe-cache --export writes, or not all of it")
	}
	if has != k.BuildID {
		return nil, &dwarf.MismatchError{Path: path, Has: has, Want: k.BuildID}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	return points, store.Write(dwarf.ThinPath(has), data)
}

// RemoveHeld empties the probe cache for the target.
func (t *Target) RemoveHeld() error {
	k, err := t.kernel()
	if err != nil {
		return err
	}
	err = dwarf.RemoveThin(k.BuildID)
	if errors.Is(err, os.ErrNotExist) {
		return errors.Errorf("the probe cache has nothing for kernel %s", t.Release)
	}
	return errors.WithStack(err)
}
