// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// keepGenerated copies the results of passes 3 and 4 to a folder, for -k. Like stap, it does so whichever pass is the last,
// and uses stap's names of files.
func (inv *invocation) keepGenerated() error {
	prefix, script, said := "gostap-", "script.c", "Keeping the generated files in %s\n"
	if inv.stap {
		prefix, said = "stap", "Keeping temporary directory %q\n"
	}
	if inv.code == nil && !inv.stap {
		return nil
	}
	dir, err := os.MkdirTemp("", prefix)
	if err != nil {
		return err
	}
	files := map[string][]byte{}
	if inv.code != nil {
		if inv.stap {
			script = inv.name() + "_src.c"
		}
		manifest, err := json.Marshal(inv.code.Manifest)
		if err != nil {
			return err
		}
		files[script], files["embedded.c"], files["manifest.json"] = inv.code.C, inv.code.EmbeddedC, manifest
	}
	if inv.stap && inv.built != "" {
		if files[inv.name()+".ko"], err = os.ReadFile(inv.built); err != nil {
			return err
		}
	}
	for name, text := range files {
		if text == nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			return err
		}
	}
	fmt.Fprintf(os.Stderr, said, dir)
	return nil
}
