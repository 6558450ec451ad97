// SPDX-License-Identifier: GPL-2.0-or-later

package image

import "gostap/manifest"

// Locate notes in m for which build of the kernel its symbols' offsets are
// true, so that the consumer need not look the symbols up one by one.
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
