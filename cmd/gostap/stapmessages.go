// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pkg/errors"

	"gostap/internal/panics"
	"gostap/translator/syntax"
)

// stap's messages about its passes, and its diagnostics, which programs that run stap parse.

// stapRemark prints stap's message about the last pass, with its time. For results from the cache stap
// prints no time.
func (inv *invocation) stapRemark(start passStart) string {
	if inv.number == 4 && inv.remark != "" {
		return "using cached " + inv.built
	}
	return inv.stapWork() + " in " + start.took() + "."
}

// stapWork describes the results of the pass.
func (inv *invocation) stapWork() string {
	switch inv.number {
	case 1:
		return fmt.Sprintf("parsed user script and %d library scripts %s", inv.library.Len(), memoryUse())
	case 2:
		return analyzed(inv.probes(), len(inv.program.Functions), len(inv.program.Embedded), len(inv.program.Globals))
	case 3:
		return fmt.Sprintf("translated to C into %q %s", inv.name()+"_src.c", memoryUse())
	case 4:
		return fmt.Sprintf("compiled C into %q", inv.name()+".ko")
	}
	return "run completed"
}

// analyzed describes what pass 2 has found.
func analyzed(probes, functions, embeds, globals int) string {
	return fmt.Sprintf("analyzed script: %s, %s, %s, %s %s", count(probes, "probe"), count(functions, "function"),
		count(embeds, "embed"), count(globals, "global"), memoryUse())
}

// probes returns the number of points that are probed.
func (inv *invocation) probes() (n int) {
	for _, p := range inv.program.Probes {
		n += len(p.Points)
	}
	return n
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// announceRun prints that pass 5 begins.
func (inv *invocation) announceRun() {
	if inv.stap && inv.verbosity(5) > 0 {
		fmt.Fprintln(os.Stderr, "Pass 5: starting run.")
	}
}

// announceSession prints, for -vv, stap's first messages.
func (inv *invocation) announceSession() {
	if !inv.stap || inv.verbosity(1) < 2 {
		return
	}
	fmt.Print(stapVersion("translator/driver"))
	fmt.Fprintf(os.Stderr, "Session arch: x86_64 release: %s\n", inv.target.Release)
}

// announceLibrary prints, for -vv, where the tapset library is.
func (inv *invocation) announceLibrary() {
	if !inv.stap || inv.verbosity(1) < 2 {
		return
	}
	for _, f := range inv.library.Searched() {
		fmt.Fprintf(os.Stderr, "Searched: \"%s\", found: %d, processed: %[2]d\n", f.Path, f.Files)
	}
}

// failures are stap's names of each pass for errors.
var failures = [...]string{1: "parse", 2: "analysis", 3: "translation", 4: "compilation", 5: "run"}

// failed returns the error of a pass, in stap's form if stap is called.
func (inv *invocation) failed(err error) error {
	var internal *panics.Error
	if !inv.stap || errors.As(err, &internal) || errors.Is(err, context.Canceled) {
		return err
	}
	var diags syntax.Diagnostics
	var code exitCode
	switch {
	case errors.As(err, &code):
		if inv.number == 5 && !inv.noWarn {
			fmt.Fprintf(os.Stderr, "WARNING: staprun exited with status: %d\n", code)
		}
	case errors.As(err, &diags):
		inv.write(diags)
	case inv.number == 1:
		fmt.Fprintln(os.Stderr, err)
	case inv.number == 2:
		fmt.Fprintf(os.Stderr, "semantic error: %v\n", err)
	default:
		fmt.Fprintf(os.Stderr, "ERROR: %v\n", err)
	}
	fmt.Fprintf(os.Stderr, "Pass %d: %s failed.  [man error::pass%[1]d]\n", inv.number, failures[inv.number])
	return exitCode(1)
}

// write prints the diagnostics of a pass.
func (inv *invocation) write(diags syntax.Diagnostics) {
	if inv.stap {
		writeAsStap(os.Stderr, diags, inv.number)
		return
	}
	diags.Write(os.Stderr, colorful)
}

// writeAsStap prints the diagnostics of a pass as stap does.
func writeAsStap(w io.Writer, diags syntax.Diagnostics, pass int) {
	parse := 0
	for _, d := range diags {
		if d.Further {
			continue
		}
		msg, at := inStap(d), ""
		if d.Pos.IsValid() {
			at = fmt.Sprintf("%s at %s", syntax.TokenAt(d.Pos), d.Pos)
		}
		switch {
		case d.Severity == syntax.Warning:
			fmt.Fprintln(w, "WARNING: "+joined(msg, at))
			writeSource(w, " source: ", d.Pos)
		case pass == 1:
			parse++
			fmt.Fprintf(w, "parse error: %s\n", msg)
			writeSaw(w, d.Pos, at)
			fmt.Fprintln(w)
		case d.Unprobed:
			fmt.Fprintln(w, "semantic error: "+joined("while resolving probe point", at))
			writeSource(w, "        source: ", d.Pos)
			fmt.Fprintf(w, "\nsemantic error: %s\n\n", msg)
		default:
			writeSemantic(w, msg, d.Pos)
			if d.Earlier != nil {
				writeSemantic(w, d.Earlier.Msg, d.Earlier.Pos)
			}
		}
		for e := d.Pos; e.IsValid() && e.Source.Expansion.IsValid(); {
			e = e.Source.Expansion
			fmt.Fprintf(w, "in expansion of macro: %s at %s\n", syntax.TokenAt(e), e)
		}
	}
	if parse > 0 {
		fmt.Fprintf(w, "%s.\n", count(parse, "parse error"))
	}
}

// writeSemantic prints an error of pass 2.
func writeSemantic(w io.Writer, msg string, pos syntax.Pos) {
	at := ""
	if pos.IsValid() {
		at = fmt.Sprintf("%s at %s", syntax.TokenAt(pos), pos)
	}
	fmt.Fprintln(w, "semantic error: "+joined(msg, at))
	writeSource(w, "        source: ", pos)
	fmt.Fprintln(w)
}

// writeSaw prints the token at the parse error at.
func writeSaw(w io.Writer, pos syntax.Pos, at string) {
	switch {
	case at == "":
	case strings.HasPrefix(at, "file EOF"):
		fmt.Fprintf(w, "        saw: %s EOF\n", pos.Source.Path)
	case strings.HasPrefix(at, "junk"):
		fmt.Fprintf(w, "         at: %s\n", at)
		writeSource(w, "     source: ", pos)
	default:
		fmt.Fprintf(w, "        saw: %s\n", at)
		writeSource(w, "     source: ", pos)
	}
}

// inStap returns stap's message. For a probe point without sites stap's message is short, and gostap's
// follows.
func inStap(d *syntax.Diagnostic) string {
	own := d.Msg
	if advice := d.Advice(); advice != "" {
		own += " (" + advice + ")"
	}
	if d.Unprobed {
		return cmp.Or(d.Stap, "no match") + ": " + own
	}
	return cmp.Or(d.Stap, own)
}

func joined(msg, at string) string {
	if at == "" {
		return msg
	}
	return msg + ": " + at
}

// writeSource prints the line that pos is on, and a caret below the position.
func writeSource(w io.Writer, label string, pos syntax.Pos) {
	if !pos.IsValid() {
		return
	}
	line := pos.LineText()
	pad := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, line[:min(max(int(pos.Col)-1, 0), len(line))])
	fmt.Fprintf(w, "%s%s\n%s%s^\n", label, line, strings.Repeat(" ", len(label)), pad)
}
