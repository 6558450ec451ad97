// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import (
	"fmt"
	"strconv"
)

// A preprocessor is the stage between scanner and parser: it reads tokens from a stack of frames, the
// lowest of which is the file.
type preprocessor struct {
	env    *Env
	diags  *Diagnostics
	file   *scanner
	local  map[string]*macro // the file's own
	frames []frame
	conds  []openCond // the conditionals whose taken branch is being read
	made   int        // tokens that came from macros and arguments
	errors int
	args   []token // of the invocation that is being read
	body   []token // of the definition that is being read

	lenient bool // missing arguments are no error

	back    token // by pushBack
	hasBack bool
}

// A frame is a text, or the tokens that a macro or a parameter stands for.
type frame struct {
	scan  *scanner
	toks  []token
	scope *expansion // the macro in whose body the tokens are written; nil in files
	body  bool       // toks are scope's body, not an argument
	arg   bool       // scan is over a script argument
}

// An openCond is a %( … %? whose branch is being read.
type openCond struct {
	pos     Pos
	frame   int // the number of frames
	hasElse bool
}

func newPreprocessor(src *Source, env *Env, diags *Diagnostics) *preprocessor {
	file := newScanner(src)
	return &preprocessor{env: env, diags: diags, file: file, frames: []frame{{scan: file}}}
}

// push makes f the source of the next tokens.
func (pp *preprocessor) push(f frame) { pp.frames = append(pp.frames, f) }

// pushBack pushes back a token that raw has just returned.
func (pp *preprocessor) pushBack(t token) { pp.back, pp.hasBack = t, true }

// raw returns the next token of the current frame, tEOF at the frame's end.
func (pp *preprocessor) raw() token {
	if pp.hasBack {
		pp.hasBack = false
		return pp.back
	}
	f := &pp.frames[len(pp.frames)-1]
	if len(pp.frames) == 1 {
		return f.scan.next()
	}
	if pp.made++; pp.made > maxMacroTokens {
		return pp.overflow()
	}
	if f.scan != nil {
		return f.scan.next()
	}
	if len(f.toks) == 0 {
		return token{pos: pp.endPos(f)}
	}
	t := f.toks[0]
	f.toks = f.toks[1:]
	if f.body && t.pos.Source == f.scope.macro.pos.Source {
		t.pos.Source = f.scope.source
	}
	return t
}

// endPos is the position at which the end of f is reported: that of the macro's invocation.
func (pp *preprocessor) endPos(f *frame) Pos {
	for x := f.scope; x != nil; x = x.outer {
		if x.source != nil {
			return x.source.Expansion
		}
	}
	return pp.file.here()
}

// next returns the next token for the parser.
func (pp *preprocessor) next() token { return pp.resolve(pp.raw()) }

// resolve returns the token for the parser if the next raw token is t.
func (pp *preprocessor) resolve(t token) token {
	for ; ; t = pp.raw() {
		switch t.kind {
		case tEOF:
			if pp.pop() {
				continue
			}
			return t
		case tAt:
			if t.text == "define" {
				pp.define()
				continue
			}
			switch pp.expand(t) {
			case expanded:
				continue
			case failed:
				return token{kind: tBad, pos: t.pos}
			}
		case tArg:
			if s, ok := pp.argument(t); ok {
				return s
			}
			continue
		case tCondOpen:
			pp.conditional(t)
			continue
		case tCondElse:
			if pp.inBranch() && !pp.conds[len(pp.conds)-1].hasElse {
				pp.skipBranch(t, false)
				pp.conds = pp.conds[:len(pp.conds)-1]
				continue
			}
			pp.strayElse(t)
			continue
		case tCondThen:
			pp.errorf(t.pos, "found '%%?' outside of a conditional")
			continue
		case tCondClose:
			if pp.inBranch() {
				pp.conds = pp.conds[:len(pp.conds)-1]
				continue
			}
			pp.errorf(t.pos, "found '%%)' without a '%%(' before it")
			continue
		}
		return t
	}
}

// pop leaves the current frame; false if it is the file.
func (pp *preprocessor) pop() bool {
	if pp.inBranch() { // if several are open, one is enough to report
		pp.errorf(pp.conds[len(pp.conds)-1].pos, "this conditional has no closing '%%)'")
	}
	for pp.inBranch() {
		pp.conds = pp.conds[:len(pp.conds)-1]
	}
	n := len(pp.frames)
	if n == 1 {
		if open := &pp.file.unclosed; open.IsValid() {
			pp.diags.Warnf(*open, "this comment has no closing '*/'")
			*open = Pos{}
		}
		return false
	}
	pp.frames = pp.frames[:n-1]
	return true
}

// overflow reports that macros produce too many tokens and ends the file here.
func (pp *preprocessor) overflow() token {
	pp.errorf(pp.file.here(), "macros and arguments expand to more than %d tokens", maxMacroTokens)
	pp.made = 0
	return pp.giveUp()
}

// giveUp ends the file here.
func (pp *preprocessor) giveUp() token {
	pp.frames = pp.frames[:1]
	pp.conds = nil
	pp.hasBack = false
	pp.file.advance(len(pp.file.text))
	return token{pos: pp.file.here()}
}

// errorf reports an error, and gives up after too many.
func (pp *preprocessor) errorf(pos Pos, format string, args ...any) *Diagnostic {
	switch pp.errors++; {
	case pp.errors < maxErrors:
		return pp.diags.Errorf(pos, format, args...).reword()
	case pp.errors == maxErrors:
		pp.diags.Errorf(pos, "too many errors")
		pp.giveUp()
	}
	return &Diagnostic{}
}

// inBranch reports whether the current frame is inside of a taken branch.
func (pp *preprocessor) inBranch() bool {
	n := len(pp.conds)
	return n > 0 && pp.conds[n-1].frame == len(pp.frames)
}

// conditional evaluates the conditional that begins at open, and continues at the start of the branch
// that is taken.
func (pp *preprocessor) conditional(open token) {
	truth, ok := pp.condition()
	if !ok {
		pp.skipBranch(open, false)
		return
	}
	cond := openCond{pos: open.pos, frame: len(pp.frames)}
	if !truth {
		if !pp.skipBranch(open, true) {
			return
		}
		cond.hasElse = true
	}
	pp.conds = append(pp.conds, cond)
}

// skipBranch skips to the end of the conditional that at belongs to or, with toElse, to the start of
// its other branch; the result is whether there is one.
func (pp *preprocessor) skipBranch(at token, toElse bool) bool {
	depth := 0
	for {
		t := pp.raw()
		switch t.kind {
		case tEOF:
			pp.errorf(at.pos, "this conditional has no closing '%%)'")
			return false
		case tBad:
			if len(pp.frames) == 1 && pp.file.off >= len(pp.file.text) {
				pp.errorf(t.pos, "%s", t.text)
			}
		case tCondOpen:
			depth++
		case tCondClose:
			if depth == 0 {
				return false
			}
			depth--
		case tCondElse:
			if depth == 0 && toElse {
				return true
			}
			if depth == 0 && at.kind == tCondElse {
				pp.strayElse(t)
			}
		}
	}
}

func (pp *preprocessor) strayElse(t token) {
	d := pp.errorf(t.pos, "found '%%:' outside of a conditional's first branch")
	if pp.inBranch() {
		d.InStap("invalid conditional - duplicate '%%:'")
	}
}

// argument handles $1, @1, $# and @#. It returns the token that replaces t, or false if the replacement
// is next on the stream, or empty.
func (pp *preprocessor) argument(t token) (token, bool) {
	str := t.text[0] == '@'
	text := ""
	if t.text[1:] == "#" {
		text = strconv.Itoa(len(pp.env.Args))
		t.kind = tNumber
	} else {
		n, err := strconv.Atoi(t.text[1:])
		if err != nil || n < 1 || n > len(pp.env.Args) {
			zero := token{kind: tNumber, spaced: t.spaced, newline: t.newline, pos: t.pos, text: "0"}
			if str {
				zero.kind = tRaw
			}
			if pp.lenient {
				return zero, true
			}
			d := pp.errorf(t.pos, "the argument %s was not given", clip(t.text)).
				InStap("command line argument out of range [1-%d]", len(pp.env.Args))
			d.Hint = fmt.Sprintf("the script was given %s", plural(len(pp.env.Args), "argument"))
			if n == 0 && err == nil {
				d.Hint = "arguments count from 1"
			}
			return zero, true
		}
		text = pp.env.Args[n-1]
		if n <= len(pp.env.ArgsUsed) {
			pp.env.ArgsUsed[n-1].Store(true)
		}
		pp.made += len(text) / 16
	}
	if str {
		t.kind = tRaw
	}
	t.text = text
	if t.kind != tArg {
		return t, true
	}
	if pp.frames[len(pp.frames)-1].arg {
		pp.errorf(t.pos, "an argument may not refer to another")
		return token{}, false
	}
	pp.pushArgument(t)
	return token{}, false
}

// pushArgument makes the text of an argument the source of the next tokens.
func (pp *preprocessor) pushArgument(t token) {
	src := &Source{Path: "<argument>", Text: []byte(t.text), Origin: t.pos.Source.Origin, Expansion: t.pos}
	pp.push(frame{scan: newScanner(src), arg: true})
}
