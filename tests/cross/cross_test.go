// SPDX-License-Identifier: GPL-2.0-or-later

// Package cross runs, in a micro-VM's kernel, every function of the library and every construct of the
// language in every context that handlers run in, during events that must not do harm: CPU hotplug,
// lack of memory, a reader that stops. Each session must end in time, with consistent figures, and
// leave a clean kernel.
//
// \tgo test ./tests/cross                       the short form: some contexts, different ones on each
// kernel
// \tGOSTAP_TORTURE=long go test -timeout 5h …   all combinations
// \tGOSTAP_TORTURE=long go test -timeout 5h ./tests/cross -cross.sessions=40   so many of them, at
// equal distances
// \tgo test ./tests/cross -cross.run=timer      some contexts
//
// generate writes the scripts, module is probed in addition to the kernel. GOSTAP_KERNELS selects the
// kernels.
package cross

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"gostap/elaborate/library"
	"gostap/tapsets"
	"gostap/tests/cross/generate"
	"gostap/tests/guest"
	"gostap/tests/session"
	"gostap/translator/syntax"
)

var (
	only   = flag.String("cross.run", "", "a pattern for the contexts")
	during = flag.String("cross.while", "", "a pattern for what happens meanwhile")
	seed   = flag.Uint64("cross.seed", 1, "what the choice of items hangs on")
	most   = flag.Int("cross.sessions", 0, "how many sessions there are at most; 0: all")
)

// A planned session is a script that runs during an event, with another script if that is the event.
type planned struct {
	Context, Meanwhile string
	Module, Beside     string
	Items              []string

	script, beside *generate.Script
}

func TestCross(t *testing.T) {
	if guest.Dir() != "" {
		t.Skip("this is the guest")
	}
	dir := guest.Prepare(t)
	session.BuildLoad(t, dir)
	guest.Command(t, guest.Root(t), "gcc", "-O2", "-static", "-o", filepath.Join(dir, "beat"), "tests/load/beat.c")
	items, chosen, wanted := items(t), regexp.MustCompile(*only), regexp.MustCompile(*during)
	releases := guest.Releases(t)
	for turn, release := range releases {
		t.Run(release, func(t *testing.T) {
			began := time.Now()
			module := guest.OnlyBTF(t, release, guest.BuildModule(t, release, "tests/cross/module"))
			if err := os.Rename(module, filepath.Join(dir, "gs_cross.ko")); err != nil {
				t.Fatal(err)
			}
			b := newBuilder(t, dir, release)
			items := b.inKernel(items)
			var list []planned
			n := 0
			for i := range generate.Contexts {
				c, fitting := &generate.Contexts[i], items
				if c.Long && !session.Long || !chosen.MatchString(c.Name) {
					continue
				}
				if c.Name == "condition" {
					fitting = b.inConditions(items)
				}
				list = append(list, plan(n, generate.Plan(c, fitting, session.Choose(64, 128), &b.places, *seed))...)
				n++
			}
			list = slices.DeleteFunc(list, func(p planned) bool { return !wanted.MatchString(p.Meanwhile) })
			list = spread(list, sessions(len(releases)), turn)
			for i := range list {
				list[i].build(b)
			}
			b.wait()
			t.Logf("the modules took %s", time.Since(began).Round(time.Second))
			write(t, dir, list)
			session.InGuest(t, release, dir, *only)
		})
	}
}

// plan pairs the scripts of the nth context with events, such that each event occurs: in the short form
// one of them, a different one for each context.
func plan(n int, scripts []*generate.Script) (list []planned) {
	for i := range session.Choose(1, max(len(scripts), len(meanwhiles))) {
		s := scripts[(n+i)%len(scripts)]
		p := planned{Context: s.Context.Name, Meanwhile: meanwhiles[(n+i)%len(meanwhiles)].name, script: s}
		for _, it := range s.Items {
			p.Items = append(p.Items, it.Name)
		}
		if p.Meanwhile == beside {
			p.beside = scripts[(n+i+1)%len(scripts)]
		}
		list = append(list, p)
	}
	return list
}

// shortSessions is the number of sessions in the short form on each kernel, or with GOSTAP_SPREAD on
// all kernels together: each takes some ten seconds.
const shortSessions = 7

// sessions is the maximal number of sessions on each of a number of kernels; 0: all.
func sessions(kernels int) int {
	switch {
	case *most != 0:
		return *most
	case session.Long:
		return 0
	case os.Getenv("GOSTAP_SPREAD") != "":
		return (shortSessions + kernels - 1) / kernels
	}
	return shortSessions
}

// spread selects n of the planned sessions, at equal distances, different ones for each turn; all of
// them if n is 0.
func spread(list []planned, n, turn int) (some []planned) {
	if n == 0 || n > len(list) {
		return list
	}
	from := turn % 2 * len(list) / 2
	for i := range n {
		some = append(some, list[(i*len(list)+from)/n])
	}
	return some
}

// build starts to build the modules of a planned session.
func (p *planned) build(b *builder) {
	p.Module = b.build(p.script)
	if p.beside != nil {
		p.Beside = b.build(p.beside)
	}
}

// items returns the functions and constructs to be tested.
func items(t *testing.T) []generate.Item {
	env := &syntax.Env{Runtime: "kernel", Arch: "x86_64", KernelVR: "6.1.0", StapVersion: "4.8"}
	library, diags := library.Load(env, library.Folder{FS: tapsets.FS, Path: "tapset"})
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

// The requested number of sessions is selected, without duplicates, from the first context to the last.
func TestSpread(t *testing.T) {
	var all []planned
	for n := range generate.Contexts {
		all = append(all, plan(n, []*generate.Script{{Context: &generate.Contexts[n]}})...)
	}
	for _, n := range []int{1, 7, len(all) - 1} {
		some, seen := spread(all, n, 0), map[string]bool{}
		for _, p := range some {
			seen[p.Context+p.Meanwhile] = true
		}
		if len(some) != n || len(seen) != n || some[0].Context != all[0].Context {
			t.Errorf("of %d, %d are taken, %d of them different, where %d are asked for", len(all), len(some), len(seen), n)
		}
	}
	if here, there := spread(all, 7, 0), spread(all, 7, 1); here[1].Context == there[1].Context {
		t.Errorf("both kernels have %s", here[1].Context)
	}
	if got := spread(all, 0, 1); len(got) != len(all) {
		t.Errorf("without a limit, %d of %d are taken", len(got), len(all))
	}
}
