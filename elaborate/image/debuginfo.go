// SPDX-License-Identifier: GPL-2.0-or-later

package image

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/pkg/errors"

	"gostap/elaborate/dwarf"
	"gostap/elaborate/probecache"
	"gostap/elaborate/probepoint"
	"gostap/elaborate/symbols"
	"gostap/internal/distro"
	"gostap/internal/kernels"
	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

// A Debuginfo finds the debuginfo of the kernel itself, of a module or a program.
type Debuginfo struct {
	target  *Target
	module  string        // "" for the kernel itself
	title   string        // of the kernel, module or program, in messages
	install func() string // the command that installs it

	local  func() (*dwarf.Info, error)       // on this machine
	any    func() (*dwarf.Info, error)       // or from a debuginfod server
	cached func() (*probecache.Entry, error) // of the probe cache
}

// newDebuginfo returns a Debuginfo; buildID returns the build-id, and find finds
// the file.
func (t *Target) newDebuginfo(module string, buildID func() (string, error), find func(f *dwarf.Finder, id string) (string, error)) *Debuginfo {
	d := &Debuginfo{target: t, module: module, title: symbols.Title(module, t.Release), install: t.InstallDebuginfo}
	load := func(servers []string) (*dwarf.Info, error) {
		id, err := buildID()
		if err != nil {
			return nil, err
		}
		f := &dwarf.Finder{Root: kernels.Find(t.Release).Root, Debug: os.Getenv("GOSTAP_DEBUGINFO"), URLs: servers, Cache: dwarf.CacheDir()}
		return f.Load(dwarf.IndexPath(id), func() (string, error) { return find(f, id) }, t.progress(d.title))
	}
	d.local = sync.OnceValues(func() (*dwarf.Info, error) { return load(nil) })
	d.any = sync.OnceValues(func() (*dwarf.Info, error) {
		servers := dwarf.ServersFromEnv()
		if info, err := d.local(); err == nil || len(servers) == 0 {
			return info, err
		}
		return load(servers)
	})
	d.cached = sync.OnceValues(func() (*probecache.Entry, error) {
		id, err := buildID()
		if err != nil {
			return nil, err
		}
		cache, err := t.ProbeCache()
		if err != nil {
			return nil, err
		}
		return cache.Load(module, id)
	})
	return d
}

// Any returns the debuginfo, from /usr/lib/debug or the folder that
// $GOSTAP_DEBUGINFO names instead, or from a server: dwarf.ErrNone, wrapped, if
// there is none, a *dwarf.MismatchError if it is that of another build. The first
// call for a kernel build makes an index, which takes seconds.
func (d *Debuginfo) Any() (*dwarf.Info, error) { return d.any() }

// Installed returns the debuginfo if it is on this machine, else nil: for
// optional uses. The probe cache is used if it has all of the probe point, and
// for variables, for which the point is nil.
func (d *Debuginfo) Installed(point *syntax.ProbePoint) *dwarf.Info {
	info, err := d.local()
	if err == nil {
		return info
	}
	if entry, err := d.Cached(); err == nil && (point == nil || entry.Has(point)) {
		return entry.Info
	}
	return nil
}

// Cached returns the entry of the probe cache; none while the cache is being filled.
func (d *Debuginfo) Cached() (*probecache.Entry, error) {
	if d.target.Collector != nil || d.cached == nil {
		return nil, dwarf.ErrNone
	}
	return d.cached()
}

// Tells reports whether installed debuginfo, or the probe cache, may have a variable
// NAME or NAME@FILE.
func (d *Debuginfo) Tells(text string) bool {
	info := d.Installed(nil)
	if info == nil || !info.IsSubset {
		return info != nil
	}
	name, file, _ := strings.Cut(text, "@")
	p := probepoint.Pattern{File: file}
	found, err := info.Globals(name, p.MatchesFile)
	return err == nil && len(found) > 0
}

// Need returns the debuginfo for a probe point, or for variables if that is nil; what
// names, for the error, what needs it.
func (d *Debuginfo) Need(at syntax.Pos, what string, point *syntax.ProbePoint) (*dwarf.Info, *syntax.Diagnostic) {
	t := d.target
	info, err := d.Installed(point), error(nil)
	if info == nil {
		info, err = d.any()
	}
	if err == nil {
		t.AddSource(info)
		return info, nil
	}
	diag := &syntax.Diagnostic{Pos: at, Msg: what + " is known only from debuginfo"}
	title := d.title
	if d.module != "" || d.cached == nil {
		diag.Msg += " of " + title
	}
	add := fmt.Sprintf("where the debuginfo is: gostap probe-cache -r %s --add %s; then copy the file here, and gostap probe-cache --import it; or install it: ",
		t.Release, quoted(point))
	before, behind := "install it: ", ""
	entry, cacheErr := d.Cached()
	var mismatch *dwarf.MismatchError
	switch {
	case cacheErr == nil:
		diag.Msg += fmt.Sprintf(", which is not installed, and the probe cache holds something else for %s: %s", title, suggest.Enumerate(entry.Points, 5))
		before = add
	case !errors.Is(cacheErr, dwarf.ErrNone) && errors.Is(err, dwarf.ErrNone):
		diag.Msg += ", which is not installed; " + cacheErr.Error()
		before = add
	case errors.Is(err, dwarf.ErrNone):
		diag.Msg += ", which is not installed"
		behind = "without it there are functions, their parameters and results, and types; "
		if d.cached == nil {
			behind = "without it there are functions, by the names of symbols, and static marks; "
		}
	case errors.As(err, &mismatch):
		diag.Msg += ": " + mismatch.Error()
		before = "install that of " + title + " as it is here: "
	default:
		diag.Msg += ": " + err.Error()
		return nil, diag
	}
	diag.Install = func() string { return before + d.install() + "; " + behind + distro.Doctor }
	return nil, diag
}

// quoted spells a probe point as a shell takes it.
func quoted(point *syntax.ProbePoint) string {
	if point == nil {
		return "POINT"
	}
	return "'" + probepoint.Spell(point) + "'"
}

// InstallDebuginfo is the command that installs the target's debuginfo.
func (t *Target) InstallDebuginfo() string {
	d := distro.Here()
	if command := d.KernelDebuginfo(t.Release); command != "" {
		return command
	}
	if url := d.Debuginfod(); url != "" {
		return "export DEBUGINFOD_URLS=" + url
	}
	return "see gostap doctor"
}
