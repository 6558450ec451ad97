// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"

	"gostap/translator/suggest"
)

// A Session is one whose module is loaded, as gostap list shows it.
type Session struct {
	Module      string    `json:"module"`
	State       string    `json:"state"`            // loaded, starting, running, ending or ended
	PID         int       `json:"pid,omitempty"`    // of the process that reads it; 0 if there is none
	Script      string    `json:"script,omitempty"` // as the user called it; "" if unknown
	Since       time.Time `json:"since"`
	Probes      int       `json:"probes"` // points, 0 if unknown
	Records     uint64    `json:"records"`
	Lost        uint64    `json:"lost"`        // for want of room
	Overwritten uint64    `json:"overwritten"` // of the records
	Unread      uint64    `json:"unread"`      // of the records: still in the buffers

	family string
}

var stateNames = map[uint32]string{
	stateLoaded: "loaded", stateStarting: "starting", stateRunning: "running",
	stateExiting: "ending", stateFailed: "ending", stateStopped: "ended",
}

// Sessions returns the sessions whose modules are loaded, in the order of their
// names. It takes root.
func Sessions() ([]Session, error) {
	if err := needRoot(); err != nil {
		return nil, err
	}
	// Before the modules, for a session file is written after its module is loaded.
	stale := sessionFiles()
	dirs, err := filepath.Glob(sessionDirs + "*")
	if err != nil {
		return nil, errors.WithStack(err)
	}
	var sessions []Session
	for _, dir := range dirs {
		s := Session{Module: strings.TrimPrefix(dir, sessionDirs)}
		if s.family = familyOf(s.Module); s.family == "" {
			continue // it is just being removed
		}
		delete(stale, s.family)
		err := s.ask()
		if errors.Is(err, unix.EPERM) {
			return nil, errors.New("the kernel tells nothing of its sessions to who lacks CAP_SYS_ADMIN")
		}
		if err != nil {
			continue // it is just coming or going
		}
		if n, err := readSessionFile(s.family); err == nil {
			s.Script, s.Probes = n.Script, len(n.Manifest.Points)
		}
		sessions = append(sessions, s)
	}
	for family := range stale {
		os.Remove(sessionFilePath(family)) // its session is no more
	}
	return sessions, nil
}

// ask fills in what the kernel side knows.
func (s *Session) ask() error {
	control, err := dialControl(s.family, func(message) {})
	if err != nil {
		return err
	}
	defer control.close()
	stats, err := control.stats()
	if err != nil {
		return err
	}
	s.tell(stats)
	return nil
}

func (s *Session) tell(stats *kernelStats) {
	s.State, s.PID, s.Since = stateNames[stats.state], int(stats.owner), stats.loaded
	s.Records, s.Lost, s.Overwritten, s.Unread = 0, 0, 0, 0
	for cpu, written := range stats.written {
		s.Records += written
		s.Lost += stats.lost[cpu]
		s.Overwritten += stats.overwritten[cpu]
		s.Unread += written - stats.first[cpu]
	}
}

// familyOf returns the generic netlink family of a module of gostap's, "" if
// there is no such module.
func familyOf(module string) string {
	dir := "/sys/module/" + module
	if family := readTrimmed(dir + "/parameters/family"); family != "" {
		return family
	}
	if _, err := os.Stat(dir); err != nil {
		return ""
	}
	return module // loaded by hand
}

// find returns the session of that name.
func find(name string) (*Session, error) {
	sessions, err := Sessions()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, s := range sessions {
		if s.Module == name {
			return &s, nil
		}
		names = append(names, s.Module)
	}
	if hint := suggest.Hint(name, names); hint != "" {
		return nil, errors.Errorf("there is no session %s (%s)", name, hint)
	}
	return nil, errors.Errorf("there is no session %s (gostap list shows those that there are)", name)
}

// needRoot refuses users who could not talk to the kernel.
func needRoot() error {
	if os.Geteuid() != 0 {
		return errors.New("sessions of the kernel are root's: run it with sudo")
	}
	return nil
}

// stopPatience is how long the process that reads a session is given to write out
// the rest.
const stopPatience = 20 * time.Second

// Stop ends a session: its end probes run, and its module is removed, by the
// process that reads it if there is one. It returns what the session had come
// to when it had ended; Unread is lost if nobody reads it.
func Stop(name string) (Session, error) {
	s, err := find(name)
	if err != nil {
		return Session{}, err
	}
	control, err := dialControl(s.family, func(message) {})
	if err != nil {
		return *s, err
	}
	defer control.close()
	var stats *kernelStats
	if err = stopSession(name); err == nil {
		stats, err = control.stats()
	}
	for deadline := time.Now().Add(stopPatience); err == nil && stats.owner != 0; stats, err = control.stats() {
		s.tell(stats)
		if time.Now().After(deadline) {
			return *s, errors.Errorf("%s has ended and its probes are gone, but process %d, which reads it, has not written out the rest", name, s.PID)
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err == nil {
		s.tell(stats)
	} else if !errors.Is(err, unix.ENOENT) { // else whoever reads it is removing it
		return *s, errors.Wrapf(err, "ending session %s", name)
	}
	if err := unload(name, unloadPatience); err != nil {
		return *s, err
	}
	os.Remove(sessionFilePath(s.family))
	return *s, nil
}
