// SPDX-License-Identifier: GPL-2.0-or-later

package executable

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gostap/internal/glob"
	"gostap/internal/ldso"
	"gostap/translator/suggest"
)

// Libraries returns the paths of the libraries that pattern stands for: of those that the
// program is linked to and those that they are linked to in turn, by their names or with
// wildcards; or any other by its path, or by its name, as it may be loaded later.
func (f *File) Libraries(pattern string) ([]string, error) {
	if strings.Contains(pattern, "/") {
		return Find(pattern)
	}
	loaded := ldso.Loaded(f.Path)
	var found, names []string
	for _, l := range loaded {
		names = append(names, l.Name)
		if (glob.Match(pattern, l.Name) || glob.Match(pattern, filepath.Base(l.Path))) && !slices.Contains(found, l.Path) {
			found = append(found, l.Path)
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	if !Wild(pattern) {
		if path := ldso.Lookup(pattern); path != "" {
			return []string{path}, nil
		}
	}
	e := &NotFoundError{Msg: fmt.Sprintf("%s loads no library %q", f.Path, pattern), Hint: suggest.Hint(pattern, names)}
	switch {
	case len(names) == 0:
		e.Hint = "it is linked statically"
	case e.Hint == "":
		e.Hint = "it is linked to " + suggest.Enumerate(names, 10)
	}
	return nil, e
}
