// SPDX-License-Identifier: GPL-2.0-or-later

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/sync/errgroup"

	"gostap/tests/guest"
)

// warm builds the runtime, the indexes of the kernel and its modules, and the modules of the scripts
// into the cache: the compiler would take seconds for each in the guest, and takes a tenth of a second
// here. The guest builds what it does not find in the cache. scripts is a pattern of their names.
func warm(t *testing.T, dir, release, scripts string) {
	gostap := filepath.Join(dir, "gostap")
	guest.Command(t, dir, gostap, "-p4", "-r", release, filepath.Join(guest.Root(t), "examples/hello.stp"))
	guest.Command(t, dir, gostap, "-p2", "-r", release, "-e",
		`probe kernel.trace("x*:none")?, kernel.function("vfs_read"), kernel.data("panic_timeout").write { println(@enum("PIDTYPE_PID")) }`)
	buildPrograms(t, dir)
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := regexp.Compile(scripts)
	if err != nil {
		t.Fatal(err)
	}
	var group errgroup.Group
	group.SetLimit(2)
	for _, file := range files {
		if !chosen.MatchString(strings.TrimSuffix(filepath.Base(file), ".txtar")) {
			continue
		}
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		work := t.TempDir()
		env := append(os.Environ(), "TMPDIR="+work, "PATH="+dir+":"+os.Getenv("PATH"))
		if filepath.Base(file) != "debuginfo.txtar" {
			env = append(env, noDebuginfo)
		}
		if err := txtar.Write(archive, work); err != nil {
			t.Fatal(err)
		}
		list := sessions(strings.NewReplacer("$EXAMPLES", filepath.Join(guest.Root(t), "examples"), "$GOSTAPDIR", dir).Replace(string(archive.Comment)))
		for i := range list {
			if list[i][0] == "tool" {
				list[i] = append([]string{"tool", "-p4", "-r", release}, list[i][1:]...)
			} else {
				list[i] = append([]string{"-p4", "-r", release}, list[i]...)
			}
		}
		for _, file := range archive.Files {
			if file.Name == nested {
				for line := range strings.Lines(string(file.Data)) {
					list = append(list, append([]string{"tool", "-p4", "-r", release}, words(line)...))
				}
			}
		}
		for _, args := range list {
			group.Go(func() error {
				cmd := exec.Command(gostap, args...)
				cmd.Dir = work
				cmd.Env = env
				cmd.Run() // some fail as expected, which is checked in the guest
				return nil
			})
		}
	}
	group.Wait()
}

// buildPrograms compiles the probed programs, in C, C++, Go and, if there is a compiler, Rust, into a
// folder of $PATH, also as NAME-stripped.
func buildPrograms(t *testing.T, dir string) {
	sources, err := filepath.Glob("programs/*.c*")
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range sources {
		compiler := map[string]string{".c": "gcc", ".cc": "g++"}[filepath.Ext(source)]
		out := filepath.Join(dir, strings.TrimSuffix(filepath.Base(source), filepath.Ext(source)))
		guest.Command(t, ".", compiler, "-O2", "-g", "-fomit-frame-pointer", "-pthread", "-o", out, source)
		guest.Command(t, ".", "strip", "--strip-debug", "-o", out+"-stripped", out)
	}
	for out, options := range map[string]string{"calls-static-pie": "-static-pie", "calls-static": "-static -gsplit-dwarf", "calls-fixed": "-no-pie -gdwarf-4"} {
		args := append([]string{"-O2", "-g", "-w", "-o", filepath.Join(dir, out), "programs/calls.c"}, strings.Fields(options)...)
		guest.Command(t, ".", "gcc", args...)
	}
	guest.Command(t, ".", "gcc", "-O2", "-static", "-nostdlib", "-o", filepath.Join(dir, "counted"), "programs/counted.S")
	guest.Command(t, ".", "gcc", "-O2", "-g", "-shared", "-fPIC", "-o", filepath.Join(dir, "libtock.so"), "programs/libraries/tock.c")
	for out, adds := range map[string]string{"ticks": "1", "ticks-other": "2"} {
		guest.Command(t, ".", "gcc", "-O2", "-g", "-DADDS="+adds, "-o", filepath.Join(dir, out), "programs/libraries/ticks.c", "-L"+dir, "-ltock", "-Wl,-rpath,$ORIGIN:/")
	}
	for out, model := range map[string]string{"libown.so": "global-dynamic", "libown-initial.so": "initial-exec"} {
		for prefix, option := range map[string]string{"": "-g", "exported-": "-Dstatic="} {
			guest.Command(t, ".", "gcc", "-O2", "-g", option, "-shared", "-fPIC", "-ftls-model="+model, "-o", filepath.Join(dir, prefix+out), "programs/libraries/own.c")
		}
	}
	if _, err := exec.LookPath("rustc"); err == nil {
		out := filepath.Join(dir, "parcels")
		guest.Command(t, ".", "rustc", "-O", "-g", "-A", "dead_code", "-o", out, "programs/parcels.rs")
		guest.Command(t, ".", "strip", "--strip-debug", "-o", out+"-stripped", out)
		guest.Command(t, ".", "rustc", "-g", "-A", "dead_code", "-o", out+"-plain", "programs/parcels.rs")
	}
	guest.Command(t, ".", "go", "build", "-o", dir, "./programs/gocalls")
	guest.Command(t, ".", "go", "build", "-ldflags=-s -w", "-o", filepath.Join(dir, "gocalls-stripped"), "./programs/gocalls")
	guest.Command(t, ".", "go", "build", "-o", dir, "./programs/gomany")
	guest.Command(t, ".", "env", "CGO_ENABLED=1", "go", "build", "-o", dir, "./programs/gocgo")
}

// nested is the file of a script that lists tools with their arguments, a line each, which run
// concurrently.
const nested = "tools"

// sessions returns gostap's arguments for each session in a testscript file.
func sessions(script string) (list [][]string) {
	for line := range strings.Lines(script) {
		_, rest, found := strings.Cut(line, "exec gostap ")
		args := words(rest)
		if found && len(args) > 0 && (strings.HasPrefix(args[0], "-") || args[0] == "tool" || strings.HasSuffix(args[0], ".stp")) {
			list = append(list, args)
		}
	}
	return list
}

// words splits a line as testscript does: at spaces, except within single quotes, in which two quotes
// stand for one. A final & is dropped.
func words(line string) (list []string) {
	var word strings.Builder
	quoted, begun := false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'' && quoted && i+1 < len(line) && line[i+1] == '\'':
			word.WriteByte(c)
			i++
		case c == '\'':
			quoted, begun = !quoted, true
		case !quoted && (c == ' ' || c == '\n'):
			if begun {
				list = append(list, word.String())
			}
			word.Reset()
			begun = false
		case !quoted && c == '&':
			return list
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	return list
}

func TestWords(t *testing.T) {
	got := sessions("# text\n! exec gostap -e 'probe begin { print(''x'') }' -c 'ls -l' &name&\nexec gostap run x.ko\nexec gostap a.stp\n")
	if len(got) != 2 || strings.Join(got[0], "|") != "-e|probe begin { print('x') }|-c|ls -l" || strings.Join(got[1], "|") != "a.stp" {
		t.Errorf("%q", got)
	}
}
