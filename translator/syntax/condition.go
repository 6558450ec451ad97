// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import (
	"cmp"
	"slices"
	"strings"
)

// condition evaluates the condition between %( and %?. After an error ok is false, and the stream is
// inside of the conditional.
func (pp *preprocessor) condition() (truth, ok bool) {
	c := condParser{pp: pp, frames: len(pp.frames)}
	c.next()
	truth, ok = c.or(true)
	pp.lenient = false
	if ok && c.tok.kind != tCondThen {
		ok = c.fail("expected '%?', '&&' or '||' after the condition")
	}
	return truth, ok
}

// A condParser parses one condition.
type condParser struct {
	pp     *preprocessor
	tok    token
	frames int // the number of frames at the conditional
}

// next reads a token, with macros and arguments expanded. It does not read beyond the end of the
// conditional's frame.
func (c *condParser) next() {
	pp := c.pp
	for {
		t := pp.raw()
		switch t.kind {
		case tEOF:
			if len(pp.frames) > c.frames {
				pp.pop()
				continue
			}
		case tAt:
			switch pp.expand(t) {
			case expanded:
				continue
			case failed:
				t.kind, t.text = tBad, ""
			}
		case tArg:
			s, ok := pp.argument(t)
			if !ok {
				continue
			}
			t = s
		case tCondOpen:
			if len(pp.frames) > c.frames && len(pp.conds) < maxDepth { // a conditional in a macro's body
				pp.conditional(t)
				continue
			}
		case tCondElse:
			if pp.inBranch() && len(pp.frames) > c.frames {
				pp.skipBranch(t, false)
				pp.conds = pp.conds[:len(pp.conds)-1]
				continue
			}
		case tCondClose:
			if pp.inBranch() && len(pp.frames) > c.frames {
				pp.conds = pp.conds[:len(pp.conds)-1]
				continue
			}
		}
		c.tok = t
		return
	}
}

// nextIf reads the first token of a part of the condition. If the part is not evaluated, it may refer
// to missing arguments: $# > 1 && $2 == 5.
func (c *condParser) nextIf(want bool) {
	c.pp.lenient = !want
	c.next()
}

// fail reports what was expected instead of the current token, and pushes the token back so that the
// rest of the conditional can be skipped.
func (c *condParser) fail(expected string) bool {
	t := c.tok
	switch t.kind {
	case tEOF:
		// skipBranch reports that the conditional has no end.
		return false
	case tBad:
		if t.text != "" {
			c.pp.errorf(t.pos, "%s", t.text)
		}
		return false
	}
	c.pp.errorf(t.pos, "%s, found %s", expected, &t)
	for len(c.pp.frames) > c.frames {
		c.pp.frames = c.pp.frames[:len(c.pp.frames)-1]
	}
	if t.kind == tCondClose || t.kind == tCondOpen {
		c.pp.pushBack(t)
	}
	return false
}

// or parses a || b. If want is false, it is parsed but not evaluated.
func (c *condParser) or(want bool) (truth, ok bool) {
	truth, ok = c.and(want)
	for ok && c.tok.kind == tOrOr {
		c.nextIf(want && !truth)
		var t bool
		t, ok = c.and(want && !truth)
		truth = truth || t
	}
	return truth, ok
}

// and parses a && b, which has higher precedence.
func (c *condParser) and(want bool) (truth, ok bool) {
	truth, ok = c.comparison(want)
	for ok && c.tok.kind == tAndAnd {
		c.nextIf(want && truth)
		var t bool
		t, ok = c.comparison(want && truth)
		truth = truth && t
	}
	return truth, ok
}

// comparison parses one comparison: of a name and a string, of two strings or of two numbers.
func (c *condParser) comparison(want bool) (truth, ok bool) {
	left := c.tok
	switch left.kind {
	case tIdent:
	case tString, tRaw:
		left = c.joined()
		return c.strings(left)
	case tNumber, tSub, tAdd:
		return c.numbers()
	case tLParen:
		c.fail("expected a condition; parentheses are not part of them")
		return false, false
	default:
		c.fail("expected a condition")
		return false, false
	}
	if !knownSubject(left.text) {
		c.pp.errorf(left.pos, "unknown subject of a condition '%s'", clip(left.text)).
			Hint = subjectHint(left.text)
		return false, false
	}
	c.next()
	op := c.tok
	if !isComparison(op.kind) {
		return false, c.fail("expected a comparison after '" + left.text + "'")
	}
	c.next()
	if left.text == "guru_mode" {
		return c.guru(op)
	}
	config := strings.HasPrefix(left.text, "CONFIG_")
	if config && (c.tok.kind == tNumber || c.tok.kind == tIdent && strings.HasPrefix(c.tok.text, "CONFIG_")) {
		return c.configs(left.text, op.kind)
	}
	if c.tok.kind != tString && c.tok.kind != tRaw {
		return false, c.fail("expected a string to compare '" + left.text + "' with")
	}
	right := c.joined().text
	if left.text != "kernel_v" && left.text != "kernel_vr" && left.text != "systemtap_v" && op.kind != tEq && op.kind != tNotEq {
		c.pp.errorf(op.pos, "expected '==' or '!=' after '%s', found '%s'", left.text, kindText[op.kind])
		return false, false
	}
	if !want {
		return false, true
	}
	return c.subject(left.text, op.kind, right), true
}

// subject compares the value of a name, such as kernel_v.
func (c *condParser) subject(name string, op kind, right string) bool {
	env := c.pp.env
	switch name {
	case "kernel_v":
		return compareVersion(env.kernelV(), op, right)
	case "kernel_vr":
		return compareVersion(env.KernelVR, op, right)
	case "systemtap_v":
		return compareVersion(env.StapVersion, op, right)
	case "systemtap_privilege":
		return (env.Privilege == right) == (op == tEq)
	case "runtime":
		return matchWildcard(right, env.Runtime) == (op == tEq)
	case "arch":
		return matchWildcard(right, env.Arch) == (op == tEq)
	}
	return matchWildcard(right, env.config(name)) == (op == tEq)
}

// configs compares a configuration option with a number or another option. Options that are not set
// count as the number 0.
func (c *condParser) configs(name string, op kind) (truth, ok bool) {
	env := c.pp.env
	left, _ := parseNumber(env.config(name))
	if c.tok.kind == tNumber {
		right, ok := c.number()
		return compareNumbers(left, op, right), ok
	}
	other := env.config(c.tok.text)
	c.next()
	if op == tEq || op == tNotEq {
		return (env.config(name) == other) == (op == tEq), true
	}
	right, _ := parseNumber(other)
	return compareNumbers(left, op, right), true
}

func compareVersion(version string, op kind, right string) bool {
	if (op == tEq || op == tNotEq) && hasWildcard(right) {
		return matchWildcard(right, version) == (op == tEq)
	}
	return compare(op, CompareVersions(version, right))
}

func (c *condParser) guru(op token) (truth, ok bool) {
	if op.kind != tEq && op.kind != tNotEq {
		c.pp.errorf(op.pos, "expected '==' or '!=' after 'guru_mode', found '%s'", kindText[op.kind])
		return false, false
	}
	at := c.tok.pos
	n, ok := c.number()
	if !ok {
		return false, false
	}
	if n != 0 && n != 1 {
		c.pp.errorf(at, "expected 0 or 1 to compare 'guru_mode' with, found %d", n)
		return false, false
	}
	return ((n != 0) == c.pp.env.Guru) == (op.kind == tEq), true
}

// strings parses a comparison of strings, which is by bytes.
func (c *condParser) strings(left token) (truth, ok bool) {
	op := c.tok
	if !isComparison(op.kind) {
		return false, c.fail("expected a comparison after the string")
	}
	c.next()
	if c.tok.kind != tString && c.tok.kind != tRaw {
		return false, c.fail("expected a string to compare the string with")
	}
	return compare(op.kind, strings.Compare(left.text, c.joined().text)), true
}

// numbers parses a comparison of numbers.
func (c *condParser) numbers() (truth, ok bool) {
	left, ok := c.number()
	if !ok {
		return false, false
	}
	op := c.tok
	if !isComparison(op.kind) {
		return false, c.fail("expected a comparison after the number")
	}
	c.next()
	right, ok := c.number()
	if !ok {
		return false, false
	}
	return compareNumbers(left, op.kind, right), true
}

// number parses a number with an optional sign.
func (c *condParser) number() (n int64, ok bool) {
	negative := false
	if c.tok.kind == tSub || c.tok.kind == tAdd {
		negative = c.tok.kind == tSub
		c.next()
	}
	if c.tok.kind != tNumber {
		return 0, c.fail("expected a number")
	}
	n, err := parseNumber(c.tok.text)
	if err != nil {
		c.pp.errorf(c.tok.pos, "%s", err)
		return 0, false
	}
	if negative {
		n = -n
	}
	c.next()
	return n, true
}

// joined joins adjacent string literals, with escapes resolved.
func (c *condParser) joined() token {
	first := c.tok
	var parts []string
	for c.tok.kind == tString || c.tok.kind == tRaw {
		s := c.tok.text
		if c.tok.kind == tString {
			s = unquote(s)
		}
		parts = append(parts, s)
		c.next()
	}
	first.kind = tRaw
	first.text = strings.Join(parts, "")
	return first
}

func isComparison(k kind) bool { return k >= tLess && k <= tNotEq }

func compareNumbers(left int64, op kind, right int64) bool {
	return compare(op, cmp.Compare(left, right))
}

// compare applies a comparison operator to the sign of a comparison's result.
func compare(op kind, order int) bool {
	switch op {
	case tLess:
		return order < 0
	case tLessEq:
		return order <= 0
	case tGreater:
		return order > 0
	case tGreaterEq:
		return order >= 0
	case tEq:
		return order == 0
	}
	return order != 0
}

var subjects = []string{"kernel_v", "kernel_vr", "arch", "runtime", "guru_mode", "systemtap_v", "systemtap_privilege"}

func knownSubject(name string) bool {
	return strings.HasPrefix(name, "CONFIG_") || slices.Contains(subjects, name)
}

func subjectHint(name string) string {
	if hint := didYouMean(name, subjects, ""); hint != "" {
		return hint
	}
	return "a condition compares " + strings.Join(subjects, ", ") + ", CONFIG_…, two strings or two numbers"
}
