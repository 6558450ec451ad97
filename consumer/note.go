// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/pkg/errors"

	"gostap/manifest"
)

// notesDir holds a note for each session, named by its family: what others have
// to know of it that the kernel does not keep.
const notesDir = "/run/gostap"

// A note is what it takes to list a session, and to attach to it.
type note struct {
	Script   string // as the user called it
	Manifest *manifest.Manifest
}

func notePath(family string) string { return filepath.Join(notesDir, family+".json") }

func (n *note) write(family string) error {
	text, err := json.Marshal(n)
	if err != nil {
		return errors.WithStack(err)
	}
	if err := os.MkdirAll(notesDir, 0o700); err != nil {
		return errors.WithStack(err)
	}
	f, err := os.CreateTemp(notesDir, ".new-")
	if err != nil {
		return errors.WithStack(err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), notePath(family))
	}
	return errors.WithStack(err)
}

func readNote(family string) (*note, error) {
	text, err := os.ReadFile(notePath(family))
	if err != nil {
		return nil, errors.WithStack(err)
	}
	n := new(note)
	if err := json.Unmarshal(text, n); err != nil {
		return nil, errors.Wrap(err, notePath(family))
	}
	if n.Manifest == nil || n.Manifest.Version != manifest.Version {
		return nil, errors.Errorf("%s was written by another version of gostap", notePath(family))
	}
	return n, nil
}

// noted returns the families of which there are notes.
func noted() map[string]bool {
	families := make(map[string]bool)
	paths, _ := filepath.Glob(notePath("gs*"))
	for _, path := range paths {
		families[strings.TrimSuffix(filepath.Base(path), ".json")] = true
	}
	return families
}
