// SPDX-License-Identifier: GPL-2.0-or-later

// Package image knows the files of machine code in which there can be probes.
//
// A Target (target.go) is a kernel with its modules, or the host runtime, and
// opens what is asked for. An Image (image.go) is one such file, the kernel
// itself (kernel.go), a module (module.go), a program or library (program.go): its symbols, its types (btf.go),
// where its debuginfo is (debuginfo.go). A Source is an image as debuginfo
// describes it: it says which symbol code at an address counts from, whether a
// kprobe may stand there (code.go), and which expression of a program is the
// address of a variable.
//
// Below are the packages symbols, btf and dwarf, which read the files, and
// probecache, which keeps parts of debuginfo; above are the kinds of probe
// points and the target variables.
package image
