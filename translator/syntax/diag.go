// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import (
	"fmt"
	"io"
	"sort"
	"strings"
	"unicode/utf8"
)

// Severity distinguishes errors, which stop the pass, from warnings.
type Severity uint8

const (
	Error Severity = iota
	Warning
)

// A Diagnostic is one error or warning about a script, from any pass.
type Diagnostic struct {
	Pos      Pos
	Severity Severity
	Msg      string        // without position and final punctuation
	Hint     string        // a suggestion, "" if there is none; e.g. `did you mean "execname"?`
	Install  func() string // a further suggestion, of what to install; it may take a while, and is asked for only where the diagnostic is shown
	Stap     string        // SystemTap's message in place of both, for programs that parse it; "" if it is not known
	Further  bool          // an error of pass 1 after another one in the same declaration, of which SystemTap reports only the first
	Earlier  *Diagnostic   // what SystemTap reports behind it about an earlier place that it contradicts
	Unprobed bool          // it is about a probe point without a probe site: SystemTap reports that first, and then Stap
}

// InStap sets SystemTap's message in place of d's, and returns d.
func (d *Diagnostic) InStap(format string, args ...any) *Diagnostic {
	d.Stap = fmt.Sprintf(format, args...)
	return d
}

// Errorf returns an error at pos.
func Errorf(pos Pos, format string, args ...any) *Diagnostic {
	return &Diagnostic{Pos: pos, Msg: fmt.Sprintf(format, args...)}
}

// Advice returns all suggestions, "" if there are none.
func (d *Diagnostic) Advice() string {
	switch {
	case d.Install == nil:
		return d.Hint
	case d.Hint == "":
		return d.Install()
	}
	return d.Hint + "; " + d.Install()
}

// Error returns the diagnostic in one line.
func (d *Diagnostic) Error() string {
	s := d.Msg
	if d.Pos.IsValid() {
		s = d.Pos.String() + ": " + s
	}
	if advice := d.Advice(); advice != "" {
		s += " (" + advice + ")"
	}
	return s
}

// Diagnostics are the errors and warnings of a pass. As an error it prints the errors.
type Diagnostics []*Diagnostic

// Errorf adds an error at pos and returns it, so that a hint can be set.
func (ds *Diagnostics) Errorf(pos Pos, format string, args ...any) *Diagnostic {
	return ds.add(pos, Error, format, args...)
}

// Warnf adds a warning at pos and returns it.
func (ds *Diagnostics) Warnf(pos Pos, format string, args ...any) *Diagnostic {
	return ds.add(pos, Warning, format, args...)
}

func (ds *Diagnostics) add(pos Pos, sev Severity, format string, args ...any) *Diagnostic {
	d := &Diagnostic{Pos: pos, Severity: sev, Msg: fmt.Sprintf(format, args...)}
	*ds = append(*ds, d)
	return d
}

// markFurther marks all errors of ds, those of one declaration, but the first.
func (ds Diagnostics) markFurther() {
	first := true
	for _, d := range ds {
		if d.Severity == Error {
			d.Further = !first
			first = false
		}
	}
}

// Err returns ds as an error if it includes an error, else nil.
func (ds Diagnostics) Err() error {
	for _, d := range ds {
		if d.Severity == Error {
			return ds
		}
	}
	return nil
}

// Error returns all diagnostics, a line each.
func (ds Diagnostics) Error() string {
	lines := make([]string, len(ds))
	for i, d := range ds {
		lines[i] = d.Error()
	}
	return strings.Join(lines, "\n")
}

// Sort orders ds by file and position; it is stable.
func (ds Diagnostics) Sort() {
	sort.SliceStable(ds, func(i, j int) bool {
		a, b := ds[i].Pos, ds[j].Pos
		if a.Source != b.Source {
			return a.IsValid() && b.IsValid() && a.Source.Path < b.Source.Path
		}
		return a.Less(b)
	})
}

// Write prints ds for users: the message, the line, a caret below the position, and the hint. With
// color, the severity and caret are highlighted.
func (ds Diagnostics) Write(w io.Writer, color bool) {
	for _, d := range ds {
		d.write(w, color)
	}
}

func (d *Diagnostic) write(w io.Writer, color bool) {
	label, on, off := "error", "\x1b[1;31m", "\x1b[0m"
	if d.Severity == Warning {
		label, on = "warning", "\x1b[1;35m"
	}
	if !color {
		on, off = "", ""
	}
	if d.Pos.IsValid() {
		fmt.Fprintf(w, "%s: ", d.Pos)
	}
	fmt.Fprintf(w, "%s%s:%s %s\n", on, label, off, d.Msg)
	if d.Pos.IsValid() {
		line, col := excerpt(d.Pos.LineText(), int(d.Pos.Col))
		fmt.Fprintf(w, "    %s\n    %s%s^%s\n", line, caretPad(line, col), on, off)
	}
	if advice := d.Advice(); advice != "" {
		fmt.Fprintf(w, "    %s\n", advice)
	}
	for at := d.Pos; at.IsValid() && at.Source.Expansion.IsValid(); {
		at = at.Source.Expansion
		fmt.Fprintf(w, "%s: in this macro's expansion\n", at)
	}
}

// maxExcerpt is the number of bytes of a line that are shown.
const maxExcerpt = 200

// excerpt returns the part of a long line around col, and the column in it.
func excerpt(line string, col int) (string, int) {
	if len(line) <= maxExcerpt {
		return line, col
	}
	begin := min(max(col-1-maxExcerpt/2, 0), len(line))
	end := min(begin+maxExcerpt, len(line))
	for n := 0; n < utf8.UTFMax && begin < end && !utf8.RuneStart(line[begin]); n++ {
		begin++
	}
	for n := 0; n < utf8.UTFMax && begin < end && end < len(line) && !utf8.RuneStart(line[end]); n++ {
		end--
	}
	return line[begin:end], col - begin
}

// caretPad returns white space as wide as the first col-1 bytes of line.
func caretPad(line string, col int) string {
	var b strings.Builder
	for i, r := range line {
		if i >= col-1 {
			break
		}
		if r != '\t' {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}
