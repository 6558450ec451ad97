// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/pkg/errors"

	modulebuild "gostap/module-build"
	"gostap/translator/check"
	"gostap/translator/emit"
	"gostap/translator/syntax"
)

// buildModule builds the module, in the current folder if -m gives it a name.
func (inv *invocation) buildModule(ctx context.Context) error {
	name := inv.code.Manifest.Name
	manifestJSON, err := json.Marshal(inv.code.Manifest)
	if err != nil {
		return errors.WithStack(err)
	}
	outDir := ""
	if inv.module != "" && !inv.bundling || inv.peer.disableCache && inv.pass == 4 {
		outDir = "."
	}
	result, err := modulebuild.Build(ctx, modulebuild.Request{
		Release:      inv.target.Release,
		Name:         name,
		C:            inv.code.C,
		Parts:        inv.code.Parts,
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

// signer returns the key and certificate of --sign; nil if it is not KEY,CERT.
func (o *options) signer() *modulebuild.Signer {
	key, cert, _ := strings.Cut(o.sign, ",")
	if key == "" || cert == "" {
		return nil
	}
	return &modulebuild.Signer{Key: key, Cert: cert}
}

// buildHost builds the script as an ordinary program.
func (inv *invocation) buildHost(ctx context.Context) error {
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
func (inv *invocation) libraryC() modulebuild.Library {
	key, c := inv.library.Derived(libraryPath, "functions.c", func(files []*syntax.File) []byte {
		return emit.Library(check.Builtins(files))
	})
	return modulebuild.Library{Key: key, C: c}
}

// progress shows a step that takes long.
func (inv *invocation) progress(what string) {
	if inv.verbosity(4) > 0 {
		fmt.Fprintf(os.Stderr, "%s …\n", what)
	}
	inv.status.show(what, 500*time.Millisecond)
}

// name returns the module's name: that of -m, or one with a hash of the module's sources.
func (inv *invocation) name() string {
	if inv.module != "" {
		return inv.module
	}
	h := sha256.New()
	h.Write(inv.code.C)
	h.Write(inv.code.EmbeddedC)
	return "gostap_" + hex.EncodeToString(h.Sum(nil))[:16]
}
