// SPDX-License-Identifier: GPL-2.0-or-later

// Package format is the language of printf formats: what stands between the
// quotes of printf("%-16s %5d\n", …).
//
// Three speak it, and have to agree to the byte: the checker, which counts and
// types the arguments; the consumer, which formats what a probe recorded; and
// the C runtime's sprintf. testdata/golden.txt holds what they agree on.
//
// A directive is %[flags][width][.precision][l|ll]conversion:
//
//	%d %i      signed decimal
//	%u %o      unsigned decimal, octal
//	%x %X      hexadecimal in lower or upper case
//	%p         an address: hexadecimal, always after 0x
//	%c         the character with that code (its lowest 8 bits)
//	%s         a string
//	%b         the value's lowest 1, 2, 4 or 8 (the default) bytes as they lie
//	           in memory; the precision says how many, or the width; bytes of
//	           0 fill a width that is larger
//	%m         memory: the precision says how many bytes (1 if there is none)
//	%M         the same as hexadecimal digits, two for each byte
//	%%         a %
//
// Flags are those of C: - + space # 0. On %c and %s, # escapes what does not
// print; on %m and %M it says that the address is a user's. Width and precision
// may be * and then come as an argument before the value. All integers have
// 64 bits, so the size letters l and ll change nothing.
//
// What the script passes for %m and %M is an address; the probe reads the
// memory, so that Append's argument is a string.
package format
