// SPDX-License-Identifier: GPL-2.0-or-later

package serve

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"gostap/live"
)

// FuzzNames uses any bytes as names: events are lines of UTF-8, and Prometheus's parser can read the
// metrics.
func FuzzNames(f *testing.F) {
	for _, s := range []string{hostile, "\x1b]0;title\x07", "\xff\xfe", "a\nb\rc", `"\`, "\u202egnp.exe", "\u2028", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		session := newFakeSession()
		session.key = name
		tail := &live.Tail{}
		tail.Write([]byte(name))
		s := &Server{session: session, tail: tail, taken: time.Time{}}
		var events bytes.Buffer
		if _, err := s.sendEvent(&events, 0, true); err != nil {
			t.Fatal(err)
		}
		if text := events.String(); !utf8.ValidString(text) || strings.Count(text, "\n") != 2 || strings.ContainsAny(text, "\r\x1b<\u2028") {
			t.Fatalf("%q", text)
		}
		snapshot, _ := session.Snapshot()
		var out bytes.Buffer
		for _, family := range families(snapshot) {
			if _, err := expfmt.MetricFamilyToText(&out, family); err != nil {
				t.Fatal(err)
			}
			for _, m := range family.Metric {
				for _, l := range m.Label {
					if !utf8.ValidString(l.GetValue()) || strings.ContainsFunc(l.GetValue(), func(r rune) bool { return !unicode.IsPrint(r) }) {
						t.Fatalf("label %q", l.GetValue())
					}
				}
			}
		}
		parser := expfmt.NewTextParser(model.LegacyValidation)
		if _, err := parser.TextToMetricFamilies(&out); err != nil {
			t.Fatal(err)
		}
	})
}
