// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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
func (inv *invocation) buildModule(ctx context.Context) error {
	name := inv.name()
	inv.code.Manifest.Name = name
	inv.code.Manifest.Bulk = inv.options.run.out.bulk
	manifestJSON, err := json.Marshal(inv.code.Manifest)
	if err != nil {
		return errors.WithStack(err)
	}
	if err := inv.keepGenerated(manifestJSON); err != nil {
		return err
	}
	outDir := ""
	if inv.module != "" && !inv.bundling || inv.peer.disableCache && inv.pass == 4 {
		outDir = "."
	}
	result, err := modulebuild.Build(ctx, modulebuild.Request{
		Release:      inv.target.Release,
		Name:         name,
		C:            inv.code.C,
		Embedded:     inv.code.EmbeddedC,
		Library:      inv.libraryC(),
		Manifest:     manifestJSON,
		StackUse:     inv.code.StackUse,
		MaxStringLen: int(inv.limits.MaxStringLen),
		KBuild:       inv.kbuild,
		Sign:         inv.signer(),
		OutDir:       outDir,
		Make:         inv.peer.make,
		Rebuild:      inv.peer.poisonCache,
		Progress:     inv.progress,
	})
	return inv.finishBuild(result, err)
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
func (inv *invocation) buildHost(ctx context.Context) error {
	if err := inv.keepGenerated(nil); err != nil {
		return err
	}
	manifestC, err := emit.ManifestC(&inv.code.Manifest)
	if err != nil {
		return err
	}
	result, err := modulebuild.BuildHost(ctx, modulebuild.HostRequest{
		C:            append(inv.code.C, manifestC...),
		Embedded:     inv.code.EmbeddedC,
		Library:      inv.libraryC(),
		MaxStringLen: int(inv.limits.MaxStringLen),
	})
	return inv.finishBuild(result, err)
}

func (inv *invocation) finishBuild(result modulebuild.Result, err error) error {
	inv.status.show("", 0)
	if err != nil {
		return err
	}
	inv.built = result.Path
	if result.CacheHit {
		inv.remark = "  from the cache"
	}
	return nil
}

// libraryC is the embedded library's C.
func (inv *invocation) libraryC() []byte {
	return inv.library.Derived(libraryPath, "functions.c", func(files []*syntax.File) []byte {
		return emit.Library(check.Builtins(files))
	})
}

// progress says what takes long.
func (inv *invocation) progress(what string) {
	if inv.verbosity(4) > 0 {
		fmt.Fprintf(os.Stderr, "%s …\n", what)
	}
	inv.status.show(what, 500*time.Millisecond)
}

// keepGenerated leaves the generated files in a folder of their own, for -k.
func (inv *invocation) keepGenerated(manifestJSON []byte) error {
	if !inv.keep {
		return nil
	}
	dir, err := os.MkdirTemp("", "gostap-")
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{"script.c": inv.code.C, "embedded.c": inv.code.EmbeddedC, "manifest.json": manifestJSON} {
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

// name is the module's: that of -m, or one made of what it is built from.
func (inv *invocation) name() string {
	if inv.module != "" {
		return inv.module
	}
	h := sha256.New()
	h.Write(inv.code.C)
	h.Write(inv.code.EmbeddedC)
	return "gostap_" + hex.EncodeToString(h.Sum(nil))[:16]
}
