// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"errors"
	"fmt"

	"gostap/translator/emit/regex"
	"gostap/translator/syntax"
)

// validRegex reports what is wrong with a regular expression, and whether nothing is.
func (s *scope) validRegex(text *syntax.StringLit) bool {
	err := regex.Check(text.Value, s.c.opts.AsStap)
	if err == nil {
		return true
	}
	d := s.c.errorf(text.At, "%v", err)
	var wrong *regex.Error
	if errors.As(err, &wrong) {
		d.Stap = fmt.Sprintf("regex compilation error (at position %d): %s", wrong.Offset, wrong.Msg)
	}
	return false
}
