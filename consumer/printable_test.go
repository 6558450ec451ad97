// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"gostap/manifest"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"dd\tä→\n": "dd\tä→\n", "\x1b[2J\x1b]0;x\a": `\x1b[2J\x1b]0;x\x07`, "\x1b[1;31mred\x1b[m": "\x1b[1;31mred\x1b[m",
		"\xff\x9b31m\r\x7f": `\xff\x9b31m\x0d\x7f`, "\u009b31m\u202eexe\u2028": `\u009b31m\u202eexe\u2028`, "\x1b[1": `\x1b[1`, "\x1b": `\x1b`, "\ufffd": "\ufffd",
	} {
		if got := string(printable([]byte(text))); got != want {
			t.Errorf("%q is %q, not %q", text, got, want)
		}
	}
}

// FuzzTerminal prints any bytes as a string, and warns of them, on a terminal: of what the script
// writes itself, in its formats, nothing changes.
func FuzzTerminal(f *testing.F) {
	for _, s := range []string{"dd", "\x1b[2J", "\x1b]0;title\x07", "\x1b[31m", "\u202eexe", "\xff\x9b"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, name []byte) {
		if len(name) > 1000 {
			return
		}
		var w, stderr bytes.Buffer
		cfg := &Config{Output: &w, Stderr: &stderr, Terminal: true}
		out, err := newOutput(cfg, &manifest.Manifest{Formats: []manifest.Format{{Format: "\x1b[H%s|%-9s\n", Args: "ss"}, {Format: "%s", Args: "s"}}}, new(clock), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		argument := append(binary.LittleEndian.AppendUint16(nil, uint16(len(name))), name...)
		out.record(0, &record{kind: recPrint}, append(append([]byte{0, 0, 0, 0}, argument...), argument...))
		out.record(0, &record{kind: recPrint}, append([]byte{1, 0, 0, 0}, argument...))
		out.flush()
		newMessenger(cfg).message(message{kind: msgWarning, text: string(name)})
		shown, begun := strings.CutPrefix(w.String(), "\x1b[H")
		if !begun {
			t.Fatalf("%q", shown)
		}
		for _, text := range []string{shown, stderr.String()} {
			for i, r := range text {
				if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") || r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) && colour([]byte(text[i:])) == 0 {
					t.Fatalf("%q on the terminal: %q", name, text)
				}
			}
		}
	})
}
