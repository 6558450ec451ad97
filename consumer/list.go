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

// A SessionInfo describes a session whose module is loaded, as gostap list shows it.
type SessionInfo struct {
	Module      string    `json:"module"`
	State       string    `json:"state"`            // loaded, starting, running, ending or ended
	PID         int       `json:"pid,omitempty"`    // of the process that reads it; 0 if there is none
	Script      string    `json:"script,omitempty"` // its name; "" if unknown
	Since       time.Time `json:"since"`
	Probes      int       `json:"probes"` // points, 0 if unknown
	Records     uint64    `json:"records"`
	Lost        uint64    `json:"lost"`        // for lack of room
	Overwritten uint64    `json:"overwritten"` // of the records
	Unread      uint64    `json:"unread"`      // of the records: still in the buffers

	genlFamily string
}

var stateNames = map[uint32]string{
	stateLoaded: "loaded", stateStarting: "starting", stateRunning: "running",
	stateExiting: "ending", stateFailed: "ending", stateStopped: "ended",
}

// Sessions returns the sessions whose modules are loaded, in the order of their
// names. It takes root.
func Sessions() ([]SessionInfo, error) {
	if err := needRoot(); err != nil {
		return nil, err
	}
	// Before the modules: a session file is written after its module is loaded.
	stale := sessionFiles()
	dirs, err := filepath.Glob(sessionDirs + "*")
	if err != nil {
		return nil, errors.WithStack(err)
	}
	var sessions []SessionInfo
	for _, dir := range dirs {
		s := SessionInfo{Module: strings.TrimPrefix(dir, sessionDirs)}
		if s.genlFamily = genlFamilyOf(s.Module); s.genlFamily == "" {
			continue // it is being removed
		}
		delete(stale, s.genlFamily)
		err := s.query()
		if errors.Is(err, unix.EPERM) {
			return nil, errors.New("the kernel tells nothing of its sessions to who lacks CAP_SYS_ADMIN")
		}
		if err != nil {
			continue // it is being loaded or unloaded
		}
		if n, err := readSessionFile(s.genlFamily); err == nil {
			s.Script, s.Probes = n.Script, len(n.Manifest.Points)
		}
		sessions = append(sessions, s)
	}
	for family := range stale {
		os.Remove(sessionFilePath(family)) // its session has ended
	}
	return sessions, nil
}

// query fills in the kernel side's statistics.
func (s *SessionInfo) query() error {
	control, err := dialControl(s.genlFamily, func(message) {})
	if err != nil {
		return err
	}
	defer control.close()
	stats, err := control.stats()
	if err != nil {
		return err
	}
	s.update(stats)
	return nil
}

func (s *SessionInfo) update(stats *kernelStats) {
	s.State, s.PID, s.Since = stateNames[stats.state], int(stats.owner), stats.loaded
	s.Records, s.Lost, s.Overwritten, s.Unread = 0, 0, 0, 0
	for cpu, written := range stats.written {
		s.Records += written
		s.Lost += stats.lost[cpu]
		s.Overwritten += stats.overwritten[cpu]
		s.Unread += written - stats.first[cpu]
	}
}

// genlFamilyOf returns the generic netlink family of a module of gostap's, "" if
// there is no such module.
func genlFamilyOf(module string) string {
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
func find(name string) (*SessionInfo, error) {
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

// needRoot is an error for users without the rights for sessions.
func needRoot() error {
	if os.Geteuid() != 0 {
		return errors.New("sessions of the kernel are root's: run it with sudo")
	}
	return nil
}
