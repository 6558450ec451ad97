// SPDX-License-Identifier: GPL-2.0-or-later

// Package image knows the files of machine code in which there can be probes.
//
// A Target (target.go) is a kernel with its modules, or the host runtime, and
// opens images. An Image (image.go) is one such file: the kernel itself
// (kernel.go), a module (module.go), a program or library (program.go). It has
// symbols, types (btf.go) and, perhaps, debuginfo (debuginfo.go). A Source is an
// image with its debuginfo: it finds the base symbol of an address, whether a
// kprobe can be put there (code.go), and the expression for the address of a
// variable at run time.
//
// Below are the packages symbols, btf and dwarf, which read the files, and
// probecache, which keeps parts of debuginfo; above are the kinds of probe
// points and the target variables.
package image
