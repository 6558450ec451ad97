// SPDX-License-Identifier: GPL-2.0-or-later

package emit_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gostap/internal/bounded"
	"gostap/translator/emit"
	"gostap/translator/emit/emittest"
)

// TestManyCalls: the call graph is analysed in a time that does not double with each function.
func TestManyCalls(t *testing.T) {
	var twice, each strings.Builder
	for i := range 40 {
		fmt.Fprintf(&twice, "function f%d(a) { return f%d(a) + f%[2]d(a) }\n", i, i+1)
	}
	for i := range 20 {
		fmt.Fprintf(&each, "function f%d(a, s) { if (a) println(s . \"x\")\n", i)
		for j := range 20 {
			fmt.Fprintf(&each, "f%d(a - 1, s)\n", j)
		}
		each.WriteString("}\n")
	}
	for name, script := range map[string]string{
		"each calls the next twice": twice.String() + "function f40(a) { return a } probe begin { println(f0(1)) }",
		"each calls each":           each.String() + "probe begin { f0(1, \"\") }",
	} {
		p, err := emittest.Translate(script)
		if err != nil {
			t.Fatal(err)
		}
		err = bounded.Limits{Time: 20 * time.Second, Wall: 5 * time.Minute}.Run(func() error {
			_, err := emit.Emit(p, emit.Options{Limits: emit.DefaultLimits()})
			return err
		})
		if err != nil {
			text, _, _ := strings.Cut(err.Error(), "\n")
			t.Errorf("%s: %s", name, text)
		}
	}
}
