// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/pkg/errors"

	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/elaborate/symbols"
	"gostap/internal/kernels"
	"gostap/translator/syntax"
)

// A Target is where the script is to run. Its parts are read when they are
// first asked for.
type Target struct {
	Release string // the kernel's; "" for the host runtime
	Guru    bool

	config func() map[string]string
	kernel func() (*symbols.Kernel, error)
	types  func() (*btf.Spec, error)
	code   func() (*machineCode, error)
	jumps  func() *symbols.Jumps
	loaded func() []string        // the modules, by name
	opened map[string]*openModule // by path

	debuginfo *debuginfo // the kernel's own

	entryValues []*entryValue // that variables have asked for; the index is their number

	asked   struct{ btf, debuginfo, held bool } // what answers have come from
	holding holding                             // what the probe cache is being filled with, else nil

	// Progress is told how far the making of an index has come; nil for nobody.
	Progress dwarf.Progress
}

// NewTarget returns the kernel of that release as a target, or the host
// runtime for "".
func NewTarget(release string, guru bool) *Target {
	t := &Target{
		Release: release,
		Guru:    guru,
		opened:  map[string]*openModule{},
		config:  sync.OnceValue(func() map[string]string { return readConfig(release) }),
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
	t.loaded = sync.OnceValue(func() []string {
		k, err := t.kernel()
		if err != nil {
			return nil
		}
		return k.Loaded()
	})
	t.debuginfo = t.newDebuginfo("", t.buildID, func(f *dwarf.Finder, id string) (string, error) { return f.Kernel(release, id) })
	return t
}

var errHost = errors.New("the host runtime has no kernel to look into, only begin, end, error and timer probes")

// buildID is the kernel's.
func (t *Target) buildID() (string, error) {
	k, err := t.kernel()
	if err != nil {
		return "", err
	}
	return k.BuildID, nil
}

// Kernel returns what the target kernel contains.
func (t *Target) Kernel() (*symbols.Kernel, error) { return t.kernel() }

// modules returns the modules that are installed for the kernel.
func (t *Target) modules() (symbols.ModuleTree, error) {
	k, err := t.kernel()
	if err != nil {
		return nil, err
	}
	return k.Modules()
}

// module opens a module's file.
func (t *Target) module(path string) (*openModule, error) {
	if m := t.opened[path]; m != nil {
		return m, nil
	}
	file, err := symbols.OpenModule(path)
	if err != nil {
		return nil, err
	}
	m := &openModule{Module: file}
	m.types = sync.OnceValues(func() (*btf.Spec, error) { return t.readModuleTypes(m) })
	m.code = sync.OnceValues(func() (map[string]*machineCode, error) { return t.readModuleCode(file) })
	m.debuginfo = t.newDebuginfo(m.Name, m.BuildID,
		func(f *dwarf.Finder, id string) (string, error) { return f.Module(path, id) })
	t.opened[path] = m
	return m, nil
}

// An openModule is a module's file, with its types and the kernel's.
type openModule struct {
	*symbols.Module
	types     func() (*btf.Spec, error)
	code      func() (map[string]*machineCode, error) // by sections
	debuginfo *debuginfo
}

// Sources says, as ", by BTF and debuginfo", what has told of types and places
// until now.
func (t *Target) Sources() string {
	var list []string
	for _, source := range []struct {
		asked bool
		name  string
	}{{t.asked.btf, "BTF"}, {t.asked.debuginfo, "debuginfo"}, {t.asked.held, "the probe cache"}} {
		if source.asked {
			list = append(list, source.name)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return ", by " + strings.Join(list, " and ")
}

// told notes that debuginfo has answered: that itself, or what is held of it.
func (t *Target) told(info *dwarf.Info) {
	if info.Thin {
		t.asked.held = true
	} else {
		t.asked.debuginfo = true
	}
}

// complain is the error for err, which came of looking into the kernel.
func (t *Target) complain(at syntax.Pos, err error) *syntax.Diagnostic {
	d := &syntax.Diagnostic{Pos: at, Msg: err.Error()}
	var missing *symbols.MissingError
	if errors.As(err, &missing) {
		d.Msg, d.Hint = missing.What, "install it: "+missing.Install
	}
	return d
}

// Config returns the value of a kernel configuration option, "CONFIG_HZ" for
// one; "" if it is not set or the configuration can't be read.
func (t *Target) Config(name string) string { return t.config()[name] }

// hz is how many jiffies a second has.
func (t *Target) hz() int64 {
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

// anywhere resolves what needs no place: @cast and the like, in functions.
func (t *Target) anywhere() Resolver {
	return &functionVars{target: t, nowhere: "here, but only where a function or a tracepoint is probed"}
}

// inCondition resolves the same in conditions.
func (t *Target) inCondition() Resolver {
	return &functionVars{target: t, nowhere: "in a condition: it is asked when no probe point is hit"}
}
