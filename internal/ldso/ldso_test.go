// SPDX-License-Identifier: GPL-2.0-or-later

package ldso

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// The libraries of a program are those that ld.so loads.
func TestLibraries(t *testing.T) {
	program, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	out, err := exec.Command("ldd", program).Output()
	if err != nil {
		t.Skip(err)
	}
	var got []string
	for _, l := range Loaded(program) {
		got = append(got, l.Path)
	}
	for _, m := range regexp.MustCompile(`(?m)(?:=> |^\s)(/\S+) \(`).FindAllStringSubmatch(string(out), -1) {
		if path, _ := filepath.EvalSymlinks(m[1]); !slices.Contains(got, path) {
			t.Errorf("%s is missing in %v", m[1], got)
		}
	}
	if len(got) < 2 {
		t.Errorf("only %v", got)
	}
}

// If ld.so's cache is damaged, entries are missing.
func TestDamagedLinkerCache(t *testing.T) {
	data, err := os.ReadFile("/etc/ld.so.cache")
	if err != nil {
		t.Skip(err)
	}
	if len(parseCache(data)) == 0 {
		t.Error("the real one has no entries")
	}
	random := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		bad := slices.Clone(data[:random.IntN(len(data)+1)])
		for range 8 {
			if len(bad) > 0 {
				bad[random.IntN(min(len(bad), 4096))] = byte(random.Uint32())
			}
		}
		parseCache(bad)
	}
}
