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

// sessionFilesDir contains a file for each session, named by its netlink family, with the data for
// other processes that the kernel side does not have.
const sessionFilesDir = "/run/gostap"

// A sessionFile has the data for listing a session, and for attaching to it.
type sessionFile struct {
	Script   string // its name
	Manifest *manifest.Manifest
}

func sessionFilePath(family string) string { return filepath.Join(sessionFilesDir, family+".json") }

func (n *sessionFile) write(family string) error {
	text, err := json.Marshal(n)
	if err != nil {
		return errors.WithStack(err)
	}
	if err := os.MkdirAll(sessionFilesDir, 0o700); err != nil {
		return errors.WithStack(err)
	}
	f, err := os.CreateTemp(sessionFilesDir, ".new-")
	if err != nil {
		return errors.WithStack(err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), sessionFilePath(family))
	}
	return errors.WithStack(err)
}

func readSessionFile(family string) (*sessionFile, error) {
	text, err := os.ReadFile(sessionFilePath(family))
	if err != nil {
		return nil, errors.WithStack(err)
	}
	n := new(sessionFile)
	if err := json.Unmarshal(text, n); err != nil {
		return nil, errors.Wrap(err, sessionFilePath(family))
	}
	if n.Manifest == nil || n.Manifest.Version != manifest.Version {
		return nil, errors.Errorf("%s was written by another version of gostap", sessionFilePath(family))
	}
	return n, nil
}

// sessionFiles returns the netlink families that have a session file.
func sessionFiles() map[string]bool {
	families := make(map[string]bool)
	paths, _ := filepath.Glob(sessionFilePath("gs*"))
	for _, path := range paths {
		families[strings.TrimSuffix(filepath.Base(path), ".json")] = true
	}
	return families
}
