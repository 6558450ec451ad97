// SPDX-License-Identifier: GPL-2.0-or-later

// Package host runs scripts through all passes on the host runtime, like gostap --runtime=host, but
// with AddressSanitizer and UBSan.
package host

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"
	"testing/fstest"
	"time"

	"gostap/consumer"
	"gostap/elaborate"
	"gostap/elaborate/image"
	"gostap/elaborate/library"
	modulebuild "gostap/module-build"
	"gostap/tapsets"
	"gostap/translator/check"
	"gostap/translator/emit"
	"gostap/translator/syntax"
)

// A Script has a script and its options.
type Script struct {
	Name        string // its name in messages
	Text        string
	Args        []string          // $1, @1 …
	Tapset      map[string]string // files of an additional tapset folder
	Globals     []string          // NAME=VALUE of -G
	Limits      emit.Limits
	Guru, Plain bool     // -g, -u
	Defines     []string // NAME=VALUE of -D, except for the limits
	Compatible  string   // --compatible; "" for the latest version
}

// A Result is the outcome of a script.
type Result struct {
	Output, Stderr string
	ExitCode       int
	Warnings       []string // of the translator
	Program        string   // the path of the built program
}

// The preprocessor's environment of scripts.
const (
	kernel   = "6.1.0-99-test"
	language = "4.8"
)

func config(name string) string {
	return map[string]string{"CONFIG_SMP": "y", "CONFIG_HZ": "250", "CONFIG_NET_FOO": "m"}[name]
}

const libraryPath = "<tapset>"

func isBuiltin(src *syntax.Source) bool { return strings.HasPrefix(src.Path, libraryPath) }

// Run runs a script. The error is a syntax.Diagnostics if the script was rejected; a sanitizer's report
// is an error, too.
func Run(ctx context.Context, s *Script) (*Result, error) {
	version := language
	if s.Compatible != "" {
		version = s.Compatible
	}
	env := &syntax.Env{
		KernelVR: kernel, Arch: "x86_64", Runtime: "host", Guru: s.Guru,
		Privilege: "stapdev", StapVersion: version, Config: config, Args: s.Args,
	}
	folders := []library.Folder{{FS: tapsets.FS, Path: libraryPath}}
	if len(s.Tapset) > 0 {
		own := fstest.MapFS{}
		for name, text := range s.Tapset {
			own[name] = &fstest.MapFile{Data: []byte(text)}
		}
		folders = append(folders, library.Folder{FS: own, Path: "tapset"})
	}
	all := syntax.Diagnostics{}
	library, diags := library.Load(env, folders...)
	all = append(all, diags...)
	file, diags := syntax.Parse(&syntax.Source{Path: s.Name, Text: []byte(s.Text)}, env)
	if all = append(all, diags...); all.Err() != nil {
		return nil, all
	}
	elaborated, diags := elaborate.Elaborate([]*syntax.File{file}, library, image.NewTarget("", s.Guru))
	if all = append(all, diags...); all.Err() != nil {
		return nil, all
	}
	program, diags := check.Check(elaborated, check.Options{
		Guru: s.Guru, Compatible: s.Compatible, Unoptimized: s.Plain, Builtin: isBuiltin, Functions: library.FunctionNames(),
	})
	if all = append(all, diags...); all.Err() != nil {
		return nil, all
	}
	out, err := emit.Emit(program, emit.Options{Limits: s.Limits, Defines: s.Defines, Compatible: s.Compatible})
	if err != nil {
		return nil, err
	}
	manifest, err := emit.ManifestC(&out.Manifest)
	if err != nil {
		return nil, err
	}
	slots <- struct{}{}
	built, err := modulebuild.BuildHost(ctx, modulebuild.HostRequest{
		C:            append(out.C, manifest...),
		Embedded:     out.EmbeddedC,
		Library:      libraryC(library),
		MaxStringLen: int(s.Limits.MaxStringLen),
		Sanitize:     true,
	})
	<-slots
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	var output, stderr bytes.Buffer
	result, err := consumer.RunHost(ctx, consumer.Config{
		Module: built.Path, Globals: s.Globals, Output: &output, Stderr: &stderr, Timeout: 10 * time.Second,
	})
	if err != nil {
		return nil, fmt.Errorf("%v\n%s", err, &stderr)
	}
	r := &Result{Output: output.String(), Stderr: stderr.String(), ExitCode: result.ExitCode, Program: built.Path}
	for _, d := range all {
		r.Warnings = append(r.Warnings, d.Error())
	}
	return r, nil
}

// slots limits the number of concurrent builds.
var slots = make(chan struct{}, 2)

// libraryC is the library's embedded C, which is the same for all scripts.
func libraryC(library *library.Library) modulebuild.Library {
	libraryOnce.Do(func() {
		var files []*syntax.File
		for _, f := range library.Files() {
			if isBuiltin(f.Source) {
				files = append(files, f)
			}
		}
		c := emit.Library(check.Builtins(files))
		libraryShared = modulebuild.Library{Key: fmt.Sprintf("%x", sha256.Sum256(c)), C: func() []byte { return c }}
	})
	return libraryShared
}

var (
	libraryOnce   sync.Once
	libraryShared modulebuild.Library
)
