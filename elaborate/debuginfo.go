// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"os"

	"github.com/pkg/errors"

	"gostap/elaborate/dwarf"
	"gostap/translator/syntax"
)

// Debuginfo returns the target kernel's debuginfo, from /usr/lib/debug or the
// folder that $GOSTAP_DEBUGINFO names instead: dwarf.ErrNone, wrapped, if it is not
// installed, a *dwarf.MismatchError if that of another build is. The first call
// for a kernel build makes an index, which takes seconds.
func (t *Target) Debuginfo() (*dwarf.Info, error) { return t.debug() }

// loadDebuginfo finds and indexes the kernel's debuginfo.
func (t *Target) loadDebuginfo(servers []string) (*dwarf.Info, error) {
	k, err := t.kernel()
	if err != nil {
		return nil, err
	}
	progress := t.Progress
	if progress == nil {
		progress = func(int64, int64) {}
	}
	f := &dwarf.Finder{Debug: os.Getenv("GOSTAP_DEBUGINFO"), URLs: servers, Cache: dwarf.CacheDir()}
	return f.Load(dwarf.IndexPath(k.BuildID), func() (string, error) { return f.Kernel(t.Release, k.BuildID) }, progress)
}

// installed returns the debuginfo if it is on this machine, else nil: for what
// can do without.
func (t *Target) installed() *dwarf.Info {
	info, err := t.local()
	if err != nil {
		return nil
	}
	return info
}

// needDebuginfo returns the debuginfo, without which what can't be known.
func (t *Target) needDebuginfo(at syntax.Pos, what string) (*dwarf.Info, *syntax.Diagnostic) {
	info, err := t.Debuginfo()
	if err == nil {
		t.asked.debuginfo = true
		return info, nil
	}
	d := &syntax.Diagnostic{Pos: at, Msg: what + " is known only from debuginfo"}
	var mismatch *dwarf.MismatchError
	switch {
	case errors.Is(err, dwarf.ErrNone):
		d.Msg += ", which is not installed"
		d.Hint = "install it: " + t.installDebuginfo() + "; without it there are functions, their parameters and results, and types"
	case errors.As(err, &mismatch):
		d.Msg += ": " + mismatch.Error()
		d.Hint = "install that of kernel " + t.Release + " as it is here: " + t.installDebuginfo()
	default:
		d.Msg += ": " + err.Error()
	}
	return nil, d
}

// installDebuginfo is the command that installs the target's debuginfo.
func (t *Target) installDebuginfo() string { return "apt install linux-image-" + t.Release + "-dbg" }
