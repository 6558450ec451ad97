// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"os"

	"github.com/pkg/errors"

	"gostap/elaborate/dwarf"
	"gostap/translator/syntax"
)

// moduleImage returns a module by name, that of an installed one or of a module's file.
func (t *Target) moduleImage(at syntax.Pos, name string) (*image, *syntax.Diagnostic) {
	paths, _, d := t.modulePaths(at, name)
	if d != nil {
		return nil, d
	}
	if len(paths) > 1 {
		return nil, errorAt(at, "%d modules match %q: debuginfo is looked for in one", len(paths), name)
	}
	module, err := t.module(paths[0])
	if err != nil {
		return nil, errorAt(at, "%v", err)
	}
	id, err := dwarf.BuildID(module.Path)
	if err != nil {
		return nil, errorAt(at, "%v", err)
	}
	f := &dwarf.Finder{Debug: os.Getenv("GOSTAP_DEBUGINFO"), URLs: dwarf.ServersFromEnv(), Cache: dwarf.CacheDir()}
	info, err := f.Load(dwarf.IndexPath(id), func() (string, error) { return f.Module(module.Path, id) }, func(int64, int64) {})
	switch {
	case errors.Is(err, dwarf.ErrNone):
		d := errorAt(at, "module %q has no debuginfo, which alone tells where its statements and variables are", name)
		d.Hint = "install it: " + t.installDebuginfo()
		return nil, d
	case err != nil:
		return nil, errorAt(at, "%v", err)
	}
	t.asked.debuginfo = true
	return &image{module: module.Name, info: info}, nil
}
