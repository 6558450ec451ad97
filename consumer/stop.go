// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"os"
	"time"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"
)

// stopPatience is how long to wait for a session's consumer to write the remaining
// records.
const stopPatience = 20 * time.Second

// Stop ends a session: its end probes run, and its module is removed, by the
// process that reads it if there is one. It returns the
// session's final statistics; without a consumer, Unread is lost.
func Stop(name string) (SessionInfo, error) {
	s, err := find(name)
	if err != nil {
		return SessionInfo{}, err
	}
	control, err := dialControl(s.genlFamily, func(message) {})
	if err != nil {
		return *s, err
	}
	defer control.close()
	var stats *kernelStats
	if err = stopSession(name); err == nil {
		stats, err = control.stats()
	}
	for deadline := time.Now().Add(stopPatience); err == nil && stats.owner != 0; stats, err = control.stats() {
		s.update(stats)
		if time.Now().After(deadline) {
			return *s, errors.Errorf("%s has ended and its probes are gone, but process %d, which reads it, has not written out the rest", name, s.PID)
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err == nil {
		s.update(stats)
	} else if !errors.Is(err, unix.ENOENT) { // else its consumer is unloading it
		return *s, errors.Wrapf(err, "ending session %s", name)
	}
	if err := unload(name, unloadPatience); err != nil {
		return *s, err
	}
	os.Remove(sessionFilePath(s.genlFamily))
	return *s, nil
}

// stopSession stops the session of a module; it tries again if the kernel lacks memory for a moment.
func stopSession(module string) error {
	var s *starter
	err := retry(unloadPatience, func() (err error) {
		s, err = openStarter(module)
		return err
	})
	if errors.Is(err, os.ErrNotExist) {
		return unix.ENOENT
	}
	if err != nil {
		return err
	}
	defer s.close()
	return s.stop()
}
