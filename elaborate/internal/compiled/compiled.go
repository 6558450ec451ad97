// SPDX-License-Identifier: GPL-2.0-or-later

// Package compiled makes programs for tests.
package compiled

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Program compiles prog.c, a C program of that text, in a folder of its own, and returns the
// path of the program, without symbolic links.
func Program(t testing.TB, text string, flags ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	from, to := filepath.Join(dir, "prog.c"), filepath.Join(dir, "prog")
	if err := os.WriteFile(from, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	Run(t, "gcc", append(flags, "-o", to, from)...)
	return to
}

// Run runs a command, and returns what it prints.
func Run(t testing.TB, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
	return string(out)
}

// Mark returns C of a static mark as sys/sdt.h makes it, a nop at the label; semaphore is the
// symbol of its reference counter, or "0".
func Mark(label, provider, name, semaphore, args string) string {
	return strings.NewReplacer("LABEL", label, "PROVIDER", provider, "NAME", name, "SEMAPHORE", semaphore, "ARGS", args).Replace(`
	__asm__ __volatile__ ("LABEL: nop\n"
	".pushsection .note.stapsdt,\"?\",\"note\"\n .balign 4\n .4byte 992f-991f,994f-993f,3\n"
	"991: .asciz \"stapsdt\"\n992: .balign 4\n993: .8byte LABEL\n .8byte _.stapsdt.base\n .8byte SEMAPHORE\n"
	".asciz \"PROVIDER\"\n .asciz \"NAME\"\n .asciz \"ARGS\"\n994: .balign 4\n .popsection\n"
	".ifndef _.stapsdt.base\n .pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n .weak _.stapsdt.base\n .hidden _.stapsdt.base\n"
	"_.stapsdt.base: .space 1\n .size _.stapsdt.base,1\n .popsection\n .endif\n");`)
}
