// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/pkg/errors"

	"gostap/elaborate/dwarf"
	"gostap/internal/kernels"
	"gostap/translator/syntax"
)

// A debuginfo is that of the kernel itself or of a module, wherever it may be.
type debuginfo struct {
	target *Target
	module string // "" for the kernel itself

	local func() (*dwarf.Info, error) // on this machine
	any   func() (*dwarf.Info, error) // servers are asked, too
	held  func() (*heldCopy, error)   // of the probe cache
}

// newDebuginfo returns the debuginfo of what has the build-id that buildID
// returns, and whose file find finds.
func (t *Target) newDebuginfo(module string, buildID func() (string, error), find func(f *dwarf.Finder, id string) (string, error)) *debuginfo {
	d := &debuginfo{target: t, module: module}
	load := func(servers []string) (*dwarf.Info, error) {
		id, err := buildID()
		if err != nil {
			return nil, err
		}
		progress := t.Progress
		if progress == nil || module != "" {
			progress = func(int64, int64) {}
		}
		f := &dwarf.Finder{Root: kernels.Find(t.Release).Root, Debug: os.Getenv("GOSTAP_DEBUGINFO"), URLs: servers, Cache: dwarf.CacheDir()}
		return f.Load(dwarf.IndexPath(id), func() (string, error) { return find(f, id) }, progress)
	}
	d.local = sync.OnceValues(func() (*dwarf.Info, error) { return load(nil) })
	d.any = sync.OnceValues(func() (*dwarf.Info, error) {
		servers := dwarf.ServersFromEnv()
		if info, err := d.local(); err == nil || len(servers) == 0 {
			return info, err
		}
		return load(servers)
	})
	d.held = sync.OnceValues(func() (*heldCopy, error) {
		id, err := buildID()
		if err != nil {
			return nil, err
		}
		return t.loadHeld(module, id)
	})
	return d
}

// Debuginfo returns the target kernel's debuginfo, from /usr/lib/debug or the
// folder that $GOSTAP_DEBUGINFO names instead: dwarf.ErrNone, wrapped, if it is not
// installed, a *dwarf.MismatchError if that of another build is. The first call
// for a kernel build makes an index, which takes seconds.
func (t *Target) Debuginfo() (*dwarf.Info, error) { return t.debuginfo.any() }

// installed returns the debuginfo if it is on this machine, else nil: for what
// can do without. What the probe cache holds will do for a probe point that it
// has all of, and for variables, which are asked for without a point.
func (d *debuginfo) installed(point *syntax.ProbePoint) *dwarf.Info {
	info, err := d.local()
	if err == nil {
		return info
	}
	if held, err := d.kept(); err == nil && (point == nil || held.has(point)) {
		return held.info
	}
	return nil
}

// kept returns what the probe cache holds, but nothing while it is filled.
func (d *debuginfo) kept() (*heldCopy, error) {
	if d.target.holding != nil {
		return nil, dwarf.ErrNone
	}
	return d.held()
}

// tells reports whether installed debuginfo, or what is held of it, is to be
// asked for a variable NAME or NAME@FILE.
func (d *debuginfo) tells(text string) bool {
	info := d.installed(nil)
	if info == nil || !info.Thin {
		return info != nil
	}
	name, file, _ := strings.Cut(text, "@")
	p := pattern{file: file}
	found, err := info.Globals(name, p.matchesFile)
	return err == nil && len(found) > 0
}

// need returns the debuginfo, without which what can't be known, for a probe
// point, or for variables if that is nil.
func (d *debuginfo) need(at syntax.Pos, what string, point *syntax.ProbePoint) (*dwarf.Info, *syntax.Diagnostic) {
	t := d.target
	info, err := d.installed(point), error(nil)
	if info == nil {
		info, err = d.any()
	}
	if err == nil {
		t.told(info)
		return info, nil
	}
	diag := &syntax.Diagnostic{Pos: at, Msg: what + " is known only from debuginfo"}
	title := title(d.module, t.Release)
	if d.module != "" {
		diag.Msg += " of " + title
	}
	elsewhere := fmt.Sprintf("where the debuginfo is: gostap probe-cache -r %s --add %s; then copy the file here, and gostap probe-cache --import it; or install it: %s",
		t.Release, quoted(point), t.installDebuginfo())
	held, heldErr := d.kept()
	var mismatch *dwarf.MismatchError
	switch {
	case heldErr == nil:
		diag.Msg += fmt.Sprintf(", which is not installed, and the probe cache holds something else for %s: %s", title, enumerate(held.points, 5))
		diag.Hint = elsewhere
	case !errors.Is(heldErr, dwarf.ErrNone) && errors.Is(err, dwarf.ErrNone):
		diag.Msg += ", which is not installed; " + heldErr.Error()
		diag.Hint = elsewhere
	case errors.Is(err, dwarf.ErrNone):
		diag.Msg += ", which is not installed"
		diag.Hint = "install it: " + t.installDebuginfo() + "; without it there are functions, their parameters and results, and types"
	case errors.As(err, &mismatch):
		diag.Msg += ": " + mismatch.Error()
		diag.Hint = "install that of " + title + " as it is here: " + t.installDebuginfo()
	default:
		diag.Msg += ": " + err.Error()
	}
	return nil, diag
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
