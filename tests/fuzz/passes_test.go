// SPDX-License-Identifier: GPL-2.0-or-later

package fuzz

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gostap/elaborate"
	"gostap/elaborate/image"
	"gostap/elaborate/library"
	"gostap/elaborate/query"
	"gostap/internal/bounded"
	"gostap/tapsets"
	"gostap/translator/check"
	"gostap/translator/emit"
	"gostap/translator/syntax"
)

// limits bound passes 1 to 3 for one script.
var limits = bounded.Limits{Time: 20 * time.Second, Wall: 10 * time.Minute, Heap: 1 << 30}

const libraryPath = "<tapset>"

var libraryVersion = fmt.Sprint("fuzz ", os.Getpid(), " ", time.Now().UnixNano())

func isBuiltin(src *syntax.Source) bool { return strings.HasPrefix(src.Path, libraryPath) }

// An input is a script with the options of its translation.
type input struct {
	world       *world
	text        string
	guru, plain bool     // -g, -u
	timing      bool     // -t
	defines     []string // -D
	asked       string   // a probe point for gostap lines, vars, -L and completion; "" for none
}

// env is the preprocessor's environment.
func (in *input) env() *syntax.Env {
	runtime := "kernel"
	if in.world.release == "" {
		runtime = "host"
	}
	return &syntax.Env{
		KernelVR: in.world.release, Arch: "x86_64", Runtime: runtime, Guru: in.guru, Privilege: "stapdev",
		StapVersion: "4.8", Config: in.world.target.Config, Args: []string{"begin", "5", "begin", "tid()", "@avg"},
	}
}

// load opens the library, whose macros are stored in env. The cache has no other library of its
// version.
func load(env *syntax.Env) (*library.Library, syntax.Diagnostics) {
	return library.Open(env, library.Folder{FS: tapsets.FS, Path: libraryPath, Version: libraryVersion})
}

// passes runs passes 1 to 3, and returns the C; nil if the script has errors.
func (in *input) passes() (c []byte, err error) {
	env := in.env()
	lib, diags := load(env)
	if diags.Err() != nil {
		return nil, fmt.Errorf("the library: %v", diags)
	}
	file, diags := syntax.Parse(&syntax.Source{Path: "fuzz.stp", Text: []byte(in.text)}, env)
	if diags.Err() != nil {
		return nil, nil
	}
	target := in.world.targetFor(in.guru)
	in.ask(lib, target)
	elaborated, diags := elaborate.Elaborate([]*syntax.File{file}, lib, target)
	if diags.Err() != nil {
		diags.Write(io.Discard, true)
		return nil, nil
	}
	program, diags := check.Check(elaborated, check.Options{
		Guru: in.guru, Unoptimized: in.plain, Builtin: isBuiltin, Functions: lib.FunctionNames(),
	})
	diags.Write(io.Discard, true)
	switch {
	case (program == nil) != (diags.Err() != nil):
		return nil, fmt.Errorf("a program: %t, but its errors: %v", program != nil, diags)
	case program == nil:
		return nil, nil
	}
	if err := check.Dump(io.Discard, program, true); err != nil {
		return nil, err
	}
	out, err := emit.Emit(program, emit.Options{Module: "fuzz", Release: target.Release, Limits: in.withDefines(), Timing: in.timing})
	if err != nil {
		return nil, nil // it exceeds a limit
	}
	return out.C, target.Locate(&out.Manifest)
}

// withDefines are the limits with those of -D; invalid values are ignored.
func (in *input) withDefines() emit.Limits {
	limits := emit.DefaultLimits()
	for _, d := range in.defines {
		name, value, _ := strings.Cut(d, "=")
		limits.Set(name, value)
	}
	return limits
}

// ask runs the queries of pass 2 that other commands make.
func (in *input) ask(lib *library.Library, target *image.Target) {
	if in.asked == "" {
		return
	}
	query.Complete(in.asked, lib, target)
	query.Complete(in.asked[:len(in.asked)/2], lib, target)
	points, diags := syntax.ParseProbePoint(in.asked, in.env())
	if diags.Err() == nil {
		query.List(points, lib, target, true)
		query.Vars(points, lib, target)
	}
	if parts := strings.Split(in.asked, `"`); len(parts) > 1 {
		query.Lines(target, parts[1], nil)
	}
}

// run runs passes 1 to 3, which must succeed or report an error.
func (in *input) run(t *testing.T) (c []byte) {
	t.Helper()
	err := limits.Run(func() (err error) {
		c, err = in.passes()
		return err
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, in)
	}
	return c
}

// String is a command line that reproduces the input.
func (in *input) String() string {
	options := ""
	for _, o := range []struct {
		on   bool
		name string
	}{{in.guru, " -g"}, {in.plain, " -u"}, {in.timing, " -t"}} {
		if o.on {
			options += o.name
		}
	}
	for _, d := range in.defines {
		options += " -D" + d
	}
	return fmt.Sprintf("gostap -p3 -r %s%s - begin 5 begin 'tid()' @avg <<'END'\n%s\nEND\nand asked for '%s'", in.world.release, options, in.text, in.asked)
}

// compile compiles the generated C by gcc.
func (in *input) compile(t *testing.T, c []byte) error {
	t.Helper()
	cmd := exec.Command("gcc", "-fsyntax-only", "-nostdinc", "-std=gnu11", "-Werror", "-Wno-overflow", "-Wno-div-by-zero",
		fmt.Sprintf("-DMAXSTRINGLEN=%d", in.withDefines().MaxStringLen),
		"-I"+filepath.Join(root(t), "runtime-c/include"), "-xc", "-")
	cmd.Stdin = bytes.NewReader(c)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("the C does not compile: %v\n%s", err, out)
	}
	return nil
}
