// SPDX-License-Identifier: GPL-2.0-or-later

// Package fuzz searches for scripts on which passes 1 to 3 do anything but succeed or report an error:
// panics, excessive time or memory, and C that does not compile.
//
// Real scripts (seeds_test.go) are mutated (mutate_test.go): their probe points, target variables,
// calls and expressions are replaced by others, with names of the functions, types and variables of
// installed kernels (points_test.go, generate_test.go). All decisions are derived from a string of
// bytes (choices_test.go), so that Go's fuzzer, which observes code coverage, can guide them:
//
// \tmake fuzz FUZZ=Passes FUZZTIME=2h
// \tgo test ./tests/fuzz -run Mutations -timeout 2h -mutations 2000000 -first 1000000
//
// The second command does not use the fuzzer, which counts an input as hung after ten seconds even if
// the machine is busy. Scripts that fail are stored in testdata/found, and every run of the tests runs
// them again, with some mutations of fixed seeds.
package fuzz

import (
	"flag"
	"os"
	"runtime/debug"
	"slices"
	"testing"

	"gostap/translator/emit"
)

// mutated returns the input for a seed and choices.
func mutated(worlds []*world, scripts []string, seed int, bytes []byte) *input {
	c := &choices{bytes}
	in := &input{world: worlds[c.n(len(worlds))], guru: c.n(2) == 0, plain: c.one(8), timing: c.one(8)}
	lib, _ := load(in.env())
	g := &generator{c: c, w: in.world, library: lib, calls: slices.Sorted(slices.Values(lib.FunctionNames()))}
	for range c.n(3) {
		in.defines = append(in.defines, pick(c, emit.LimitNames()...)+"="+pick(c, "1", "0", "2", "3", "32", "40", "100", "1000", "65535", "0x10000000"))
	}
	in.text = g.mutate(scripts[seed%len(scripts)], scripts)
	if c.one(4) {
		in.asked = g.point()
	}
	return in
}

// FuzzPasses runs passes 1 to 3 on mutations, and gcc on some of the results.
func FuzzPasses(f *testing.F) {
	worlds, scripts := allWorlds(f), seeds(f)
	f.Add(uint16(0), random(0, 64))
	if flag.Lookup("test.fuzz").Value.String() != "" {
		for i := range scripts {
			f.Add(uint16(i), random(uint64(i), 64))
		}
	}
	recordCrashes(f)
	ran := 0
	f.Fuzz(func(t *testing.T, seed uint16, bytes []byte) {
		in := mutated(worlds, scripts, int(seed), bytes)
		c := in.run(t)
		if ran++; c != nil && ran%*sample == 0 {
			if err := in.compile(t, c); err != nil {
				t.Fatalf("%v\n%s", err, in)
			}
		}
	})
}

// recordCrashes appends the output of a dying worker, which Go's fuzzer does not show, to the file in
// $FUZZ_CRASHES.
func recordCrashes(f *testing.F) {
	path := os.Getenv("FUZZ_CRASHES")
	if path == "" {
		return
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		f.Fatal(err)
	}
	defer file.Close()
	if err := debug.SetCrashOutput(file, debug.CrashOptions{}); err != nil {
		f.Fatal(err)
	}
}

// TestFound runs the stored scripts, unmodified, on all kernels.
func TestFound(t *testing.T) {
	for _, text := range found(t) {
		for _, w := range allWorlds(t) {
			for _, guru := range []bool{true, false} {
				in := &input{world: w, text: text, guru: guru}
				if c := in.run(t); c != nil {
					if err := in.compile(t, c); err != nil {
						t.Errorf("%v\n%s", err, in)
					}
				}
			}
		}
	}
}

var (
	mutations = flag.Int("mutations", 2000, "how many mutations to try")
	sample    = flag.Int("sample", 16, "gcc looks at one in so many scripts' C")
	others    = flag.String("seeds", "", "a folder of more scripts to begin with")
	first     = flag.Uint64("first", 0, "the number of the first of them, which all its choices come from")
)

// TestMutations runs some mutations of fixed seeds.
func TestMutations(t *testing.T) {
	worlds, scripts := allWorlds(t), seeds(t)
	translated := 0
	for i := range *mutations {
		n := *first + uint64(i)
		bytes := random(n, 64+int(n%256))
		in := mutated(worlds, scripts, int(n%uint64(len(scripts))), bytes)
		c := in.run(t)
		if c == nil {
			continue
		}
		if translated++; translated%*sample == 0 {
			if err := in.compile(t, c); err != nil {
				t.Errorf("%v\n%s", err, in)
			}
		}
	}
	t.Logf("%d of %d mutations were translated", translated, *mutations)
	if translated < *mutations/20 {
		t.Errorf("only %d of %d mutations were translated", translated, *mutations)
	}
}
