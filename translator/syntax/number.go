// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import (
	"errors"
	"fmt"
	"strconv"
)

// parseNumber converts a literal. Values from 2⁶³ to 2⁶⁴-1 wrap around, as C's
// unsigned numbers do when stored in a long: -9223372036854775808 is thereby
// the smallest number, and 0xffffffffffffffff is -1.
func parseNumber(text string) (int64, error) {
	if text == "" {
		return 0, errors.New("expected a number")
	}
	if len(text) < 19 && text[0] != '0' { // can't overflow
		n := int64(0)
		for i := 0; i < len(text); i++ {
			c := text[i] - '0'
			if c > 9 {
				return 0, badDigit(text, text[i], "decimal")
			}
			n = n*10 + int64(c)
		}
		return n, nil
	}
	digits, base, name := text, 10, "decimal"
	if len(text) > 1 && text[0] == '0' {
		if text[1] == 'x' || text[1] == 'X' {
			digits, base, name = text[2:], 16, "hexadecimal"
			if digits == "" {
				return 0, fmt.Errorf("expected hexadecimal digits after '%s'", text)
			}
		} else {
			digits, base, name = text[1:], 8, "octal"
		}
	}
	for i := 0; i < len(digits); i++ {
		if digitValue(digits[i]) >= base {
			return 0, badDigit(text, digits[i], name)
		}
	}
	n, err := strconv.ParseUint(digits, base, 64)
	if err != nil {
		return 0, fmt.Errorf("the number %s does not fit into 64 bits", clip(text))
	}
	return int64(n), nil
}

func badDigit(text string, c byte, name string) error {
	return fmt.Errorf("'%c' is no %s digit in the number '%s'", c, name, clip(text))
}

// digitValue returns the value of the digit c, 255 if it is none.
func digitValue(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return 255
}
