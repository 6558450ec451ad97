// SPDX-License-Identifier: GPL-2.0-or-later

package modulebuild

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"

	"gostap/internal/cache"
)

// Library is the embedded C of the tapset library, which is read only if there is no runtime with it.
type Library struct {
	Key string        // names the C; other C has another key
	C   func() []byte // nil: there is none
}

func (l Library) text() []byte {
	if l.C == nil {
		return nil
	}
	return l.C()
}

// A Request has the parameters of a build.
type Request struct {
	Release  string  // the kernel, as in /lib/modules/RELEASE; "" for the running one
	Name     string  // the module's
	C        []byte  // generated, includes only gostap.h
	Parts    int     // C can be compiled in as many parts, as GS_PARTS tells; 0: 1
	Embedded []byte  // the script's own embedded C, which includes gs_kernel.h; nil if there is none
	Library  Library // the embedded C of the tapset library
	Manifest []byte  // goes to section manifest.Section

	// StackUse returns, for each probe, the stack that the deepest chain of calls in C takes, given the sizes of the functions'
	// frames; nil: C defines gs_stack_use itself.
	StackUse func(frame func(function string) int) []int

	MaxStringLen int // MAXSTRINGLEN; 0: 512

	KBuild bool    // the whole module by kbuild, the ordinary way
	Sign   *Signer // nil: the module is not signed
	OutDir string  // where NAME.ko is to be; "": in the cache

	Make    []string // NAME=VALUE for kbuild's make
	Rebuild bool     // also if the module is in the cache

	key string // names the module and all that it is made of

	// Progress is called at the beginning of a step that takes long; may be nil.
	Progress func(what string)
}

// A Result is the result of a build.
type Result struct {
	Path     string // of the module
	CacheHit bool   // it was there already
}

// Build builds a module, or finds it in the cache. The error is a *MissingError if the machine lacks something that can be
// installed, and a *CompileError if a compiler refuses the C.
func Build(ctx context.Context, req Request) (Result, error) {
	if err := req.complete(); err != nil {
		return Result{}, err
	}
	target, err := findTarget(req.Release)
	if err != nil {
		return Result{}, err
	}
	runtimeKey := target.runtimeKey(&req)
	req.key = hashKey(runtimeKey, strings.Join(withoutGain, " "), req.Name, req.C, req.Embedded, req.Manifest, strconv.FormatBool(req.KBuild),
		req.Sign.state())
	dir := cache.Path("module", req.key)
	module := filepath.Join(dir, req.Name+".ko")
	if req.Rebuild {
		os.RemoveAll(dir)
	} else if cache.Intact(dir) {
		cache.Use(dir)
		path, err := req.deliver(module)
		return Result{Path: path, CacheHit: true}, err
	}
	build := buildFast
	if req.KBuild {
		build = buildByKbuild
	}
	err = cache.Fill(dir, func(tmp string) error {
		if err := build(ctx, target, runtimeKey, &req, tmp); err != nil {
			return err
		}
		return target.sign(ctx, req.Sign, filepath.Join(tmp, req.Name+".ko"))
	})
	if err != nil {
		return Result{}, err
	}
	cache.Prune(filepath.Dir(dir), cacheLimit)
	path, err := req.deliver(module)
	return Result{Path: path}, err
}

// complete fills in defaults, and refuses invalid requests.
func (req *Request) complete() error {
	if req.Release == "" {
		var u unix.Utsname
		if err := unix.Uname(&u); err != nil {
			return errors.WithStack(err)
		}
		req.Release = unix.ByteSliceToString(u.Release[:])
	}
	if req.MaxStringLen == 0 {
		req.MaxStringLen = 512
	}
	if req.Progress == nil {
		req.Progress = func(string) {}
	}
	if len(req.C) > maxC {
		return errors.Errorf("the script becomes %d MB of C, and a compiler takes more than this machine may have for over %d: "+
			"probe fewer functions, or print less of each ($$parms$$ prints all that its structs hold)", len(req.C)>>20, maxC>>20)
	}
	return checkName(req.Name)
}

// maxC bounds the C of a script, for which a compiler takes some hundred times as much memory, and six seconds for each MB.
const maxC = 16 << 20

// deliver copies the module to the requested folder, and returns its path.
func (req *Request) deliver(module string) (string, error) {
	if req.OutDir == "" {
		return module, nil
	}
	data, err := os.ReadFile(module)
	if err != nil {
		return "", errors.WithStack(err)
	}
	path := filepath.Join(req.OutDir, req.Name+".ko")
	return path, cache.Replace(path, data)
}

// buildFast builds the module in dir with the kernel's cached runtime.
func buildFast(ctx context.Context, target *target, runtimeKey string, req *Request, dir string) error {
	rt, err := openRuntime(ctx, target, runtimeKey, req)
	if err != nil {
		return err
	}
	return rt.module(ctx, req, dir)
}
