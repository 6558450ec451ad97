// SPDX-License-Identifier: GPL-2.0-or-later

package modulebuild

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/pkg/errors"
	"golang.org/x/sync/errgroup"

	"gostap/internal/arch"
	"gostap/internal/panics"
	"gostap/manifest"
)

// script is the generated C, with the manifest beside it in a section that the kernel doesn't load; work is for the manifest.
func (req *Request) script(work string) ([]byte, error) {
	path := filepath.Join(work, "manifest.json")
	if err := os.WriteFile(path, req.Manifest, 0o644); err != nil {
		return nil, errors.WithStack(err)
	}
	incbin := fmt.Sprintf(".pushsection %s,\"\",@progbits\n.incbin %q\n.popsection", manifest.Section, path)
	return append(bytes.Clone(req.C), "\nasm("+strconv.Quote(incbin)+");\n"...), nil
}

// module makes the script's module in dir.
func (rt *kernelRuntime) module(ctx context.Context, req *Request, dir string) error {
	work := filepath.Join(dir, "work")
	defer os.RemoveAll(work)
	if err := os.Mkdir(work, 0o755); err != nil {
		return errors.WithStack(err)
	}
	rt.work = work
	c, err := req.script(work)
	if err != nil {
		return err
	}
	include := []string{"-I" + filepath.Join(rt.dir, "include"), fmt.Sprintf("-DMAXSTRINGLEN=%d", req.MaxStringLen)}
	g, gctx := errgroup.WithContext(ctx)
	var objects []string // the first has the tables
	for unit, flags := range unitFlags(req.Parts, runtime.GOMAXPROCS(0)) {
		dir, text := work, c
		if unit > 0 {
			dir, text = filepath.Join(work, strconv.Itoa(unit)), req.C
			if err := os.Mkdir(dir, 0o755); err != nil {
				return errors.WithStack(err)
			}
		}
		objects = append(objects, filepath.Join(dir, "script.o"))
		flags = slices.Concat(include, effort(rt.Script[0], c), flags)
		g.Go(func() (err error) {
			defer panics.Catch(&err)
			return rt.compileScript(gctx, flags, text, dir)
		})
	}
	if req.Embedded != nil {
		object := filepath.Join(work, "embedded.o")
		objects = append(objects, object)
		g.Go(func() (err error) {
			defer panics.Catch(&err)
			flags := append(append(rt.Embedded, include...), "-I"+filepath.Join(rt.dir, "kernel"))
			return rt.compile(gctx, "the script's embedded C", flags, req.Embedded, object)
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	if err := req.writeStackUse(objects[0], rt.Library, stackFiles(objects)...); err != nil {
		return err
	}
	extra, err := rt.versions(ctx, objects, work)
	if err != nil {
		return err
	}
	return rt.link(ctx, req, append(objects, extra...), work, dir)
}

// unitFlags returns, for each compiler that is to run, the flag that tells it which parts of the script's C are its own.
func unitFlags(parts, processors int) [][]string {
	units := max(1, min(parts, processors))
	if units == 1 {
		return [][]string{nil}
	}
	flags := make([][]string, units)
	for unit := range units {
		mask := 0
		for part := unit; part < parts; part += units {
			mask |= 1 << part
		}
		flags[unit] = []string{fmt.Sprintf("-DGS_PARTS=%d", mask)}
	}
	return flags
}

// large is the number of bytes of C of a large script: one that prints the arguments of all system
// calls. At -O1 it is compiled in two thirds of the time, and its hits, which mostly make strings, are
// hardly slower.
const large = 640 << 10

// withoutGain turns off optimisations that take gcc a quarter of its time and save a handler no instruction (make bench, hits):
// kernel code has no vectors, and generated C computes little twice, is in one function for each handler and has no dead code.
var withoutGain = []string{
	"-fno-tree-loop-vectorize", "-fno-tree-slp-vectorize", "-fno-tree-pre", "-fno-code-hoisting", "-fno-schedule-insns2", "-fno-gcse",
	"-fno-tree-vrp", "-fno-rerun-cse-after-loop", "-fno-tree-pta", "-fno-tree-reassoc", "-fno-expensive-optimizations",
	"-fno-tree-dominator-opts", "-fno-dse", "-fno-ipa-icf", "-fno-ipa-vrp", "-fno-ipa-bit-cp", "-fno-ipa-pure-const", "-fno-ipa-reference",
	"-fno-ipa-profile",
}

// effort are the flags that make a compiler quick with as much C.
func effort(compiler string, c []byte) []string {
	var flags []string
	if isGcc(compiler) {
		flags = append(flags, withoutGain...)
	}
	if len(c) > large {
		flags = append(flags, "-O1")
	}
	return flags
}

func isGcc(compiler string) bool { return strings.Contains(filepath.Base(compiler), "gcc") }

// stackFiles are the compiler's reports of stack use, beside objects.
func stackFiles(objects []string) []string {
	var files []string
	for _, object := range objects {
		files = append(files, strings.TrimSuffix(object, ".o")+".su")
	}
	return files
}

// compileScript compiles the C that gostap made of the script to script.o in dir, and lets objtool see to it. Whatever goes wrong
// without the driver is left to the driver, and its message.
func (rt *kernelRuntime) compileScript(ctx context.Context, flags []string, c []byte, dir string) error {
	object := filepath.Join(dir, "script.o")
	const what = "the C that gostap made of the script"
	if rt.Pipe != nil {
		if err := os.WriteFile(filepath.Join(dir, "script.c"), c, 0o644); err != nil {
			return errors.WithStack(err)
		}
		if rt.pipe(ctx, flags, dir) == nil {
			return rt.objtool(ctx, what, object)
		}
	}
	return rt.compile(ctx, what, append(append(rt.Script[:len(rt.Script):len(rt.Script)], "-pipe"), flags...), c, object)
}

// compile compiles C to an object, and lets objtool see to it.
func (rt *kernelRuntime) compile(ctx context.Context, what string, flags []string, c []byte, object string) error {
	source := object[:len(object)-1] + "c"
	if err := os.WriteFile(source, c, 0o644); err != nil {
		return errors.WithStack(err)
	}
	if err := rt.run(ctx, what, append(flags[:len(flags):len(flags)], "-fstack-usage", "-o", object, source)); err != nil {
		return err
	}
	return rt.objtool(ctx, what, object)
}

func (rt *kernelRuntime) objtool(ctx context.Context, what, object string) error {
	if rt.Objtool == nil {
		return nil
	}
	return rt.run(ctx, what, append(rt.Objtool[:len(rt.Objtool):len(rt.Objtool)], object))
}

// link makes NAME.ko in dir. Its build-id is the key of what it is made of, which takes no time to compute.
func (rt *kernelRuntime) link(ctx context.Context, req *Request, objects []string, work, dir string) error {
	module := filepath.Join(dir, req.Name+".ko")
	args := append(rt.Linker[:len(rt.Linker):len(rt.Linker)], "--build-id=0x"+req.key, "-o", module)
	args = append(append(args, objects...), filepath.Join(rt.dir, "runtime.o"))
	for _, object := range rt.Link {
		named := filepath.Join(work, object)
		if err := copyRenamed(filepath.Join(rt.dir, object), named, req.Name); err != nil {
			return err
		}
		args = append(args, named)
	}
	return rt.run(ctx, "the module", args)
}

// run runs a command where kbuild would.
func (rt *kernelRuntime) run(ctx context.Context, what string, args []string) error {
	output, err := rt.command(ctx, args).CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist):
		return missingTool(args[0])
	case err != nil:
		return compileError(what, args[0], output, err)
	}
	return nil
}

// command is a command where kbuild would run it.
func (rt *kernelRuntime) command(ctx context.Context, args []string) *exec.Cmd {
	tool := args[0]
	if filepath.Base(tool) != tool && !filepath.IsAbs(tool) {
		tool = filepath.Join(rt.Build, tool)
	}
	cmd := rt.kernel.Command(ctx, tool, args[1:]...)
	cmd.Dir = rt.Build
	// Debian's objtool of 6.12 is a script that requires SRCARCH.
	cmd.Env = append(os.Environ(), "LC_ALL=C", "SRCARCH="+arch.X86_64.KernelName, "TMPDIR="+rt.work)
	return cmd
}
