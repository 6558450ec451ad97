// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"os"
	"time"

	"github.com/pkg/errors"
)

// drain makes the reader write all records so far, and tells the kernel side how many
// have been read.
func (s *session) drain() error {
	s.progress("writing out what the buffers hold")
	defer s.progress("")
	s.reader.stop()
	if !s.await(s.reader.done) {
		return errAbandoned
	}
	if s.reader.err != nil {
		return s.reader.err
	}
	for _, b := range s.reader.buffers {
		if err := b.leave(); err != nil {
			return errors.Wrap(err, "leaving the buffers")
		}
	}
	return nil
}

// depart detaches from the session. Records so far are written; later ones are left
// to the next reader.
func (s *session) depart() error {
	s.reader.leaving.Store(true)
	if err := s.drain(); err != nil {
		return err
	}
	s.reader.close()
	stats, err := s.control.detach()
	if err != nil {
		return errors.Wrap(err, "leaving the session")
	}
	s.stats = stats
	s.left = true
	return nil
}

// leaveOrRemove closes all files of the module, and unloads it unless the session
// continues. It determines the session's result.
func (s *session) leaveOrRemove(result *Result, err *error) {
	s.detach()
	if s.left {
		result.Left = s.mod.name
		return
	}
	patience := unloadPatience
	if s.caught >= abandon {
		patience = abandonPatience
	}
	unloadErr := unload(s.mod.name, patience)
	if unloadErr == nil {
		os.Remove(sessionFilePath(s.mod.genlFamily))
	} else if *err == nil {
		result.ExitCode, *err = 1, unloadErr
	}
	if !s.waitForCommands() {
		result.ExitCode = 1
	}
	if e := s.panicked.Load(); e != nil {
		result.ExitCode, *err = 1, e
	}
}

// detach closes everything that keeps the module in use. It never waits for long, as
// the module has to be unloaded in any case.
func (s *session) detach() {
	if s.command != nil {
		s.command.cancel()
	}
	if s.reader != nil {
		s.reader.close()
	}
	if s.images != nil {
		s.images.close()
	}
	if s.control != nil {
		closed := make(chan struct{})
		s.background(func() {
			defer close(closed)
			s.control.close()
		})
		select {
		case <-closed:
		case <-time.After(abandonPatience):
		}
	}
}
