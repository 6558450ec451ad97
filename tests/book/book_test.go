// SPDX-License-Identifier: GPL-2.0-or-later

// Package book runs the commands in docs/, and compares their output with that in the page: commands
// behind $ on the host, for one of the installed kernels, those behind # in a VM (make test-kernels).
// docs/index.md describes the format.
package book

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gostap/internal/cache"
	"gostap/tests/guest"
)

// texts reads the files of docs/, by name.
func texts(t *testing.T) map[string]string {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	read := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		read[filepath.Base(file)] = string(text)
	}
	return read
}

// pages reads the chapters.
func pages(t *testing.T) (list []*page) {
	read := texts(t)
	for _, name := range slices.Sorted(maps.Keys(read)) {
		p, err := readPage(name, read[name])
		if err != nil {
			t.Fatal(err)
		}
		if len(p.commands) > 0 {
			list = append(list, p)
		}
	}
	if len(list) < 5 {
		t.Fatalf("only %d pages have commands", len(list))
	}
	return list
}

// The chapters are the pages in mkdocs.yml.
func TestChapters(t *testing.T) {
	config, err := os.ReadFile("../../mkdocs.yml")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if name := filepath.Base(file); name != "REFERENCE.md" /* make reference */ && strings.Count(string(config), ": "+name+"\n") != 1 {
			t.Errorf("mkdocs.yml does not have %s once", name)
		}
	}
}

// plain matches an indented line with a command, which no test runs.
var plain = regexp.MustCompile(`^    (?:[$#] |sudo )*(gostap|stap|make|openssl|ln|cp|\./)\b.*`)

// notRun are the commands in the pages that no test can run, and why.
var notRun = map[string]string{
	"cp opens.stp /etc/gostap/opens.stp": "it goes with systemd, see tests/e2e/testdata/service.txtar",
	"gostap --monitor":                   "it takes a terminal, see live/monitor",
}

// Every command in the pages is in a block that a test runs.
func TestEveryCommand(t *testing.T) {
	for name, text := range texts(t) {
		fenced, language := false, ""
		for i, line := range strings.Split(text, "\n") {
			if rest, isFence := strings.CutPrefix(line, "```"); isFence {
				fenced, language = !fenced, strings.TrimSpace(rest)
			}
			m := plain.FindString(line)
			if fenced && language == "" {
				m = plain.FindString("    " + line)
			} else if fenced {
				continue
			}
			excused := false
			for command := range notRun {
				excused = excused || strings.Contains(m, command)
			}
			if m != "" && !excused {
				t.Errorf("docs/%s:%d: no test runs %s", name, i+1, m)
			}
		}
	}
}

// onRelease is a gostap for a kernel that does not run: commands that read the kernel or build for it
// get its release. With PREBUILD, sessions end after pass 4.
const onRelease = `#!/bin/sh
case "$1" in
-l | -L | -p*) exec "$GOSTAP" -r "$RELEASE" "$@" ;;
funcs | vars | lines) command=$1; shift; exec "$GOSTAP" $command -r "$RELEASE" "$@" ;;
esac
[ "$PREBUILD" ] || exec "$GOSTAP" "$@"
case "$1" in
tool) shift; exec "$GOSTAP" tool -p4 -r "$RELEASE" "$@" ;;
-* | *.stp) exec "$GOSTAP" -p4 -r "$RELEASE" "$@" ;;
esac
`

// folder makes a folder with a page's files and returns a function that runs a command there.
func (p *page) folder(t *testing.T, path string, env ...string) func(command string) (string, error) {
	dir := t.TempDir()
	for name, text := range p.files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(guest.Root(t), "examples"), filepath.Join(dir, "examples")); err != nil {
		t.Fatal(err)
	}
	env = append(append(os.Environ(), env...), "PATH="+path+":"+os.Getenv("PATH"), "GOSTAP_CACHE="+cache.Root(), "GOSTAP_DEBUGINFO=/nonexistent", "TMPDIR="+dir)
	return func(command string) (string, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, "sh", "-c", command)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
}

// run runs the commands of one kind in a page, and compares their output.
func (p *page) run(t *testing.T, root bool, do func(string) (string, error)) {
	for _, c := range p.commands {
		if c.root != root {
			continue
		}
		if out, err := do(c.text); !matches(c.prints, out) {
			t.Errorf("docs/%s:%d: %s (%v)\nthe page says:\n%s\nprinted was:\n%s", p.name, c.line, c.text, err, c.prints, out)
		}
	}
}

// onReleaseName is a uname for a kernel that does not run.
const onReleaseName = "#!/bin/sh\necho $RELEASE\n"

// host makes a folder for $PATH with gostap as in onRelease, and returns it with its environment.
func host(t *testing.T, gostap, release string) (path string, env []string) {
	path = t.TempDir()
	for name, text := range map[string]string{"gostap": onRelease, "uname": onReleaseName} {
		if err := os.WriteFile(filepath.Join(path, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return path, []string{"GOSTAP=" + gostap, "RELEASE=" + release}
}

// TestHost runs the commands behind $.
func TestHost(t *testing.T) {
	if guest.Dir() != "" {
		t.Skip("this is the guest")
	}
	gostap := filepath.Join(t.TempDir(), "gostap")
	guest.Command(t, guest.Root(t), "env", "CGO_ENABLED=0", "go", "build", "-o", gostap, "./cmd/gostap")
	releases := guest.Releases(t)
	path, env := host(t, gostap, releases[0])
	for _, p := range pages(t) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			p.run(t, false, p.folder(t, path, env...))
		})
	}
}

// TestBook runs the commands behind # in VMs. Their modules are built before on the host, as compilers
// are slow in VMs.
func TestBook(t *testing.T) {
	switch {
	case guest.Dir() != "":
		t.Skip("this is the guest")
	case os.Getenv("GOSTAP_KERNELS") == "" || os.Getenv("GOSTAP_SPREAD") != "":
		t.Skip("make test-kernels runs this, or GOSTAP_KERNELS=RELEASE")
	}
	dir := guest.Prepare(t)
	for _, release := range guest.Releases(t) {
		path, env := host(t, filepath.Join(dir, "gostap"), release)
		for _, p := range pages(t) {
			do := p.folder(t, path, append(env, "PREBUILD=1")...)
			for _, c := range p.commands {
				if c.root && strings.HasPrefix(c.text, "gostap ") {
					do(c.text) // errors are reported in the guest
				}
			}
		}
		t.Run(release, func(t *testing.T) {
			guest.Run(t, guest.Config{Release: release, Dir: dir, Test: "TestGuest", Run: os.Getenv("GOSTAP_SCRIPTS"), Timeout: 30 * time.Minute})
		})
	}
}

// TestGuest is the part of TestBook in the VM.
func TestGuest(t *testing.T) {
	dir := guest.Dir()
	if dir == "" {
		t.Skip("TestBook runs this in a VM")
	}
	if out, err := exec.Command("ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, p := range pages(t) {
		t.Run(p.name, func(t *testing.T) {
			p.run(t, true, p.folder(t, dir))
		})
	}
}
