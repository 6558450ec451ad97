// SPDX-License-Identifier: GPL-2.0-or-later

// Package packages installs, uses and removes the packages of `make packages` in fresh Debian systems:
// `make test-packages`, which needs root. debootstrap makes the systems once, in gostap's cache; the
// kernel is one of this machine's, in a VM.
package packages

import (
	"bytes"
	"context"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gostap/internal/cache"
	"gostap/vm"
)

// folder is the folder of the packages.
func folder(t *testing.T) string {
	dir := os.Getenv("GOSTAP_PACKAGES")
	if dir == "" {
		t.Skip("make test-packages runs this")
	}
	return dir
}

// one returns the single file that matches a pattern.
func one(t *testing.T, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) != 1 {
		t.Fatalf("%s: %v, %v", pattern, files, err)
	}
	return files[0]
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// fresh returns a new copy of a minimal system of a Debian release.
func fresh(t *testing.T, suite string) string {
	base := cache.Path("debootstrap", suite)
	err := cache.FillOnce(base, func(tmp string) error {
		cmd := exec.Command("debootstrap", "--variant=minbase", suite, tmp)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Logf("%s", out)
		}
		return err
	})
	if err != nil {
		t.Fatalf("debootstrap %s: %v", suite, err)
	}
	root := filepath.Join(t.TempDir(), suite)
	run(t, "cp", "-a", base, root)
	return root
}

// files lists a system's files, without those that dpkg itself writes.
func files(t *testing.T, root string) string {
	var list []string
	for line := range strings.Lines(run(t, "find", root, "-xdev", "-not", "-path", "*/var/lib/dpkg/*", "-not", "-path", "*/var/log/*", "-not", "-path", "*/var/cache/*", "-not", "-path", "*/proc/*", "-not", "-path", "*/root/.cache*")) {
		list = append(list, strings.TrimPrefix(line, root))
	}
	return strings.Join(list, "")
}

// The program is static, and below 25 MB; so are packages.
func TestSize(t *testing.T) {
	dir, here := folder(t), t.TempDir()
	run(t, "dpkg-deb", "-x", one(t, filepath.Join(dir, "*.deb")), here)
	path := filepath.Join(here, "usr/bin/gostap")
	for _, file := range []string{path, one(t, filepath.Join(dir, "*.deb")), one(t, filepath.Join(dir, "*.rpm"))} {
		info, err := os.Stat(file)
		if err != nil || info.Size() >= 25e6 {
			t.Errorf("%s: %d bytes, %v", file, info.Size(), err)
		}
	}
	program, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	for _, p := range program.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			t.Errorf("%s is not static: %v", path, p.Type)
		}
	}
}

func TestDebian(t *testing.T) {
	dir := folder(t)
	deb := one(t, filepath.Join(dir, "*.deb"))
	releases := vm.Releases()
	if len(releases) == 0 {
		t.Fatal("no kernel to run on: tests/setup test")
	}
	var roots []string
	for _, suite := range []string{"bookworm", "trixie"} {
		root := fresh(t, suite)
		roots = append(roots, root)
		before := files(t, root)
		in := func(args ...string) string { t.Helper(); return run(t, "chroot", append([]string{root}, args...)...) }
		run(t, "cp", deb, root+"/gostap.deb")
		in("dpkg", "-i", "/gostap.deb")
		in("dpkg", "-i", "/gostap.deb") // like an upgrade
		os.Remove(root + "/gostap.deb")

		if out := in("gostap", "-V"); !strings.HasPrefix(out, "gostap 0.") {
			t.Errorf("%s: %s", suite, out)
		}
		if out := in("stap", "-V"); !strings.HasPrefix(out, "Systemtap translator/driver") {
			t.Errorf("%s: %s", suite, out)
		}
		if out := in("readlink", "-f", "/usr/bin/staprun", "/usr/bin/stap-merge"); out != "/usr/bin/gostap\n/usr/bin/gostap\n" {
			t.Errorf("%s: %s", suite, out)
		}
		if out := in("gostap", "tool"); strings.Count(out, "\n  ") < 60 || !strings.Contains(out, "\n  opensnoop ") {
			t.Errorf("%s: %s", suite, out)
		}
		if out := in("gostap", "help", "execname"); !strings.Contains(out, "function execname:string") {
			t.Errorf("%s: %s", suite, out)
		}
		if out := in("sh", "-c", "gostap doctor -r 9.9.9-9-amd64; echo $?"); !strings.Contains(out, "apt install linux-headers-9.9.9-9-amd64") || !strings.HasSuffix(out, "\n3\n") {
			t.Errorf("%s: %s", suite, out)
		}
		for _, file := range []string{"man/man1/gostap.1.gz", "man/man1/gostap-run.1.gz", "man/man1/gostap-tool.1.gz", "man/man1/gostap-doctor.1.gz", "man/man1/gostap-bundle.1.gz", "man/man1/gostap-completion.1.gz", "man/man7/gostapfuncs.7.gz", "doc/gostap/sbom.cdx.json", "doc/gostap/copyright",
			"../lib/systemd/system/gostap@.service", "bash-completion/completions/gostap", "zsh/vendor-completions/_gostap", "fish/vendor_completions.d/gostap.fish"} {
			in("sh", "-c", "[ -s /usr/share/"+file+" ] && setpriv --reuid=65534 --clear-groups cat /usr/share/"+file+" >/dev/null")
		}
		in("bash", "-c", ". /usr/share/bash-completion/completions/gostap && complete -p gostap")
		t.Cleanup(func() {
			in("dpkg", "--purge", "gostap")
			if after := files(t, root); after != before {
				t.Errorf("%s: purged, there are\n%s", suite, difference(before, after))
			}
		})
	}
	runThere(t, releases[0], one(t, filepath.Join(dir, "*.deb")), roots)
}

// runThere runs a module by the packages' programs, in a VM's kernel.
func runThere(t *testing.T, release, deb string, roots []string) {
	here := filepath.Join(t.TempDir(), "deb")
	run(t, "dpkg-deb", "-x", deb, here)
	build := exec.Command(filepath.Join(here, "usr/bin/gostap"), "-p4", "-r", release, "-m", "reads", "-e",
		`global n probe kernel.function("vfs_read") { if (pid() == target()) n++ } probe end { println(n >= 100 ? "enough" : "few") }`)
	build.Dir = here
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	script := "set -e\n"
	for i, root := range roots {
		run(t, "cp", filepath.Join(here, "reads.ko"), filepath.Join(root, "root"))
		script += "mount -t proc proc " + root + "/proc; mount -t sysfs sys " + root + "/sys; mount -t devtmpfs dev " + root + "/dev\n" +
			"chroot " + root + " " + []string{"gostap run", "staprun"}[i%2] + " -c 'dd if=/dev/zero of=/dev/null bs=1 count=100' /root/reads.ko\n"
	}
	defer func() {
		for _, root := range roots {
			os.Remove(filepath.Join(root, "root/reads.ko"))
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var out, said bytes.Buffer
	code, err := vm.Run(ctx, vm.Config{Release: release, Args: []string{"sh", "-c", script}, Stdout: &out, Stderr: &said})
	if err != nil || code != 0 || out.String() != strings.Repeat("enough\n", len(roots)) {
		t.Errorf("%d, %v: %s%s", code, err, out.String(), said.String())
	}
}

// TestRPM installs, uses and removes the rpm by Debian's rpm in a fresh Debian 12, as distributions
// with rpm are not available here: dependencies are not checked, and the scripts call Debian's
// update-alternatives.
func TestRPM(t *testing.T) {
	dir := folder(t)
	file := one(t, filepath.Join(dir, "*.rpm"))
	root := fresh(t, "bookworm")
	before := files(t, root)
	rpm := func(args ...string) string {
		t.Helper()
		return run(t, "rpm", append([]string{"--root", root, "--dbpath", "/rpmdb"}, args...)...)
	}
	rpm("--nodeps", "--nosignature", "-U", file)
	in := func(args ...string) string { t.Helper(); return run(t, "chroot", append([]string{root}, args...)...) }
	if out := rpm("-q", "gostap", "--requires"); !strings.Contains(out, "/usr/sbin/update-alternatives") {
		t.Errorf("requires %s", out)
	}
	if out := in("gostap", "-V"); !strings.HasPrefix(out, "gostap 0.") {
		t.Errorf("%s", out)
	}
	if out := in("gostap", "tool"); !strings.Contains(out, "opensnoop") {
		t.Errorf("%s", out)
	}
	if out := in("stap", "-V"); !strings.HasPrefix(out, "Systemtap translator/driver") {
		t.Errorf("%s", out)
	}
	in("sh", "-c", "[ -s /usr/share/man/man1/gostap-tool.1.gz ] && [ -s /usr/share/zsh/site-functions/_gostap ]")
	rpm("-e", "gostap")
	run(t, "rm", "-rf", root+"/rpmdb")
	if after := files(t, root); after != before {
		t.Errorf("removed, there are\n%s", difference(before, after))
	}
}

// difference lists the lines that only one of two lists has.
func difference(before, after string) string {
	known := map[string]int{}
	for line := range strings.Lines(before) {
		known[line]--
	}
	for line := range strings.Lines(after) {
		known[line]++
	}
	var b strings.Builder
	for line, n := range known {
		if n != 0 {
			b.WriteString(map[bool]string{true: "+ ", false: "- "}[n > 0] + line)
		}
	}
	return b.String()
}
