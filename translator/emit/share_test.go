// SPDX-License-Identifier: GPL-2.0-or-later

package emit_test

import (
	"bytes"
	"testing"

	"gostap/translator/emit"
	"gostap/translator/emit/emittest"
)

// TestSharedHandlers: handlers that are the same C are written once, with -t too.
func TestSharedHandlers(t *testing.T) {
	p, err := emittest.Translate(`global n probe timer.s(1) { n++ println(n) } probe timer.s(2) { n++ println(n) } probe timer.s(3) { n += 2 println(n) }`)
	if err != nil {
		t.Fatal(err)
	}
	for _, timing := range []bool{false, true} {
		out, err := emit.Emit(p, emit.Options{Limits: emit.DefaultLimits(), Timing: timing})
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(out.C, []byte("SHARED void probe_")); n != 2 {
			t.Errorf("%d handlers", n)
		}
		if !bytes.Contains(out.C, []byte("\n#define probe_1 probe_0\n")) {
			t.Errorf("the second handler is not the first:\n%s", out.C)
		}
	}
}
