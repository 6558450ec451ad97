// SPDX-License-Identifier: GPL-2.0-or-later

// Package executable reads programs and shared libraries: ELF files of user space.
//
// A File (open.go) has the functions of the symbol tables (functions.go), and converts
// between addresses and offsets in the file. sdt.go reads its static marks, operand.go
// the operands of their arguments, plt.go the stubs of its calls into libraries.
// find.go finds programs by their names in scripts, library.go a program's libraries.
package executable
