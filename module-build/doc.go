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
// shows how kbuild calls gcc, objtool and the linker for this kernel, and makes the .mod.o, in which the symbol versions
// are; gcc shows how it calls its compiler cc1 and the assembler. A script then costs one call of each:
//
//	script.c ─ cc1 ─ as ─ objtool ─▶ script.o ┐
//	runtime.o (core, kernel, library)         ├ ld -r ─▶ NAME.ko
//	mod.o, with the module's name in it       ┘
//
// Everything is cached (see package cache), by a hash of all inputs. Several processes may build at
// once: new entries are moved into the cache by rename. The tools' temporary files are in the cache,
// too, as /tmp may be full.
//
// To read the package, start with Build; runtime.go is the kbuild run, script.go the build of a script,
// driver.go its compilation without gcc's driver, host.go the host runtime.
package modulebuild
