// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"context"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"
)

// Attach writes the records in the buffers of a detached session, and those that follow,
// until the session ends or the user leaves it (SIGQUIT); with cfg.Dump or cfg.End, only
// the records in the buffers.
// A session whose consumer has died is read to its end and removed.
func Attach(ctx context.Context, name string, cfg Config) (Result, error) {
	failed := Result{ExitCode: 1}
	found, err := find(name)
	if err != nil {
		return failed, err
	}
	if found.State == stateNames[stateLoaded] {
		return failed, errors.Errorf("session %s has not been started; if its process has died, gostap stop %s removes it", name, name)
	}
	n, err := readSessionFile(found.genlFamily)
	if err != nil {
		return failed, errors.Wrapf(err, "what session %s prints is not known here", name)
	}
	supervisor, release := newSupervisor(ctx, &cfg)
	defer release()
	supervisor.detachable, supervisor.recorder = true, true
	s := &session{supervisor: supervisor, manifest: n.Manifest, mod: &module{name: name, genlFamily: found.genlFamily}}
	return s.attached()
}

// attached is a session from attaching to detaching, or to its end.
func (s *session) attached() (result Result, err error) {
	if err := s.connect(); err != nil {
		if errors.Is(err, unix.EBUSY) {
			err = errors.Errorf("session %s is being read by process %d", s.mod.name, s.owner())
		}
		s.detach()
		return Result{ExitCode: 1}, err
	}
	defer func() { s.leaveOrRemove(&result, &err) }()
	if err := s.read(); err != nil {
		s.left = true
		return Result{ExitCode: 1}, err
	}
	switch {
	case s.cfg.Dump:
		s.leave()
	case s.cfg.End || s.stats.state != stateRunning:
		s.end()
	}
	return s.follow()
}

// owner is the process that owns the session.
func (s *session) owner() int {
	if stats, err := s.control.stats(); err == nil {
		return int(stats.owner)
	}
	return 0
}
