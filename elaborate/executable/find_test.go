// SPDX-License-Identifier: GPL-2.0-or-later

package executable

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	dir := t.TempDir()
	path := compile(t, source)
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	run(t, "cp", path, filepath.Join(dir, "serverd"))
	run(t, "cp", path, filepath.Join(dir, "server-tool"))
	put("server.sh", "#!/usr/bin/env python3\n")
	put("server.txt", "text\n")
	if err := os.Symlink("serverd", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/usr/bin")
	t.Chdir(dir)
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"serverd":        "serverd",
		"./serverd":      "serverd",
		dir + "/serverd": "serverd",
		"link":           "serverd",
		"server*":        "server-tool serverd",
		dir + "/*d":      "serverd",
		"serv?rd":        "serverd",
	} {
		found, err := Find(name)
		got := strings.ReplaceAll(strings.Join(found, " "), real+"/", "")
		if err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, want)
		}
	}
	for name, want := range map[string]string{
		"serverf":         `there is no program "serverf" in $PATH; did you mean`,
		"./serverf":       `there is no file "./serverf"; did you mean`,
		"./no/serverd":    `there is no file "./no/serverd": not even the folder no; `,
		"server.sh":       `server.sh is a script, and no program; what runs is its interpreter: process("python3")`,
		"server.txt":      "server.txt is no ELF file; ",
		"./folder":        "/folder is a folder; process(",
		"nothing*here":    `no program matches "nothing*here"; `,
		"qqqqqqqqqqqqqqq": "a program that is not in $PATH is named by its path",
	} {
		_, err := Find(name)
		var e *NotFoundError
		if !errors.As(err, &e) || !strings.Contains(e.Msg+"; "+e.Hint, want) {
			t.Errorf("%s: %v, %+v", name, err, e)
		}
	}
}

func TestLibraries(t *testing.T) {
	f := open(t, compile(t, source))
	libc, err := f.Libraries("libc.so.6")
	if err != nil || len(libc) != 1 || !strings.HasPrefix(libc[0], "/") {
		t.Fatalf("%v, %v", libc, err)
	}
	all, err := f.Libraries("*")
	if err != nil || len(all) != 2 { // the second is the dynamic linker
		t.Errorf("%v, %v", all, err)
	}
	if got, err := f.Libraries("libc.so.*"); err != nil || got[0] != libc[0] {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := f.Libraries("libd.so.6"); err == nil || !strings.Contains(err.(*NotFoundError).Hint, "libc.so.6") {
		t.Errorf("%v", err)
	}
	if _, err := open(t, compile(t, source, "-static")).Libraries("*"); err == nil || err.(*NotFoundError).Hint != "it is linked statically" {
		t.Errorf("%v", err)
	}
	// A library beside the program, found by its RUNPATH.
	dir := t.TempDir()
	text := filepath.Join(dir, "l.c")
	if err := os.WriteFile(text, []byte("int shown(int n) { return n; }"), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, "gcc", "-shared", "-fPIC", "-o", dir+"/libmine.so", text)
	if err := os.WriteFile(text, []byte("int shown(int n); int main(void) { return shown(0); }"), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, "gcc", "-o", dir+"/prog", text, "-L"+dir, "-lmine", "-Wl,-rpath,$ORIGIN")
	mine, err := open(t, dir+"/prog").Libraries("libmine.so")
	if err != nil || len(mine) != 1 || filepath.Base(mine[0]) != "libmine.so" {
		t.Errorf("%v, %v", mine, err)
	}
	// A library that the program may load by dlopen.
	if got, err := f.Libraries("libcrypto.so.3"); err == nil && filepath.Base(got[0]) != "libcrypto.so.3" {
		t.Errorf("%v", got)
	}
}

// Scripts use the paths of libraries of the distribution that they were written on.
func TestLibraryElsewhere(t *testing.T) {
	here, err := Find("libc.so.6")
	if err != nil {
		t.Skip(err)
	}
	for _, name := range []string{"/lib*/libc.so.6", "/usr/lib*/libc.so.6", "/lib64/libc.so.6", "/lib/libc.so.6"} {
		if got, err := Find(name); err != nil || got[0] != here[0] {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if got, err := Find("/opt/lib/libc.so.6"); err == nil {
		t.Errorf("/opt/lib: %v", got)
	}
}
