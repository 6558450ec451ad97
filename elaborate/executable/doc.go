// SPDX-License-Identifier: GPL-2.0-or-later

// Package executable reads programs and shared libraries: ELF files of user space.
//
// A File (open.go) has the functions of the symbol tables (functions.go), and tells
// where in the file an address lies; sdt.go reads its static marks and operand.go
// how the compiler has written their arguments, plt.go its calls into libraries.
// find.go finds programs by what scripts call them, library.go what a program loads.
package executable
