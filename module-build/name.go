// SPDX-License-Identifier: GPL-2.0-or-later

package modulebuild

import (
	"bytes"
	"debug/elf"
	"os"

	"github.com/pkg/errors"

	"gostap/internal/lazyregexp"
)

var validName = lazyregexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)

// checkName refuses invalid names of modules.
func checkName(name string) error {
	if !validName().MatchString(name) || len(name) > len(placeholder) {
		return errors.Errorf("%q can't be a module's name: letters, digits and _, not more than %d of them", name, len(placeholder))
	}
	return nil
}

// copyRenamed copies an object that kbuild added to the stub module, with the module's name in place of the placeholder: in
// struct module, and behind "name=" in .modinfo, where additional NULs do no harm.
func copyRenamed(from, to, name string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return errors.WithStack(err)
	}
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return errors.WithStack(err)
	}
	padded := make([]byte, len(placeholder))
	copy(padded, name)
	for _, s := range f.Sections {
		if s.Name == ".modinfo" || s.Name == ".gnu.linkonce.this_module" {
			part := data[s.Offset : s.Offset+s.FileSize]
			copy(part, bytes.ReplaceAll(part, []byte(placeholder), padded))
		}
	}
	return errors.WithStack(os.WriteFile(to, data, 0o644))
}
