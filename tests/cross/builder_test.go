// SPDX-License-Identifier: GPL-2.0-or-later

package cross

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"gostap/elaborate/symbols"
	"gostap/internal/kernels"
	"gostap/tests/cross/generate"
)

// A builder builds the modules of scripts, two at a time.
type builder struct {
	*testing.T
	dir, release string
	installed    string // the kernel's list of modules
	places       generate.Places
	slots        chan struct{}
	running      sync.WaitGroup
	built        map[string]bool
}

func newBuilder(t *testing.T, dir, release string) *builder {
	b := &builder{T: t, dir: dir, release: release, slots: make(chan struct{}, 2), built: map[string]bool{}}
	// Make gs_cross an installed module, in a mount namespace for gostap only.
	b.installed = filepath.Join(kernels.Find(release).Modules(), "modules.dep")
	list, err := os.ReadFile(b.installed)
	if err != nil {
		t.Fatal(err)
	}
	module, err := filepath.Rel(filepath.Dir(b.installed), filepath.Join(dir, "gs_cross.ko"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "modules.dep"), append(list, module+":\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	b.places = generate.Places{Statement: b.findStatement(), Beat: filepath.Join(dir, "beat")}
	return b
}

// gostap runs gostap for the kernel, up to pass 4.
func (b *builder) gostap(args ...string) (string, error) {
	const mounted = `mount --bind modules.dep "$0" && exec ./gostap "$@"`
	args = append([]string{"-Umr", "sh", "-c", mounted, b.installed, "-r", b.release, "-g", "-w"}, args...)
	cmd := exec.Command("unshare", args...)
	cmd.Dir = b.dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

var refused = regexp.MustCompile(`error: a condition can't .*\bask_(\d+)\(\)`)

// inConditions returns the items that are allowed in a condition: those that change nothing, and need
// no probe point.
func (b *builder) inConditions(items []generate.Item) (list []generate.Item) {
	items = slices.DeleteFunc(slices.Clone(items), func(it generate.Item) bool { return it.Handler })
	if err := os.WriteFile(filepath.Join(b.dir, "conditions.stp"), []byte(generate.Conditions(items)), 0o644); err != nil {
		b.Fatal(err)
	}
	out, _ := b.gostap("-p2", "conditions.stp")
	no := refused.FindAllStringSubmatch(out, -1)
	if len(no) != strings.Count(out, "error: ") {
		b.Fatalf("conditions are refused for another reason than what they do:\n%s", out)
	}
	for i := range items {
		if !slices.ContainsFunc(no, func(m []string) bool { return m[1] == strconv.Itoa(i) }) {
			list = append(list, items[i])
		}
	}
	if len(list) < 100 {
		b.Fatalf("conditions can have only %d items", len(list))
	}
	return list
}

var missing = regexp.MustCompile(`^(@cast: the kernel has no type|no enumeration of the kernel has a constant) `)

// inKernel returns the items without the library functions for which this kernel lacks types or
// symbols.
func (b *builder) inKernel(items []generate.Item) []generate.Item {
	if len(items) == 0 {
		return nil
	}
	if err := os.WriteFile(filepath.Join(b.dir, "functions.stp"), []byte(generate.Calls(items)), 0o644); err != nil {
		b.Fatal(err)
	}
	out, err := b.gostap("-p2", "functions.stp")
	switch half := len(items) / 2; {
	case err == nil:
		return items
	case half > 0:
		return append(b.inKernel(items[:half:half]), b.inKernel(items[half:])...)
	}
	_, reason, _ := strings.Cut(out, "error: ")
	if !missing.MatchString(reason) {
		b.Fatalf("%s is refused:\n%s", items[0].Name, out)
	}
	b.Logf("%s is left out: %s", items[0].Name, strings.SplitN(reason, "\n", 2)[0])
	return nil
}

// build starts to build a script's module, unless that has been done, and returns its name.
func (b *builder) build(s *generate.Script) string {
	if b.built[s.Name] {
		return s.Name
	}
	b.built[s.Name] = true
	file := s.Name + ".stp" // without its folder, which would differ in the next run and make the cache miss
	if err := os.WriteFile(filepath.Join(b.dir, file), []byte(s.Text), 0o644); err != nil {
		b.Fatal(err)
	}
	b.running.Go(func() {
		b.slots <- struct{}{}
		defer func() { <-b.slots }()
		if out, err := b.gostap(append([]string{"-p4", "-m", s.Name, file}, s.Options...)...); err != nil {
			b.Errorf("%s: %v\n%.3000s", s.Name, err, out)
		}
	})
	return s.Name
}

func (b *builder) wait() {
	b.running.Wait()
	if b.Failed() {
		b.FailNow()
	}
}

// findStatement returns an instruction of vfs_read other than the first: behind ftrace's call, and an
// endbr64 before it.
func (b *builder) findStatement() string {
	k, err := symbols.Open(b.release)
	if err != nil {
		b.Fatal(err)
	}
	for _, offset := range []uint64{5, 9} {
		addr := fmt.Sprintf("%#x", k.Lookup("vfs_read")[0].Addr+offset)
		out, err := b.gostap("-p2", "-e", "probe kernel.statement("+addr+").absolute {}")
		if err == nil && !strings.Contains(out, "error") {
			return addr
		}
	}
	b.Fatal("no instruction of vfs_read is found")
	return ""
}
