// SPDX-License-Identifier: GPL-2.0-or-later

// Package modulebuild turns a script's C into a kernel module (or, for the host runtime, a program).
//
//	res, err := modulebuild.Build(ctx, modulebuild.Request{
//		Release:  "6.1.0-56-cloud-amd64",
//		Name:     "gostap_4711",
//		C:        c,        // from package emit
//		Manifest: manifest, // JSON, for the consumer
//	})
//
// What every script shares, the runtime, is built once for each kernel, by kbuild, with a stub for the script. That run also
// shows how kbuild calls the compiler, objtool and the linker for this kernel, and makes the .mod.o, in which the symbol versions
// are. A script then costs one call of each:
//
//	script.c ─ gcc ─ objtool ─▶ script.o ┐
//	runtime.o (core, kernel, library)    ├ ld -r ─▶ NAME.ko
//	mod.o, with the module's name in it  ┘
//
// Everything is cached (see package cache), by a hash of all that it is made of. Several processes may build at once: what is new
// comes into the cache by rename. The tools' temporary files are there, too: /tmp may be full.
//
// Build is where to start; runtime.go is the kbuild run, script.go what each script costs, host.go the host runtime.
package modulebuild
