// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"

	"gostap/internal/cache"
)

// peerOptions are options of stap(1) that gostap has for compatibility only.
type peerOptions struct {
	dumpTypes, dumpAliases, dumpFunctions bool

	skipBadVars  bool
	example      bool
	poisonCache  bool
	disableCache bool
	cleanCache   bool
	make         []string // -B
	modinfo      []string
	arch         string   // -a
	privilege    string   // --privilege
	privileges   int      // how often that is given
	remote       []string // --remote
	sysroot      string
	unprivileged bool
	interactive  bool
	dyninst, bpf bool
	signModule   bool
	prologue     string // --prologue-searching
	download     string // --download-debuginfo
	sysenv       []string
	useServer    string
	listServers  string
	trustServers string
	limits       [len(resources)]int64 // --rlimit-*, 0 for none
}

// resources are the resources that --rlimit-NAME limits.
var resources = [...]struct {
	name string
	what int
}{
	{"as", unix.RLIMIT_AS}, {"cpu", unix.RLIMIT_CPU}, {"nproc", unix.RLIMIT_NPROC}, {"stack", unix.RLIMIT_STACK}, {"fsize", unix.RLIMIT_FSIZE},
}

// flags adds the options to those of the passes.
func (p *peerOptions) flags(f *pflag.FlagSet) {
	f.BoolVar(&p.dumpTypes, "dump-probe-types", false, "list the kinds of probe points, and run nothing")
	f.BoolVar(&p.dumpAliases, "dump-probe-aliases", false, "list the library's probe aliases")
	f.BoolVar(&p.dumpFunctions, "dump-functions", false, "list the library's functions")
	f.BoolVar(&p.example, "example", false, "look for FILE among SystemTap's examples")
	f.BoolVar(&p.skipBadVars, "skip-badvars", false, "take target variables and memory that can't be read for 0")
	f.BoolVar(&p.poisonCache, "poison-cache", false, "build what is in the cache once more")
	f.BoolVar(&p.disableCache, "disable-cache", false, "do without the cache")
	f.BoolVar(&p.cleanCache, "clean-cache", false, "remove from the cache what is more than it may hold, and run nothing")
	f.VarP((*texts)(&p.make), "kbuild-option", "B", "build with kbuild's `NAME=VALUE`")
	f.Var((*texts)(&p.modinfo), "modinfo", "put `NAME=VALUE` into the module's information")
	for i, r := range resources {
		f.Int64Var(&p.limits[i], "rlimit-"+r.name, 0, "limit of the passes, as of setrlimit(2)")
		f.MarkHidden("rlimit-" + r.name)
	}
	optional := func(name string, to *string, otherwise string) {
		f.StringVar(to, name, "", "see stap(1)")
		f.Lookup(name).NoOptDefVal = otherwise
		f.MarkHidden(name)
	}
	optional("privilege", &p.privilege, "stapusr")
	optional("prologue-searching", &p.prologue, "always")
	optional("download-debuginfo", &p.download, "yes")
	optional("use-server", &p.useServer, "any")
	optional("list-servers", &p.listServers, "specified")
	optional("trust-servers", &p.trustServers, "ssl")
	f.Var((*texts)(&p.sysenv), "sysenv", "see stap(1)")
	f.StringVarP(&p.arch, "arch", "a", "", "see stap(1)")
	f.StringVar(&p.sysroot, "sysroot", "", "see stap(1)")
	f.Var((*texts)(&p.remote), "remote", "see stap(1)")
	for _, b := range []struct {
		to          *bool
		name, short string
	}{{&p.unprivileged, "unprivileged", ""}, {&p.interactive, "interactive", "i"}, {&p.dyninst, "dyninst", ""}, {&p.bpf, "bpf", ""}, {&p.signModule, "sign-module", ""}} {
		f.BoolVarP(b.to, b.name, b.short, false, "see stap(1)")
	}
	for _, name := range []string{"arch", "sysroot", "sysenv", "remote", "unprivileged", "interactive", "dyninst", "bpf", "sign-module"} {
		f.MarkHidden(name)
	}
	ignored(f)
}

// ignored adds the options that have no effect in gostap: for SystemTap's reading of debuginfo, its
// runtime and temporary files, and old kernels.
func ignored(f *pflag.FlagSet) {
	for _, o := range []struct{ name, short, value string }{ // value: "" for an option without, "=" with one, else the default of an optional one
		{"prologue-searching-always", "P", ""}, {"tapset-coverage", "q", ""},
		{"check-version", "", ""}, {"no-global-var-display", "", ""}, {"save-uprobes", "", ""}, {"remote-prefix", "", ""},
		{"runtime-dir", "R", "="}, {"tmpdir", "", "="},
		{"use-server-on-error", "", "yes"},
	} {
		switch o.value {
		case "":
			f.BoolP(o.name, o.short, false, "no meaning")
		case "=":
			f.StringArrayP(o.name, o.short, nil, "no meaning")
		default:
			f.StringP(o.name, o.short, "", "no meaning")
			f.Lookup(o.name).NoOptDefVal = o.value
		}
		f.MarkHidden(o.name)
	}
}

// check refuses options that gostap does not support.
func (p *peerOptions) check(sign string) error {
	switch {
	case p.arch != "" && p.arch != "x86_64":
		return errors.Errorf("-a %s: modules are built for x86_64 alone", p.arch)
	case p.dyninst || p.bpf:
		return errors.New("there is no such runtime: --runtime=kernel or --runtime=host")
	case p.interactive:
		return errors.New("-i: scripts are not built interactively")
	case p.signModule && sign == "":
		return errors.New("--sign-module takes the key and certificate of --sign KEY,CERT: see docs/SIGNING.md")
	case p.sysroot != "" && p.sysroot != "/":
		return errors.Errorf("--sysroot=%s: files are looked for below / alone", p.sysroot)
	}
	if err := p.checkServers(); err != nil {
		return err
	}
	for _, url := range p.remote {
		if url != "direct://" {
			return errors.Errorf("--remote=%s: build with -p4 -m NAME, and run it there: gostap run NAME.ko", url)
		}
	}
	for _, list := range [][]string{p.make, p.modinfo} {
		for _, set := range list {
			if name, _, ok := strings.Cut(set, "="); !ok || name == "" {
				return errors.Errorf("%s: write it NAME=VALUE", set)
			}
		}
	}
	return nil
}

// dumps reports whether an option replaces running a script.
func (p *peerOptions) dumps() bool { return p.lists() || p.cleanCache }

// lists reports whether something is to be listed.
func (p *peerOptions) lists() bool { return p.dumpTypes || p.dumpAliases || p.dumpFunctions }

// apply applies the options that affect the process as a whole.
func (p *peerOptions) apply() (done func(), err error) {
	for i, r := range resources {
		if n := p.limits[i]; n > 0 {
			if r.what == unix.RLIMIT_AS {
				if n < leastMemory {
					return nil, stapRefusal("Out of memory.   Please check --rlimit-as and memory availability.")
				}
				debug.SetMemoryLimit(n)
				n += addressSpace()
			}
			limit := unix.Rlimit{Cur: uint64(n), Max: uint64(n)}
			if err := unix.Setrlimit(r.what, &limit); err != nil {
				return nil, errors.Wrapf(err, "--rlimit-%s=%d", r.name, n)
			}
		}
	}
	if !p.disableCache {
		return func() {}, nil
	}
	dir, err := os.MkdirTemp("", "gostap-cache-")
	if err != nil {
		return nil, errors.WithStack(err)
	}
	os.Setenv("GOSTAP_CACHE", dir)
	return func() { os.RemoveAll(dir) }, nil
}

// leastMemory is the smallest --rlimit-as, in bytes, with which the passes work.
const leastMemory = 64 << 20

// addressSpace is the address space of this process, in bytes: Go's runtime reserves much more than it uses, which
// is added to the limit.
func addressSpace() int64 {
	var pages int64
	if stat, err := os.ReadFile("/proc/self/statm"); err == nil {
		fmt.Sscan(string(stat), &pages)
	}
	return pages * int64(os.Getpagesize())
}

// modinfoC is C that puts the --modinfo into the module.
func (p *peerOptions) modinfoC() []byte {
	if len(p.modinfo) == 0 {
		return nil
	}
	var c strings.Builder
	c.WriteString("#if !defined(GS_PARTS) || GS_PARTS & 1\n")
	for i, set := range p.modinfo {
		fmt.Fprintf(&c, "static const char gs_modinfo_%d[] __attribute__((used, section(\".modinfo\"), aligned(1))) = %q;\n", i, set)
	}
	c.WriteString("#endif\n")
	return []byte(c.String())
}

// cleanCaches removes the least recently used entries of the cache.
func cleanCaches() {
	for _, folder := range []string{"module", "program", "library"} {
		os.Remove(cache.Path(folder, ".pruned"))
		cache.Prune(cache.Path(folder), cacheLimit)
	}
}

// cacheLimit bounds the bytes of a folder of the cache.
const cacheLimit = 256 << 20
