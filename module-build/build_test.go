// SPDX-License-Identifier: GPL-2.0-or-later

package modulebuild

import (
	"bytes"
	"context"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/pkg/errors"
	"golang.org/x/sync/errgroup"

	"gostap/manifest"
)

// releases are the distribution's kernels whose headers are installed.
func releases(t *testing.T) []string {
	dirs, _ := filepath.Glob("/lib/modules/*/build")
	var names []string
	for _, d := range dirs {
		name := filepath.Base(filepath.Dir(d))
		if _, err := os.Stat("/boot/vmlinuz-" + name); err == nil {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		t.Fatal("no kernel headers: apt-get install linux-headers-cloud-amd64")
	}
	return names
}

func testRequest(t *testing.T, release string) Request {
	t.Helper()
	c, err := os.ReadFile("testdata/probes.c")
	if err != nil {
		t.Fatal(err)
	}
	return Request{Release: release, Name: "gostap_probes", C: c, Manifest: []byte(`{"Version":1}`)}
}

func build(t *testing.T, req Request) Result {
	t.Helper()
	begin := time.Now()
	res, err := Build(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s %s: %v, cached %v", req.Release, req.Name, time.Since(begin), res.CacheHit)
	return res
}

func TestBuild(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	for _, release := range releases(t) {
		req := testRequest(t, release)
		build(t, req)
		req.Name = "gostap_other"
		res := build(t, req)
		if res.CacheHit {
			t.Error("the other was never built, and yet is cached")
		}
		if again := build(t, req); !again.CacheHit || again.Path != res.Path {
			t.Errorf("built again: %+v", again)
		}
		checkModule(t, res.Path, "gostap_other")
		req.KBuild = true
		checkModule(t, build(t, req).Path, "gostap_other")
	}
}

// checkModule checks for what the kernel and the consumer need.
func checkModule(t *testing.T, path, name string) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data := func(section string) string {
		s := f.Section(section)
		if s == nil {
			t.Fatalf("%s: no section %s", path, section)
		}
		if section == manifest.Section && s.Flags&elf.SHF_ALLOC != 0 {
			t.Errorf("%s: the kernel would load %s", path, section)
		}
		b, err := s.Data()
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if got := data(manifest.Section); got != `{"Version":1}` {
		t.Errorf("%s: manifest %q", path, got)
	}
	if got := data(".gnu.linkonce.this_module")[24 : 24+len(name)+1]; got != name+"\x00" {
		t.Errorf("%s: module is named %q", path, got)
	}
}

// TestEmbedded has embedded C that calls functions which the runtime does not, and therefore needs
// symbol versions of its own.
func TestEmbedded(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	release := releases(t)[0]
	req := testRequest(t, release)
	library := []byte("#include \"platform.h\"\n#include \"gs_embed.h\"\ngs_s64 gs_lib_pid(void) { return task_tgid_nr(current); }\n")
	req.Library = Library{Key: "pid", C: func() []byte { return library }}
	req.Embedded = []byte("#include \"platform.h\"\n#include \"gs_embed.h\"\n#include <linux/utsname.h>\n" +
		"extern gs_s64 gs_lib_pid(void);\ngs_s64 own(void) { return get_random_u8() + ktime_get_real_seconds() + gs_lib_pid(); }\n")
	res := build(t, req)
	data, err := os.ReadFile(res.Path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(data, []byte("ktime_get_real_seconds\x00\x00")) {
		t.Error("no version of ktime_get_real_seconds")
	}
	req.Embedded = []byte("#line 7 \"x.stp\"\nint f(void) { return nowhere; }\n")
	_, err = Build(context.Background(), req)
	var refused *CompileError
	if !errors.As(err, &refused) || !strings.Contains(refused.Output, "x.stp:7:") {
		t.Errorf("got %v, want an error in line 7 of x.stp", err)
	}
}

func TestMissing(t *testing.T) {
	_, err := Build(context.Background(), Request{Release: "1.2.3-none", Name: "x"})
	var missing *MissingError
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "1.2.3-none") {
		t.Errorf("got %v, want a MissingError", err)
	}
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	t.Setenv("PATH", "/nowhere")
	_, err = Build(context.Background(), testRequest(t, releases(t)[0]))
	if !errors.As(err, &missing) {
		t.Errorf("got %v, want a MissingError", err)
	}
	t.Log(err)
}

// A compiler that is killed prints nothing: the error names it and how it ended.
func TestSilentCompiler(t *testing.T) {
	compiler := filepath.Join(t.TempDir(), "gcc")
	if err := os.WriteFile(compiler, []byte("#!/bin/sh\nkill -KILL $$\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	err := compileHost(context.Background(), "the script", t.TempDir(), compiler, nil)
	if err == nil || !strings.Contains(err.Error(), compiler+" ends with signal: killed") {
		t.Errorf("got %v", err)
	}
}

// A script for which the compiler would run out of memory is rejected before.
func TestTooLarge(t *testing.T) {
	_, err := Build(context.Background(), Request{Release: "1.2.3-none", Name: "x", C: make([]byte, maxC+1)})
	if err == nil || !strings.Contains(err.Error(), "the script becomes 16 MB of C") {
		t.Errorf("got %v", err)
	}
}

// TestConcurrent starts several builds with an empty cache.
func TestConcurrent(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	release := releases(t)[0]
	var g errgroup.Group
	for i := range 4 {
		req := testRequest(t, release)
		req.Name = fmt.Sprint("gostap_", i%2)
		g.Go(func() error {
			_, err := Build(context.Background(), req)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
}

func TestBuildHost(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	c := []byte("#include \"gostap.h\"\nstatic const struct gs_probe probes[1];\nstatic const struct gs_point points[1];\n" +
		"const struct gs_program gs_program = { .abi = GS_ABI, .probes = probes, .points = points };\n")
	for _, sanitize := range []bool{false, true} {
		res, err := BuildHost(context.Background(), HostRequest{C: c, Sanitize: sanitize})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(res.Path); err != nil {
			t.Error(err)
		}
		if again, err := BuildHost(context.Background(), HostRequest{C: c, Sanitize: sanitize}); err != nil || !again.CacheHit {
			t.Errorf("built again: %+v, %v", again, err)
		}
	}
}

// Each part of a script's C is compiled once, by no more compilers than there are processors and parts.
func TestUnitFlags(t *testing.T) {
	for _, c := range []struct {
		parts, processors int
		want              [][]string
	}{
		{0, 4, [][]string{nil}},
		{1, 4, [][]string{nil}},
		{5, 1, [][]string{nil}},
		{2, 8, [][]string{{"-DGS_PARTS=1"}, {"-DGS_PARTS=2"}}},
		{5, 2, [][]string{{"-DGS_PARTS=21"}, {"-DGS_PARTS=10"}}},
	} {
		if got := unitFlags(c.parts, c.processors); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%d parts on %d processors: %q, want %q", c.parts, c.processors, got, c.want)
		}
	}
}
