// SPDX-License-Identifier: GPL-2.0-or-later

// Package cross runs, in a micro-VM's kernel, every function of the library
// and every construct of the language in every context that handlers run in,
// while something happens that must harm nobody: processors go and come,
// memory is short, the reader stops. Each session ends in time, with figures
// that add up, and leaves a clean kernel.
//
//	go test ./tests/cross                       the short form: each context and each meanwhile
//	GOSTAP_TORTURE=long go test -timeout 5h …   all of them crossed
//	go test ./tests/cross -cross.run=timer      some contexts
//
// generate writes the scripts, module is what they probe beside the kernel.
// GOSTAP_KERNELS chooses the kernels.
package cross

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gostap/elaborate"
	"gostap/tapsets"
	"gostap/tests/cross/generate"
	"gostap/tests/guest"
	"gostap/tests/session"
	"gostap/translator/syntax"
)

var (
	only = flag.String("cross.run", "", "a pattern for the contexts")
	seed = flag.Uint64("cross.seed", 1, "what the choice of items hangs on")
)

// A planned session is a script that is run while something happens, beside another one if that is what happens.
type planned struct {
	Context, Meanwhile string
	Module, Beside     string
	Items              []string
}

func TestCross(t *testing.T) {
	if guest.Dir() != "" {
		t.Skip("this is the guest")
	}
	dir := guest.Prepare(t)
	session.BuildLoad(t, dir)
	items := items(t)
	for _, release := range guest.Releases(t) {
		t.Run(release, func(t *testing.T) {
			began := time.Now()
			module := guest.OnlyBTF(t, release, guest.BuildModule(t, release, "tests/cross/module"))
			if err := os.Rename(module, filepath.Join(dir, "gs_cross.ko")); err != nil {
				t.Fatal(err)
			}
			b := newBuilder(t, dir, release)
			var list []planned
			for i := range generate.Contexts {
				c, fitting := &generate.Contexts[i], items
				if c.Name == "condition" {
					fitting = b.inConditions(items)
				}
				list = append(list, plan(b, i, generate.Plan(c, fitting, b.statement, *seed))...)
			}
			b.wait()
			t.Logf("the modules took %s", time.Since(began).Round(time.Second))
			write(t, dir, list)
			session.InGuest(t, release, dir, *only)
		})
	}
}

// plan pairs the scripts of the nth context with what happens meanwhile, such that each is there: in the short form one
// of them, each context's another one.
func plan(b *builder, n int, scripts []*generate.Script) (list []planned) {
	for i := range session.Choose(1, max(len(scripts), len(meanwhiles))) {
		s := scripts[(n+i)%len(scripts)]
		p := planned{Context: s.Context.Name, Module: b.build(s), Meanwhile: meanwhiles[(n+i)%len(meanwhiles)].name}
		for _, it := range s.Items {
			p.Items = append(p.Items, it.Name)
		}
		if p.Meanwhile == beside {
			p.Beside = b.build(scripts[(n+i+1)%len(scripts)])
		}
		list = append(list, p)
	}
	return list
}

// items returns what is crossed.
func items(t *testing.T) []generate.Item {
	env := &syntax.Env{Runtime: "kernel", Arch: "x86_64", KernelVR: "6.1.0", StapVersion: "4.8"}
	library, diags := elaborate.LoadLibrary(env, elaborate.Folder{FS: tapsets.FS, Path: "tapset"})
	if diags.Err() != nil {
		t.Fatal(diags)
	}
	return append(generate.Functions(library.Files()), generate.Constructs...)
}

func write(t *testing.T, dir string, list []planned) {
	data, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "plan.json"), data, 0o644); err != nil {
		t.Fatal(err)
	}
}
