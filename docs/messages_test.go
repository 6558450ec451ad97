// SPDX-License-Identifier: GPL-2.0-or-later

package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// messageFunctions are those of gostap's Go that are given a message, or its format.
var messageFunctions = regexp.MustCompile(`^(Errorf|New|Wrapf?|errorf|[fF]ail|failAt|Refused|Warnf|warnf|warnUnused|warning|complaint|bad|giveUp|raise)$`)

// folders have what says messages to users.
var folders = []string{"cmd", "consumer", "elaborate", "translator", "module-build", "vm", "internal", "bundle", "tools", "doctor", "manifest", "live", "runtime-c"}

// verb is a directive of a format.
var verb = regexp.MustCompile(`%[-+# 0]*(?:\*|\d+)?(?:\.\d+)?l{0,2}[a-zA-Z]`)

// sourceMessages collects what the sources give to these functions, with where it stands; … stands for directives and for what is put
// in between.
func sourceMessages(t *testing.T) map[string]string {
	list := map[string]string{}
	add := func(text, where string) {
		text = strings.TrimSpace(strings.ReplaceAll(verb.ReplaceAllString(text, "…"), "%%", "%"))
		if text, _, _ = strings.Cut(text, "\n"); len(strings.Fields(text)) > 1 && strings.Trim(text, "…: ()") != "" && !strings.HasPrefix(text, "!gs_") /* a condition in C */ {
			list[text] = where
		}
	}
	for _, dir := range folders {
		err := filepath.WalkDir("../"+dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testdata" || d.Name() == "testkernel" || d.Name() == "emittest" || d.Name() == "chunkedfile" || d.Name() == "bounded" || d.Name() == "evaluated"):
				return filepath.SkipDir
			case strings.HasSuffix(path, "_test.go"):
				return nil
			case strings.HasSuffix(path, ".go"):
				return goMessages(path, add)
			case strings.HasSuffix(path, ".c"), strings.HasSuffix(path, ".h"):
				return cMessages(path, add)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return list
}

func goMessages(path string, add func(text, where string)) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		return err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		name := ""
		switch f := call.Fun.(type) {
		case *ast.SelectorExpr:
			name = f.Sel.Name
		case *ast.Ident:
			name = f.Name
		}
		if messageFunctions.MatchString(name) {
			for _, a := range call.Args {
				if text, ok := literal(a); ok {
					add(strings.Trim(text, `"`), path)
					break // what follows are arguments
				}
			}
		}
		return true
	})
	return nil
}

// literal returns a string that is written there, with %v for what is joined to it, and whether it is one.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, err := strconv.Unquote(e.Value)
			return text, err == nil
		}
	case *ast.BinaryExpr:
		x, isX := literal(e.X)
		y, isY := literal(e.Y)
		switch {
		case isX && isY:
			return x + y, true
		case isX:
			return x + "%v", true
		case isY:
			return "%v" + y, true
		}
	}
	return "", false
}

var (
	cMessage = regexp.MustCompile(`\b(?:gs_errorf?|gs_warn)\(((?:[^;"]|"(?:[^"\\]|\\.)*")*)\);`)
	cLiteral = regexp.MustCompile(`((?:"(?:[^"\\]|\\.)*"\s*)+)`)
	cPiece   = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)
)

func cMessages(path string, add func(text, where string)) error {
	source, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for _, call := range cMessage.FindAllStringSubmatch(string(source), -1) {
		for _, pieces := range cLiteral.FindAllString(call[1], -1) {
			text := ""
			for _, piece := range cPiece.FindAllStringSubmatch(pieces, -1) {
				text += piece[1]
			}
			add(strings.ReplaceAll(text, `\n`, "\n"), path)
		}
	}
	return nil
}

// Each message has an entry.
func TestEachMessage(t *testing.T) {
	list := sourceMessages(t)
	if len(list) < 400 {
		t.Fatalf("only %d messages were found", len(list))
	}
	var missing []string
	for text, where := range list {
		if _, found := Message(text); !found {
			missing = append(missing, where+": "+text)
		}
	}
	slices.Sort(missing)
	for _, m := range missing {
		t.Errorf("docs/ERRORS.md says nothing of %s", m)
	}
	t.Logf("%d messages", len(list))
}
