// SPDX-License-Identifier: GPL-2.0-or-later

// Package torture subjects gostap, in a micro-VM's kernel, to what must harm neither the kernel nor the
// output: random scripts, consumers that die, lack of memory, malformed messages, probes on what the
// runtime itself calls, and on everything. Each test must leave a clean kernel and consistent figures.
//
// \tgo test ./tests/torture                       the short form
// \tGOSTAP_TORTURE=long go test -timeout 5h …     the long one
// \tgo test ./tests/torture -torture.run=Faults   one item, in the guest
//
// GOSTAP_KERNELS selects the kernels.
package torture

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gostap/tests/guest"
	"gostap/tests/session"
)

var only = flag.String("torture.run", "", "a pattern for what is to be done in the guest")

// items are the tests, in order.
var items = []struct {
	name string
	do   func(*testing.T)
}{
	{"Scripts", testScripts},
	{"Killed", testKilled},
	{"Stopped", testStopped},
	{"StoppedWarnings", testStoppedWarnings},
	{"Removal", testRemoval},
	{"FullDisk", testFullDisk},
	{"OtherReader", testOtherReader},
	{"Memory", testMemory},
	{"Latecomer", testLatecomer},
	{"Messages", testMessages},
	{"Strangers", testStrangers},
	{"Recursion", testRecursion},
	{"Everything", testEverything},
	{"Programs", testPrograms},
}

// pattern selects the tests for the kernel of that index among n: those of -torture.run, or all. With
// GOSTAP_SPREAD, as in make test, each test runs on one of the kernels.
func pattern(index, n int) string {
	if *only != "" || os.Getenv("GOSTAP_SPREAD") == "" {
		return *only
	}
	var names []string
	for i, item := range items {
		if i%n == index {
			names = append(names, item.name)
		}
	}
	return "^(" + strings.Join(names, "|") + "|Leaks)$"
}

func TestTorture(t *testing.T) {
	if guest.Dir() != "" {
		t.Skip("this is the guest")
	}
	dir := guest.Prepare(t)
	session.BuildLoad(t, dir)
	began := time.Now()
	releases := guest.Releases(t)
	numbers := numbersOf(releases)
	var wanted []*wantedScript
	if ok, err := regexp.MatchString(*only, "Scripts"); err != nil {
		t.Fatal(err)
	} else if ok {
		wanted = scripts(t, slices.Max(numbers))
	}
	t.Logf("the scripts on the host took %s", time.Since(began).Round(time.Second))
	for i, release := range releases {
		t.Run(release, func(t *testing.T) {
			began := time.Now()
			chosen := pattern(i, len(releases))
			if scripts, _ := regexp.MatchString(chosen, "Scripts"); scripts {
				buildScripts(t, dir, release, wanted[:min(numbers[i], len(wanted))])
			}
			buildModules(t, dir, release)
			t.Logf("the modules took %s", time.Since(began).Round(time.Second))
			session.InGuest(t, release, dir, chosen)
		})
	}
}

// buildModules builds the modules that the guest loads.
func buildModules(t *testing.T, dir, release string) {
	for name, source := range map[string]string{"gstortfail": "tests/torture/fail", "gs_places": "tests/e2e/module"} {
		if err := os.Rename(guest.BuildModule(t, release, source), filepath.Join(dir, name+".ko")); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range []struct {
		name, script string
		options      []string
	}{
		{"flood", flood, nil},
		{"warnings", warnings, nil},
		{"victim", victim, nil},
		{"latecomer", strings.ReplaceAll(latecomer, "PATH", filepath.Join(dir, "gs_places.ko")), nil},
		{"quiet", quiet, nil},
		{"recursion", recursion, []string{"--suppress-handler-errors"}},
		{"programs", strings.ReplaceAll(programs, "PATH", filepath.Join(dir, "storm")), nil},
		{"stepped", strings.ReplaceAll(stepped, "PATH", filepath.Join(dir, "storm")), nil},
		{"everything", fmt.Sprintf(everything, session.Choose("[a-h]*", "*")), []string{"--suppress-handler-errors"}},
	} {
		args := append([]string{"-w", "-g", "-p4", "-r", release, "-m", m.name, "-e", m.script}, m.options...)
		guest.Command(t, dir, filepath.Join(dir, "gostap"), args...)
	}
}

// TestGuest runs inside the VM.
func TestGuest(t *testing.T) {
	if guest.Dir() == "" {
		t.Skip("TestTorture runs this in a VM")
	}
	os.Setenv("PATH", guest.Dir()+":"+os.Getenv("PATH"))
	for _, item := range items {
		t.Run(item.name, func(t *testing.T) {
			began := time.Now()
			item.do(t)
			session.Clean(t)
			t.Logf("%s took %s", item.name, time.Since(began).Round(time.Second))
		})
	}
	t.Run("Leaks", func(t *testing.T) {
		if err := guest.Leaks(); err != nil {
			t.Error(err)
		}
	})
}
