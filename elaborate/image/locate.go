// SPDX-License-Identifier: GPL-2.0-or-later

package image

import (
	"gostap/internal/distro"
	"gostap/manifest"
	"gostap/translator/syntax"
)

// Locate stores in m the build of the kernel that its symbols' offsets are for, so that
// the consumer need not look up the symbols one by one.
func (t *Target) Locate(m *manifest.Manifest) error {
	if len(m.Symbols) == 0 {
		return nil
	}
	k, err := t.kernel()
	if err != nil {
		return err
	}
	m.Images[0].BuildID = k.BuildID
	for i := range m.Symbols {
		s := &m.Symbols[i]
		if s.Image != 0 || s.Offset != 0 {
			continue
		}
		if found := k.Lookup(s.Name); len(found) == 1 {
			s.Offset = uint64(found[0].Offset)
			continue
		}
		if found, err := k.Objects(s.Name); err == nil && len(found) == 1 && !found[0].PerCPU {
			s.Offset = uint64(found[0].Offset)
		}
	}
	return nil
}

// LocateLines stores in m the path of the table of the kernel's lines, if the script
// uses lines. If they are not known, addresses are printed instead, and a warning
// says what is missing.
func (t *Target) LocateLines(m *manifest.Manifest) *syntax.Diagnostic {
	if t.Release == "" || !m.KernelLines && !m.PrintedLines {
		return nil
	}
	k, err := t.kernel()
	if err != nil {
		return nil // the kernel can't be read, which has been reported
	}
	info, diag := t.debuginfo.Need(syntax.Pos{}, "what line of the source the kernel's code is of", nil)
	if diag == nil && info.IsSubset {
		diag = &syntax.Diagnostic{Msg: "what line of the source the kernel's code is of is known only from all of its debuginfo, of which the probe cache has a part",
			Hint: "install it: " + t.debuginfo.install() + "; " + distro.Doctor}
	}
	if diag == nil {
		if m.Lines, err = info.LineFile(k.Text()); err == nil {
			m.Images[0].BuildID = k.BuildID
			return nil
		}
		diag = &syntax.Diagnostic{Msg: err.Error()}
	}
	diag.Severity = syntax.Warning
	return diag
}
