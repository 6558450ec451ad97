// SPDX-License-Identifier: GPL-2.0-or-later

package image

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/pkg/errors"

	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/elaborate/probecache"
	"gostap/elaborate/probepoint"
	"gostap/elaborate/symbols"
	"gostap/internal/kernels"
	"gostap/translator/syntax"
)

// A Target is where the script is to run. Its parts are read when they are
// first needed.
type Target struct {
	Release string // the kernel's; "" for the host runtime
	Guru    bool

	Unprivileged bool // only what --privilege=stapusr may probe
	SkipBadVars  bool // target variables that have no value are 0
	AsStap       bool // scripts may ask for less, as in SystemTap: a struct as a whole has no value

	config func() map[string]string
	kernel func() (*symbols.Kernel, error)
	types  func() (*btf.Spec, error)
	code   func() (*machineCode, error)
	jumps  func() *symbols.Jumps
	loaded func() []string    // the modules, by name
	opened map[string]*Module // by path

	programs map[string]*Program // by path

	debuginfo *Debuginfo // the kernel's own

	used struct{ btf, debuginfo, cache bool } // where types and addresses have come from

	// Collector records data that are read from debuginfo, for the probe cache, which is not used then;
	// nil: no recording.
	Collector probecache.Collector

	// Traced is the target process: what -c starts or -x names.
	Traced struct {
		Command string // the program, as it is looked for; "" for none
		PID     int    // 0 for none
	}

	// Loaded returns the names of the modules that are loaded, if the target is the running kernel.
	Loaded func() []string

	// Interrupted reports whether pass 2 is to end, at the next probe; nil: never.
	Interrupted func() bool

	// Progress returns what is called while the index of a kernel, module or program is built, nil for nothing; may be nil.
	Progress func(of string) dwarf.Progress
}

// progress is Progress, or does nothing.
func (t *Target) progress(of string) dwarf.Progress {
	if t.Progress != nil {
		if p := t.Progress(of); p != nil {
			return p
		}
	}
	return func(int64, int64) {}
}

// NewTarget returns the kernel of that release as a target, or the host
// runtime for "".
func NewTarget(release string, guru bool) *Target {
	t := &Target{
		Release: release,
		Guru:    guru,
		opened:  map[string]*Module{},

		programs: map[string]*Program{},
		config:   sync.OnceValue(func() map[string]string { return readConfig(release) }),
	}
	t.kernel = sync.OnceValues(func() (*symbols.Kernel, error) {
		if release == "" {
			return nil, errHost
		}
		return symbols.Open(release)
	})
	t.types = sync.OnceValues(t.readTypes)
	t.code = sync.OnceValues(t.readCode)
	t.jumps = sync.OnceValue(func() *symbols.Jumps {
		k, err := t.kernel()
		if err != nil {
			return &symbols.Jumps{}
		}
		return k.Jumps()
	})
	t.Loaded = sync.OnceValue(func() []string {
		k, err := t.kernel()
		if err != nil {
			return nil
		}
		return k.Loaded()
	})
	t.debuginfo = t.newDebuginfo("", t.BuildID, func(f *dwarf.Finder, id string) (string, error) { return f.Kernel(release, id) })
	return t
}

var errHost = errors.New("the host runtime has no kernel to look into, only begin, end, error and timer probes")

// BuildID is the kernel's.
func (t *Target) BuildID() (string, error) {
	k, err := t.kernel()
	if err != nil {
		return "", err
	}
	return k.BuildID, nil
}

// Host returns an error if the target is the host runtime, which has few kinds of probes.
func (t *Target) Host() error {
	if t.Release == "" {
		return errHost
	}
	return nil
}

// Kernel returns what the target kernel contains.
func (t *Target) Kernel() (*symbols.Kernel, error) { return t.kernel() }

// Sources says where types and addresses have come from until now: ", by BTF and debuginfo".
func (t *Target) Sources() string {
	var list []string
	for _, source := range []struct {
		used bool
		name string
	}{{t.used.btf, "BTF"}, {t.used.debuginfo, "debuginfo"}, {t.used.cache, "the probe cache"}} {
		if source.used {
			list = append(list, source.name)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return ", by " + strings.Join(list, " and ")
}

// AddSource adds debuginfo to the sources: debuginfo itself, or a probe cache entry.
func (t *Target) AddSource(info *dwarf.Info) {
	if info.IsSubset {
		t.used.cache = true
	} else {
		t.used.debuginfo = true
	}
}

// Complain makes an error in reading the kernel a diagnostic.
func (t *Target) Complain(at syntax.Pos, err error) *syntax.Diagnostic {
	d := &syntax.Diagnostic{Pos: at, Msg: err.Error()}
	var missing *symbols.MissingError
	if errors.As(err, &missing) {
		d.Msg, d.Hint = missing.What, missing.Hint()
	}
	return d
}

// Config returns the value of a kernel configuration option, "CONFIG_HZ" for
// one; "" if it is not set or the configuration can't be read.
func (t *Target) Config(name string) string { return t.config()[name] }

// HZ is how many jiffies a second has.
func (t *Target) HZ() int64 {
	if n, err := strconv.ParseInt(t.Config("CONFIG_HZ"), 10, 64); err == nil && n > 0 {
		return n
	}
	return 250
}

// readConfig reads a kernel's configuration.
func readConfig(release string) map[string]string {
	options := map[string]string{}
	f, err := os.Open(kernels.Find(release).Config())
	if err != nil {
		return options
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if name, value, ok := strings.Cut(lines.Text(), "="); ok && strings.HasPrefix(name, "CONFIG_") {
			options[name] = strings.Trim(value, `"`)
		}
	}
	return options
}

// Types returns the kernel's own types.
func (t *Target) Types() (btf.Named, error) { return named(t.types()) }

// named returns a spec as an interface that is nil, and not a nil *Spec, on an error.
func named(s *btf.Spec, err error) (btf.Named, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Debuginfo returns the kernel's own.
func (t *Target) Debuginfo() *Debuginfo { return t.debuginfo }

// ProbeCache returns the probe cache's entry for the kernel.
func (t *Target) ProbeCache() (*probecache.Cache, error) {
	id, err := t.BuildID()
	return &probecache.Cache{Release: t.Release, BuildID: id}, err
}

// Collect records that a probe point needs the debuginfo of functions, if the probe cache is being filled.
func (t *Target) Collect(s *Source, point probepoint.Point, functions []dwarf.Func) error {
	if t.Collector == nil || s.User() {
		return nil
	}
	return t.Collector.Add(s.Name(), s.Info, point, functions)
}
