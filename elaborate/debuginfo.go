// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"fmt"
	"os"
	"strings"

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
// can do without. What the probe cache holds will do for a probe point that it
// has all of, and for variables, which are asked for without a point.
func (t *Target) installed(point *syntax.ProbePoint) *dwarf.Info {
	info, err := t.local()
	if err == nil {
		return info
	}
	if held, err := t.held(); err == nil && (point == nil || held.has(point)) {
		return held.info
	}
	return nil
}

// tells reports whether installed debuginfo, or what is held of it, is to be
// asked for a variable NAME or NAME@FILE.
func (t *Target) tells(text string) bool {
	info := t.installed(nil)
	if info == nil || !info.Thin {
		return info != nil
	}
	name, file, _ := strings.Cut(text, "@")
	p := pattern{file: file}
	found, err := info.Globals(name, p.matchesFile)
	return err == nil && len(found) > 0
}

// needDebuginfo returns the debuginfo, without which what can't be known, for a
// probe point, or for variables if that is nil.
func (t *Target) needDebuginfo(at syntax.Pos, what string, point *syntax.ProbePoint) (*dwarf.Info, *syntax.Diagnostic) {
	info, err := t.installed(point), error(nil)
	if info == nil {
		info, err = t.Debuginfo()
	}
	if err == nil {
		t.told(info)
		return info, nil
	}
	d := &syntax.Diagnostic{Pos: at, Msg: what + " is known only from debuginfo"}
	held, heldErr := t.held()
	var mismatch *dwarf.MismatchError
	switch {
	case heldErr == nil:
		d.Msg += fmt.Sprintf(", which is not installed, and the probe cache holds something else for kernel %s: %s", t.Release, enumerate(held.points, 5))
		d.Hint = fmt.Sprintf("where the debuginfo is: gostap probe-cache -r %s --add %s; then copy the file here, and gostap probe-cache --import it; or install it: %s",
			t.Release, quoted(point), t.installDebuginfo())
	case !errors.Is(heldErr, dwarf.ErrNone) && errors.Is(err, dwarf.ErrNone):
		d.Msg += ": " + heldErr.Error()
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

// quoted spells a probe point as a shell takes it.
func quoted(point *syntax.ProbePoint) string {
	if point == nil {
		return "POINT"
	}
	return "'" + spell(point) + "'"
}

// installDebuginfo is the command that installs the target's debuginfo.
func (t *Target) installDebuginfo() string { return "apt install linux-image-" + t.Release + "-dbg" }
