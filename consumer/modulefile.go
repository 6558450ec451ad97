// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"bytes"
	"debug/elf"
	"encoding/json"
	"os"

	"github.com/pkg/errors"

	"gostap/manifest"
)

// ReadManifest returns the manifest in the section .gostap of a module, or of a
// program of the host runtime.
func ReadManifest(path string) (*manifest.Manifest, error) {
	f, err := elf.Open(path)
	if err != nil {
		if os.IsNotExist(err) {
			return nil, errors.Errorf("%s: no such file", path)
		}
		return nil, errors.Errorf("%s is not a module: %v", path, err)
	}
	defer f.Close()
	section := f.Section(manifest.Section)
	if section == nil {
		return nil, errors.Errorf("%s was not made by gostap: it has no section %s", path, manifest.Section)
	}
	data, err := section.Data()
	if err != nil {
		return nil, errors.Wrapf(err, "%s: section %s", path, manifest.Section)
	}
	m := new(manifest.Manifest)
	if err := json.Unmarshal(bytes.TrimRight(data, "\x00"), m); err != nil {
		return nil, errors.Wrapf(err, "%s: section %s", path, manifest.Section)
	}
	if m.Version != manifest.Version {
		return nil, errors.Errorf("%s was made by another version of gostap (its manifest is of version %d, this one reads %d): build it again",
			path, m.Version, manifest.Version)
	}
	return m, nil
}

// maxModuleName is how long a module's name can be: MODULE_NAME_LEN with its NUL is 56.
const maxModuleName = 55

// renameModule gives a module, an ELF relocatable, another name: that in its struct
// module, which the kernel uses. It is an array of MODULE_NAME_LEN bytes, padded with
// NULs.
func renameModule(image []byte, from, to string) error {
	if len(to) > maxModuleName {
		return errors.Errorf("module name %s is too long", to)
	}
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		return errors.WithStack(err)
	}
	section := f.Section(".gnu.linkonce.this_module")
	if section == nil || section.Type == elf.SHT_NOBITS || section.Offset+section.Size > uint64(len(image)) {
		return errors.New("the module has no struct module")
	}
	this := image[section.Offset : section.Offset+section.Size]
	at := bytes.Index(this, append([]byte(from), 0))
	if at < 0 || at+maxModuleName+1 > len(this) {
		return errors.Errorf("the name %s is not in the module's struct module", from)
	}
	name := this[at : at+maxModuleName+1]
	clear(name)
	copy(name, to)
	return nil
}

// signatureMark ends a signed module.
var signatureMark = []byte("~Module signature appended~\n")
