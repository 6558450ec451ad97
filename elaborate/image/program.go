// SPDX-License-Identifier: GPL-2.0-or-later

package image

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"

	"github.com/pkg/errors"

	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/elaborate/executable"
	"gostap/elaborate/symbols"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// A Program is the image of a program or a shared library.
type Program struct {
	*executable.File
	functions *symbols.Functions
	target    *Target
	debuginfo *Debuginfo
	decoded   map[uint64]*instructions // by where they begin
	cold      map[uint64]bool          // where parts of functions begin; nil: not looked for yet
	pieces    map[[2]uint64]*piece     // by their bounds; nil for those that can't be decoded
	goroutine func() program.Goroutine
}

// Program opens a program's or a library's file; path is absolute and without symbolic links.
func (t *Target) Program(path string) (*Program, error) {
	if p := t.programs[path]; p != nil {
		return p, nil
	}
	file, err := executable.Open(path)
	if err != nil {
		return nil, err
	}
	functions, err := file.Functions()
	if err != nil {
		return nil, err
	}
	p := &Program{File: file, functions: functions, target: t, decoded: map[uint64]*instructions{}, pieces: map[[2]uint64]*piece{}}
	p.debuginfo = t.programDebuginfo(file)
	p.goroutine = sync.OnceValue(p.readGoroutine)
	t.programs[path] = p
	return p, nil
}

// programDebuginfo returns the debuginfo of a program, which is in its file or in a separate one.
func (t *Target) programDebuginfo(file *executable.File) *Debuginfo {
	d := &Debuginfo{target: t, title: file.Path, install: sync.OnceValue(func() string { return installProgramDebuginfo(file.Path) })}
	key := file.BuildID
	if key == "" {
		sum := sha256.Sum256([]byte(file.Path))
		key = "path-" + hex.EncodeToString(sum[:16])
	}
	load := func(servers []string) (*dwarf.Info, error) {
		f := &dwarf.Finder{Debug: os.Getenv("GOSTAP_DEBUGINFO"), URLs: servers, Cache: dwarf.CacheDir(), Absolute: true, Frames: file.Path}
		return f.Load(dwarf.IndexPath(key), func() (string, error) { return f.Program(file.Path, file.BuildID) }, t.progress(file.Path))
	}
	d.local = sync.OnceValues(func() (*dwarf.Info, error) { return load(nil) })
	d.any = sync.OnceValues(func() (*dwarf.Info, error) {
		info, err := d.local()
		if servers := dwarf.ServersFromEnv(); errors.Is(err, dwarf.ErrNone) && len(servers) > 0 {
			return load(servers)
		}
		return info, err
	})
	return d
}

// installProgramDebuginfo is the command that installs a program's debuginfo.
func installProgramDebuginfo(path string) string {
	for _, path := range []string{path, strings.TrimPrefix(path, "/usr")} {
		out, err := exec.Command("dpkg", "-S", path).Output()
		name, _, ok := strings.Cut(string(out), ":")
		if err == nil && name == "libc6" {
			return "apt install libc6-dbg, or set DEBUGINFOD_URLS"
		}
		if err == nil && ok && !strings.ContainsAny(name, " \n") {
			return "apt install " + name + "-dbgsym (from debian-debug), or set DEBUGINFOD_URLS"
		}
	}
	return "compile it with -g, or set DEBUGINFOD_URLS"
}

// ID names the program's file.
func (p *Program) ID() program.Image {
	return program.Image{Path: p.Path, BuildID: p.BuildID, Go: p.IsGo, Goroutine: p.goroutine()}
}

func (p *Program) Name() string                { return p.Path }
func (p *Program) String() string              { return p.Path }
func (p *Program) Component() string           { return fmt.Sprintf("process(%q)", p.Path) }
func (p *Program) Symbols() *symbols.Functions { return p.functions }
func (p *Program) Typed() bool                 { return false }
func (p *Program) Debuginfo() *Debuginfo       { return p.debuginfo }
func (p *Program) User() bool                  { return true }

// Types returns the types of the program's debuginfo, none if there is no debuginfo.
func (p *Program) Types() (btf.Named, error) {
	info, err := p.debuginfo.Any()
	if err != nil {
		return dwarf.NoTypes(), nil
	}
	return info.Types(), nil
}

// Site returns the site at an address, as linked.
func (p *Program) Site(addr uint64) program.Site {
	offset, _ := p.FileOffset(addr)
	return program.Site{Image: p.ID(), FileOffset: offset}
}

func (p *Program) site(_ *BaseSymbol, addr uint64) program.Site { return p.Site(addr) }

// Address returns an expression for the run-time address of code or data that is linked at addr, for a probe at
// from: their distance is the same wherever the program is loaded. For probes outside of the program from is 0, and
// the load bias is looked up in the current process.
func (p *Program) Address(at syntax.Pos, addr, from uint64) (program.Expr, error) {
	if from == 0 {
		first, ok := p.AddressAt(0)
		if !ok {
			return nil, errors.Errorf("where %s is loaded can't be told, as its first page is not", p.Path)
		}
		return program.Plus(at, &program.LoadBias{At: at, Image: p.ID(), First: first}, int64(addr)), nil
	}
	return program.Plus(at, &program.ProbedAddr{At: at}, int64(addr-from)), nil
}

func (p *Program) address(_ *dwarf.Info, at syntax.Pos, addr, from uint64) (program.Expr, error) {
	return p.Address(at, addr, from)
}

func (p *Program) variable(_ *dwarf.Info, at syntax.Pos, addr, from uint64) (program.Expr, error) {
	return p.Address(at, addr, from)
}

func (p *Program) baseSymbol(_ *dwarf.Info, in dwarf.Instance) (base BaseSymbol, why string, lost bool) {
	outer := in.Outermost()
	f := symbols.Func{Name: in.Symbol, Addr: outer.Low, Size: uint32(min(outer.High-outer.Low, 1<<31))}
	if f.Name == "" {
		f.Name = outer.Func.Name
	}
	for _, known := range p.functions.Lookup(f.Name) {
		if known.Addr == f.Addr {
			f.Kind = known.Kind
		}
	}
	return BaseSymbol{f, p.ID()}, "", false
}

func (p *Program) refusal(info *dwarf.Info, in dwarf.Instance, a *BaseSymbol, addr uint64) string {
	start := a.Addr
	if addr < start || addr-start >= uint64(a.Size) {
		start = info.Start(in, addr) // the compiler has moved it out of the function
	}
	return p.Refusal(start, addr, true)
}

// Refusal returns why there can't be a probe at addr in the code that begins at start, "" if there can.
// told is set if debuginfo has an instruction at addr, which is used if the decoder fails.
func (p *Program) Refusal(start, addr uint64, told bool) string {
	if !p.IsCode(addr) {
		return "it is in no code of " + p.Path
	}
	if addr == start {
		return ""
	}
	const longest = 15 // of an instruction of x86
	in := p.decoded[start]
	if need := int(addr - start + longest); in == nil || len(in.code) < need {
		in = &instructions{code: p.Code(start, max(need, 4096))}
		p.decoded[start] = in
	}
	why, known := in.begin(int64(addr - start))
	if told && !known {
		return ""
	}
	return why
}
