// SPDX-License-Identifier: GPL-2.0-or-later

// Package format implements printf formats, such as "%-16s %5d
// ".
//
// Formats have three users, which must agree to the byte: the checker, which counts and types the
// arguments; the consumer, which formats the arguments that a probe recorded; and the C runtime's
// sprintf. testdata/golden.txt has test cases for all of them.
//
// A directive is %[flags][width][.precision][l|ll]conversion:
//
// \t%d %i      signed decimal
// \t%u %o      unsigned decimal, octal
// \t%x %X      hexadecimal in lower or upper case
// \t%p         an address: hexadecimal, always with 0x
// \t%c         the character with that code (its lowest 8 bits)
// \t%s         a string
// \t%b         the value's lowest 1, 2, 4 or 8 (the default) bytes in memory
// \t           order; their number is the precision or the width; bytes of 0
// \t           fill a width that is larger
// \t%m         memory: the precision is the number of bytes (1 if there is none)
// \t%M         the same as hexadecimal digits, two for each byte
// \t%%         a %
//
// The flags are those of C: - + space # 0. On %c and %s, # escapes characters that are not printable;
// on %m and %M it means that the address is in user space. Width and precision may be * and are then
// arguments before the value. All integers have 64 bits, so the size letters l and ll have no effect.
//
// The argument of %m and %M is an address in the script; the probe reads the memory, so that Append's
// argument is a string.
package format
