// SPDX-License-Identifier: GPL-2.0-or-later

// Package emittest runs scripts on the host runtime, for tests: it compiles emit's output with
// AddressSanitizer and UBSan, runs it and reads its records.
//
// The runtime's core and host are compiled once for each set of flags and kept in the cache; a script
// takes one gcc of a small file and a link.
package emittest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"gostap/internal/cache"
	runtimec "gostap/runtime-c"
	"gostap/translator/emit"
	"gostap/translator/program"
)

// Sanitize are the flags that detect undefined behaviour.
var Sanitize = []string{"-O0", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover"}

// Optimize are the flags for measurements.
var Optimize = []string{"-O2", "-g"}

var warnings = []string{"-Wall", "-Werror", "-Wno-unused-but-set-variable"}

// A Builder compiles programs with one set of flags.
type Builder struct {
	Flags   []string
	Library []byte // the file of emit.Library, nil if there is none

	once sync.Once
	dir  string   // include and host headers
	objs []string // core, host and library
	err  error
}

func (b *Builder) cflags(dir string) []string {
	flags := []string{"-std=gnu11", "-fwrapv", "-fno-strict-aliasing", "-D_GNU_SOURCE", "-DGS_HOST",
		"-I" + filepath.Join(dir, "include"), "-I" + filepath.Join(dir, "host")}
	return append(append(flags, warnings...), b.Flags...)
}

// prepare unpacks and compiles the runtime unless that has been done.
func (b *Builder) prepare() error {
	b.once.Do(func() { b.err = b.prepareOnce() })
	return b.err
}

func (b *Builder) prepareOnce() error {
	sum := sha256.New()
	fmt.Fprintln(sum, b.Flags, warnings)
	sum.Write(b.Library)
	err := fs.WalkDir(runtimec.Source, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(path, "kernel/") {
			return err
		}
		text, err := fs.ReadFile(runtimec.Source, path)
		fmt.Fprintln(sum, path, len(text))
		sum.Write(text)
		return err
	})
	if err != nil {
		return err
	}
	b.dir = cache.Path("emittest", hex.EncodeToString(sum.Sum(nil))[:24])
	if !cache.Intact(b.dir) {
		if err := cache.FillOnce(b.dir, b.build); err != nil {
			return err
		}
	}
	b.objs, err = filepath.Glob(filepath.Join(b.dir, "*.o"))
	return err
}

// build compiles the runtime in tmp.
func (b *Builder) build(tmp string) error {
	if err := os.CopyFS(tmp, runtimec.Source); err != nil {
		return err
	}
	sources, err := filepath.Glob(filepath.Join(tmp, "core", "*.c"))
	if err != nil {
		return err
	}
	hosts, err := filepath.Glob(filepath.Join(tmp, "host", "*.c"))
	if err != nil {
		return err
	}
	sources = append(sources, hosts...)
	if b.Library != nil {
		lib := filepath.Join(tmp, "library.c")
		if err := os.WriteFile(lib, b.Library, 0o644); err != nil {
			return err
		}
		sources = append(sources, lib)
	}
	for _, src := range sources {
		obj := filepath.Join(tmp, strings.TrimSuffix(filepath.Base(src), ".c")+".o")
		if err := gcc(append(b.cflags(tmp), "-c", "-o", obj, src)); err != nil {
			return err
		}
	}
	return nil
}

func gcc(args []string) error {
	out, err := exec.Command("gcc", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("gcc %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// Build compiles p to an executable in dir.
func (b *Builder) Build(p *program.Program, opts emit.Options, dir string) (*Executable, error) {
	if err := b.prepare(); err != nil {
		return nil, err
	}
	out, err := emit.Emit(p, opts)
	if err != nil {
		return nil, err
	}
	exe := &Executable{Path: filepath.Join(dir, "script"), Output: out}
	flags := append(b.cflags(b.dir), fmt.Sprintf("-DMAXSTRINGLEN=%d", opts.Limits.MaxStringLen))
	objects, err := parts(flags, out, dir)
	if err != nil {
		return nil, err
	}
	sources := map[string][]byte{}
	if out.EmbeddedC != nil {
		sources["embedded.c"] = out.EmbeddedC
	}
	args := flags
	for name, text := range sources {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return nil, err
		}
		args = append(args, path)
	}
	return exe, gcc(slices.Concat(args, []string{"-o", exe.Path}, objects, b.objs))
}

// parts compiles each part of the script's C by itself.
func parts(flags []string, out *emit.Output, dir string) (objects []string, err error) {
	source := filepath.Join(dir, "script.c")
	if err := os.WriteFile(source, out.C, 0o644); err != nil {
		return nil, err
	}
	for part := range out.Parts {
		object := filepath.Join(dir, fmt.Sprintf("script%d.o", part))
		args := append(flags[:len(flags):len(flags)], "-c", "-o", object, source)
		if out.Parts > 1 {
			args = append(args, "-Wno-unused-function", fmt.Sprintf("-DGS_PARTS=%d", 1<<part)) // which another part uses
		}
		if err := gcc(args); err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
	return objects, nil
}

// An Executable is a compiled script.
type Executable struct {
	Path   string
	Output *emit.Output
}

// Run runs the script with arguments as described in runtime-c/host/main.c and returns its records.
func (e *Executable) Run(args ...string) (*Result, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var stderr bytes.Buffer
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, e.Path, args...)
	cmd.Stderr = &stderr
	cmd.Stdout = &stderr
	cmd.ExtraFiles = []*os.File{w}
	if err := cmd.Start(); err != nil {
		w.Close()
		return nil, err
	}
	w.Close()
	data, err := io.ReadAll(r)
	if werr := cmd.Wait(); werr != nil {
		return nil, fmt.Errorf("%v\n%s", werr, stderr.Bytes())
	}
	if err != nil {
		return nil, err
	}
	return decode(data, &e.Output.Manifest)
}
