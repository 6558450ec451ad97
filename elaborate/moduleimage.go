// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"os"

	"github.com/pkg/errors"

	"gostap/elaborate/dwarf"
	"gostap/translator/syntax"
)

// moduleImage returns the module of a module(NAME) point: NAME is that of an
// installed one, or a module's file.
func (t *Target) moduleImage(m match) (*image, *syntax.Diagnostic) {
	name := m.text("module")
	paths, _, d := t.modulePaths(m, name)
	if d != nil {
		return nil, d
	}
	if len(paths) > 1 {
		return nil, m.errorf("%d modules match %q: statements are those of one", len(paths), name)
	}
	module, err := t.module(paths[0])
	if err != nil {
		return nil, m.errorf("%v", err)
	}
	id, err := dwarf.BuildID(module.Path)
	if err != nil {
		return nil, m.errorf("%v", err)
	}
	f := &dwarf.Finder{Debug: os.Getenv("GOSTAP_DEBUGINFO"), URLs: dwarf.ServersFromEnv(), Cache: dwarf.CacheDir()}
	info, err := f.Load(dwarf.IndexPath(id), func() (string, error) { return f.Module(module.Path, id) }, func(int64, int64) {})
	switch {
	case errors.Is(err, dwarf.ErrNone):
		d := m.errorf("module %q has no debuginfo, which alone tells where its statements are", name)
		d.Hint = "install it: " + t.installDebuginfo()
		return nil, d
	case err != nil:
		return nil, m.errorf("%v", err)
	}
	t.asked.debuginfo = true
	return &image{module: module.Name, info: info}, nil
}
