// SPDX-License-Identifier: GPL-2.0-or-later

package lsp

import (
	"context"
	"errors"
	"strings"

	"gostap/elaborate"
	"gostap/internal/panics"
	"gostap/translator/check"
	"gostap/translator/syntax"
)

// diagnose returns the diagnostics of passes 1 and 2 for a text; if ctx ends, those found so far.
func (s *Server) diagnose(ctx context.Context, d *document) []Diagnostic {
	diags, err := s.runPasses(ctx, d)
	var internal *panics.Error
	if errors.As(err, &internal) {
		at, _ := internal.Place.(syntax.Pos)
		diags.Errorf(at, "%v", err).Hint = "this is gostap's own mistake, not the script's"
	}
	list := []Diagnostic{}
	lexemes := syntax.Lexemes(d.src)
	for _, one := range diags {
		list = append(list, d.diagnostic(lexemes, one))
	}
	return list
}

// runPasses runs passes 1 and 2. Its error is that of a panic.
func (s *Server) runPasses(ctx context.Context, d *document) (diags syntax.Diagnostics, err error) {
	defer panics.Catch(&err)
	if strings.HasSuffix(d.src.Path, ".stpm") {
		return syntax.NewMacros().Load(d.src, s.Env), nil
	}
	library := s.library()
	file, diags := syntax.Parse(d.src, s.Env)
	if diags.Err() != nil || ctx.Err() != nil || !hasProbes(file) {
		return diags, nil
	}
	s.passes.Lock()
	defer s.passes.Unlock()
	if ctx.Err() != nil {
		return diags, nil
	}
	target := s.compile()
	target.Interrupted = func() bool { return ctx.Err() != nil }
	elaborated, more := elaborate.Elaborate([]*syntax.File{file}, library, target)
	diags = append(diags, more...)
	if diags.Err() != nil || ctx.Err() != nil {
		return diags, nil
	}
	options := s.Check
	options.Functions = library.FunctionNames()
	checked, more := check.Check(elaborated, options)
	if more.Err() == nil {
		s.mu.Lock()
		s.checked[d.uri] = checked
		s.mu.Unlock()
	}
	return append(diags, more...), nil
}

// hasProbes distinguishes a script from a tapset, which pass 2 would reject for having no probes.
func hasProbes(file *syntax.File) bool {
	for _, d := range file.Decls {
		if _, ok := d.(*syntax.ProbeDecl); ok {
			return true
		}
	}
	return len(file.Decls) == 0 && strings.TrimSpace(string(file.Source.Text)) != ""
}

// diagnostic returns a diagnostic of a pass, with the range of its word. One in a macro's or a tapset's
// text is placed where the script refers to it, or in the first line.
func (d *document) diagnostic(lexemes []syntax.Lexeme, one *syntax.Diagnostic) Diagnostic {
	out := Diagnostic{Severity: severityError, Source: "gostap", Message: one.Msg}
	if one.Severity == syntax.Warning {
		out.Severity = severityWarning
	}
	if advice := one.Advice(); advice != "" {
		out.Message += " (" + advice + ")"
	}
	pos := one.Pos
	for pos.IsValid() && pos.Source != d.src && pos.Source.Expansion.IsValid() {
		pos = pos.Source.Expansion
	}
	switch {
	case !pos.IsValid():
		return out
	case pos.Source.Path != d.src.Path:
		out.Message = one.Pos.String() + ": " + out.Message
		return out
	}
	out.Range = d.word(lexemes, d.at(pos))
	return out
}
