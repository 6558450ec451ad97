// SPDX-License-Identifier: GPL-2.0-or-later

package generate

import (
	"testing"

	"gostap/translator/syntax"
)

// A seed always gives the same script, and every script can be parsed.
func TestNew(t *testing.T) {
	for seed := range uint64(200) {
		s := New(seed, 3)
		if again := New(seed, 3); again.Text != s.Text {
			t.Fatalf("seed %d gives two scripts", seed)
		}
		if _, diags := syntax.Parse(&syntax.Source{Path: "x.stp", Text: []byte(s.Text)}, &syntax.Env{Runtime: "host"}); diags.Err() != nil {
			t.Errorf("seed %d: %v", seed, diags)
		}
	}
}
