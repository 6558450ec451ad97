// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gostap/translator/syntax/chunkedfile"
)

// TestStapWords finds each row of stapWords among the errors of testdata: rewording a message would
// lose SystemTap's message.
func TestStapWords(t *testing.T) {
	files, err := filepath.Glob("testdata/errors_*.stp")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	used := make([]bool, len(stapWords))
	parse := func(text []byte, env *Env) {
		_, diags := Parse(&Source{Path: "x.stp", Text: text}, env)
		for _, d := range diags {
			if i := slices.IndexFunc(stapWords, func(w stapWord) bool { return strings.HasPrefix(d.Msg, w.own) }); i >= 0 {
				used[i] = true
			}
		}
	}
	for _, file := range files {
		for _, c := range chunkedfile.Read(t, file) {
			parse(c.Text, chunkEnv(c))
		}
	}
	// Unterminated text can't be a chunk among others.
	parse([]byte(`probe begin { x = "abc`), testEnv())
	parse([]byte(`%{ abc`), testEnv())
	for i, w := range stapWords {
		if !used[i] {
			t.Errorf("no error begins with %q", w.own)
		}
	}
}
