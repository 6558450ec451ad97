// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pkg/errors"

	modulebuild "gostap/module-build"
	"gostap/translator/check"
	"gostap/translator/emit"
	"gostap/translator/syntax"
)

// buildModule builds the module, and leaves it here if it was given a name.
func (s *session) buildModule(ctx context.Context) error {
	name := s.name()
	s.code.Manifest.Name = name
	carried, err := json.Marshal(s.code.Manifest)
	if err != nil {
		return errors.WithStack(err)
	}
	if err := s.keepFiles(carried); err != nil {
		return err
	}
	outDir := ""
	if s.module != "" {
		outDir = "."
	}
	result, err := modulebuild.Build(ctx, modulebuild.Request{
		Release:      s.target.Release,
		Name:         name,
		C:            s.code.C,
		Embedded:     s.code.EmbeddedC,
		Library:      s.libraryC(),
		Manifest:     carried,
		StackUse:     s.code.StackUse,
		MaxStringLen: int(s.limits.MaxStringLen),
		KBuild:       s.kbuild,
		Sign:         s.signer(),
		OutDir:       outDir,
		Progress:     s.progress,
	})
	return s.finishBuild(result, err)
}

// signer is what --sign names; nil if that is not KEY,CERT.
func (o *options) signer() *modulebuild.Signer {
	key, cert, _ := strings.Cut(o.sign, ",")
	if key == "" || cert == "" {
		return nil
	}
	return &modulebuild.Signer{Key: key, Cert: cert}
}

// buildHost builds the script as an ordinary program.
func (s *session) buildHost(ctx context.Context) error {
	if err := s.keepFiles(nil); err != nil {
		return err
	}
	manifestC, err := emit.ManifestC(&s.code.Manifest)
	if err != nil {
		return err
	}
	result, err := modulebuild.BuildHost(ctx, modulebuild.HostRequest{
		C:            append(s.code.C, manifestC...),
		Embedded:     s.code.EmbeddedC,
		Library:      s.libraryC(),
		MaxStringLen: int(s.limits.MaxStringLen),
	})
	return s.finishBuild(result, err)
}

func (s *session) finishBuild(result modulebuild.Result, err error) error {
	s.status.say("", 0)
	if err != nil {
		return err
	}
	s.built = result.Path
	if result.CacheHit {
		s.remark = "  from the cache"
	}
	return nil
}

// libraryC is the embedded library's C.
func (s *session) libraryC() []byte {
	var files []*syntax.File
	for _, f := range s.library.Files() {
		if isBuiltin(f.Source) {
			files = append(files, f)
		}
	}
	return emit.Library(check.Builtins(files))
}

// progress says what takes long.
func (s *session) progress(what string) {
	if s.verbosity(4) > 0 {
		fmt.Fprintf(os.Stderr, "%s …\n", what)
	}
	s.status.say(what, 500*time.Millisecond)
}

// keepFiles leaves the generated files in a folder of their own, for -k.
func (s *session) keepFiles(carried []byte) error {
	if !s.keep {
		return nil
	}
	dir, err := os.MkdirTemp("", "gostap-")
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{"script.c": s.code.C, "embedded.c": s.code.EmbeddedC, "manifest.json": carried} {
		if text == nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			return err
		}
	}
	fmt.Fprintf(os.Stderr, "Keeping the generated files in %s\n", dir)
	return nil
}
