// SPDX-License-Identifier: GPL-2.0-or-later

package modulebuild

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/pkg/errors"
	"golang.org/x/sync/errgroup"

	"gostap/internal/cache"
	"gostap/internal/panics"
	runtimec "gostap/runtime-c"
)

// A HostRequest has the parameters of a build for the host runtime.
type HostRequest struct {
	C            []byte  // generated
	Embedded     []byte  // the script's own embedded C; nil if there is none
	Library      Library // the embedded C of the tapset library, compiled with -DGS_HOST
	MaxStringLen int     // 0: 512
	Sanitize     bool    // with AddressSanitizer and UBSan
}

// BuildHost builds a script as an ordinary program, or finds it in the cache.
func BuildHost(ctx context.Context, req HostRequest) (Result, error) {
	if req.MaxStringLen == 0 {
		req.MaxStringLen = 512
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		return Result{}, missingTool("gcc")
	}
	sharedKey := hashKey(fileKey(gcc), sourceKey(), req.Library.Key, strconv.Itoa(req.MaxStringLen), strconv.FormatBool(req.Sanitize))
	shared := cache.Path("host", sharedKey)
	dir := cache.Path("program", hashKey(sharedKey, req.C, req.Embedded))
	program := filepath.Join(dir, "script")
	if cache.Intact(dir) {
		cache.Use(dir)
		return Result{Path: program, CacheHit: true}, nil
	}
	if !cache.Intact(shared) {
		if err := cache.FillOnce(shared, func(tmp string) error { return buildHostRuntime(ctx, gcc, &req, tmp) }); err != nil {
			return Result{}, err
		}
	}
	err = cache.Fill(dir, func(tmp string) error { return buildHostScript(ctx, gcc, &req, shared, tmp) })
	cache.Prune(filepath.Dir(dir), cacheLimit)
	return Result{Path: program}, err
}

// flags are the compiler's flags for all parts of a host program.
func (req *HostRequest) flags(include string) []string {
	flags := []string{"-std=gnu11", "-O2", "-fwrapv", "-fno-strict-aliasing", "-w", "-fdiagnostics-color=never", "-DGS_HOST",
		"-I" + filepath.Join(include, "include"), "-I" + filepath.Join(include, "host"), fmt.Sprintf("-DMAXSTRINGLEN=%d", req.MaxStringLen)}
	if req.Sanitize {
		// The checks multiply the code: optimizing it takes three times as long as the rest of the compilation.
		flags = append(flags, "-O0", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
	}
	return flags
}

// buildHostRuntime compiles the runtime, which scripts share, to dir/*.o.
func buildHostRuntime(ctx context.Context, gcc string, req *HostRequest, dir string) error {
	if err := unpack(dir, "include", "core", "host"); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "library.c"), req.Library.text(), 0o644); err != nil {
		return errors.WithStack(err)
	}
	sources := []string{"library.c"}
	for _, pattern := range []string{"core/*.c", "host/*.c"} {
		files, err := fs.Glob(runtimec.Source, pattern)
		if err != nil {
			return errors.WithStack(err)
		}
		sources = append(sources, files...)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.NumCPU())
	for _, source := range sources {
		object := strings.ReplaceAll(strings.TrimSuffix(source, ".c"), "/", "_") + ".o"
		g.Go(func() (err error) {
			defer panics.Catch(&err)
			return compileHost(ctx, "the host runtime", dir, gcc, append(req.flags(dir), "-c", "-o", filepath.Join(dir, object), filepath.Join(dir, source)))
		})
	}
	return g.Wait()
}

// buildHostScript compiles the script's C and links it with the objects in shared.
func buildHostScript(ctx context.Context, gcc string, req *HostRequest, shared, dir string) error {
	args := append(req.flags(shared), "-o", filepath.Join(dir, "script"))
	for name, c := range map[string][]byte{"script.c": req.C, "embedded.c": req.Embedded} {
		if c == nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), c, 0o644); err != nil {
			return errors.WithStack(err)
		}
		args = append(args, filepath.Join(dir, name))
	}
	objects, err := filepath.Glob(filepath.Join(shared, "*.o"))
	if err != nil {
		return errors.WithStack(err)
	}
	return compileHost(ctx, "the script for the host runtime", dir, gcc, append(append(args, objects...), "-lpthread", "-lm"))
}

// compileHost runs the compiler, whose own temporary files go to dir.
func compileHost(ctx context.Context, what, dir, gcc string, args []string) error {
	cmd := exec.CommandContext(ctx, gcc, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "TMPDIR="+dir)
	output, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return compileError(what, gcc, output, err)
	}
	return nil
}
