// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gostap/translator/syntax/chunkedfile"
)

// checkInvariants checks what must hold for any text that parses: printing and formatting keep the
// tree, and formatting twice changes nothing.
func checkInvariants(t *testing.T, src *Source, env *Env) {
	t.Helper()
	f, diags := Parse(src, env)
	if err := diags.Err(); err != nil {
		t.Errorf("%s: %s", src.Path, err)
		return
	}
	var printed bytes.Buffer
	if err := Print(&printed, f); err != nil {
		t.Fatal(err)
	}
	guru := *env
	guru.Guru, guru.Macros = true, nil
	again, diags := Parse(&Source{Path: src.Path + " (printed)", Text: printed.Bytes(), Origin: src.Origin}, &guru)
	if err := diags.Err(); err != nil {
		t.Errorf("%s: what Print writes doesn't parse: %s\n%s", src.Path, err, clipText(printed.String()))
	} else if !Equal(f, again) {
		t.Errorf("%s: what Print writes parses to another tree:\n%s", src.Path, clipText(printed.String()))
	}
	checkFormat(t, src, env, f)
}

// checkFormat checks that src, which parses to f, is formatted well.
func checkFormat(t *testing.T, src *Source, env *Env, f *File) {
	t.Helper()
	out, diags := Format(src)
	if err := diags.Err(); err != nil {
		t.Errorf("%s: %s", src.Path, err)
		return
	}
	laidOut := &Source{Path: src.Path + " (formatted)", Text: out, Origin: src.Origin}
	again, diags := Parse(laidOut, env)
	if err := diags.Err(); err != nil {
		t.Errorf("%s: what Format writes doesn't parse: %s\n%s", src.Path, err, clipText(string(out)))
	} else if !Equal(f, again) {
		t.Errorf("%s: what Format writes parses to another tree:\n%s", src.Path, clipText(string(out)))
	}
	twice, _ := Format(laidOut)
	if !bytes.Equal(out, twice) {
		t.Errorf("%s: Format changes what it wrote:\n%s", src.Path, firstDifference(string(out), string(twice)))
	}
}

func clipText(s string) string {
	if len(s) > 3000 {
		return s[:3000] + "…"
	}
	return s
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range x {
		if i >= len(y) || x[i] != y[i] {
			return fmt.Sprintf("line %d\n- %s\n+ %s", i+1, x[i], strings.Join(y[min(i, len(y)):min(i+1, len(y))], ""))
		}
	}
	return "more lines"
}

// TestGood parses, prints and formats the chunks of testdata/good_*.stp.
func TestGood(t *testing.T) {
	files, err := filepath.Glob("testdata/good_*.stp")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		for _, c := range chunkedfile.Read(t, file) {
			src := &Source{Path: fmt.Sprintf("%s, chunk at line %d", file, c.Line), Text: c.Text}
			if c.WantsErrors() == 0 {
				checkInvariants(t, src, chunkEnv(c))
				continue
			}
			_, diags := Parse(src, chunkEnv(c))
			for _, d := range diags {
				c.GotError(int(d.Pos.Line), d.Msg)
			}
			c.Done()
		}
	}
}
