// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/pkg/errors"
)

// Files is an output that continues in another file when one is full, or when Switch is
// called: NAME.0, NAME.1 and so on, or NAME, NAME.1 and so on if files are
// never full. Each Write goes to one file, undivided.
type Files struct {
	name  func() string // returns the next name, without its number
	limit int64         // bytes of a file; 0: any number
	keep  int           // the number of files that are kept, older ones are removed; 0: all

	mu      sync.Mutex
	current *os.File
	next    int      // number of the next file
	made    []string // existing files, the oldest first
}

// OpenFiles creates the first file. name is called for each, so that the name
// may contain the time.
func OpenFiles(name func() string, limit int64, keep int) (*Files, error) {
	f := &Files{name: name, limit: limit, keep: keep}
	return f, f.Switch()
}

// Switch continues in the next file.
func (f *Files) Switch() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.toNext()
}

func (f *Files) toNext() error {
	name := f.name()
	if f.limit > 0 || f.next > 0 {
		name = fmt.Sprintf("%s.%d", name, f.next)
	}
	file, err := os.Create(name)
	if err != nil {
		return errors.WithStack(err)
	}
	if f.current != nil {
		err = f.current.Close()
	}
	f.current = file
	f.next++
	f.made = append(f.made, name)
	if f.keep > 0 && len(f.made) > f.keep {
		os.Remove(f.made[0])
		f.made = f.made[1:]
	}
	return errors.WithStack(err)
}

// Write writes b to one file; if it does not fit on the disk, nothing of it.
func (f *Files) Write(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	// Commands of system() write to the file as well.
	at, seekErr := f.current.Seek(0, io.SeekEnd) // a pipe cannot
	if f.limit > 0 && at > 0 && at+int64(len(b)) > f.limit {
		if err := f.toNext(); err != nil {
			return 0, err
		}
		at = 0
	}
	n, err := f.current.Write(b)
	if err != nil && n > 0 && seekErr == nil && f.current.Truncate(at) == nil {
		f.current.Seek(at, io.SeekStart)
		n = 0
	}
	return n, err
}

// file is the standard output of commands.
func (f *Files) file() *os.File {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.current
}

// Close closes the last file.
func (f *Files) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return errors.WithStack(f.current.Close())
}
