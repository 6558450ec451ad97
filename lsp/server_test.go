// SPDX-License-Identifier: GPL-2.0-or-later

package lsp

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"gostap/elaborate/library"
)

func TestDiagnostics(t *testing.T) {
	c := start(t, config(t))
	// The emoji has two units of UTF-16 and four bytes.
	c.open("probe begin { println(\"é😀\") ; nosuch() }\n")
	list := c.diagnostics(1)
	if len(list) != 1 || list[0].Severity != severityError || list[0].Range != (Range{Position{0, 31}, Position{0, 37}}) || !strings.Contains(list[0].Message, "nosuch") {
		t.Errorf("%+v", list)
	}
	c.notify("textDocument/didChange", documentParams{TextDocument: textDocument{URI: uri, Version: 2},
		ContentChanges: []change{{Range: &Range{Position{0, 31}, Position{0, 37}}, Text: "exit"}}})
	if list := c.diagnostics(2); len(list) != 0 {
		t.Errorf("%+v", list)
	}
	for version, one := range map[int]struct{ text, want string }{
		3: {"probe begin {", "'}'"},
		4: {"probe kernel.function(\"vfs_raed\") { }\n", "vfs_read"},
		5: {"probe kernel.function(\"vfs_read\") { println($nosuch) }\n", "$nosuch"},
		6: {"global x\nprobe begin { x = 1; x = \"a\" }\n", "string"},
	} {
		c.notify("textDocument/didChange", documentParams{TextDocument: textDocument{URI: uri, Version: version}, ContentChanges: []change{{Text: one.text}}})
		list := c.diagnostics(version)
		if len(list) == 0 || !strings.Contains(list[0].Message, one.want) {
			t.Errorf("%s: %+v", one.text, list)
		}
	}
	c.notify("textDocument/didClose", at(0, 0))
	if err := c.ask("textDocument/formatting", at(0, 0), nil); err == nil {
		t.Error("a text that is closed is formatted")
	}
	c.call("shutdown", nil, nil)
	c.notify("exit", nil)
	if !<-c.orderly {
		t.Error("the end was not orderly")
	}
}

// TestNewerText: a text that arrives while pass 2 runs gets its diagnostics, and requests do not wait
// for pass 2.
func TestNewerText(t *testing.T) {
	c := start(t, config(t))
	c.open("probe kernel.function(\"*\") { }\n")
	for v := 2; v < 50; v++ {
		c.notify("textDocument/didChange", documentParams{TextDocument: textDocument{URI: uri, Version: v}, ContentChanges: []change{{Text: fmt.Sprintf("probe syscall.* { println(%d) }\n", v)}}})
	}
	c.notify("textDocument/didChange", documentParams{TextDocument: textDocument{URI: uri, Version: 50}, ContentChanges: []change{{Text: "probe begin { nosuch() }\n"}}})
	c.call("textDocument/documentSymbol", at(0, 0), nil)
	if list := c.diagnostics(50); len(list) != 1 {
		t.Errorf("%+v", list)
	}
}

// TestPanic: a panic in a pass becomes a diagnostic.
func TestPanic(t *testing.T) {
	broken := config(t)
	broken.Library = func() *library.Library { panic("broken on purpose") }
	c := start(t, broken)
	c.open("probe begin { }\n")
	if list := c.diagnostics(1); len(list) != 1 || !strings.Contains(list[0].Message, "broken on purpose") {
		t.Errorf("%+v", list)
	}
	c.call("textDocument/documentSymbol", at(0, 0), nil)
}

// TestBadInput: invalid messages and requests get an error, and the server continues.
func TestBadInput(t *testing.T) {
	c := start(t, config(t))
	for _, text := range []string{
		"Content-Length: 5\r\n\r\n{nope",
		"Content-Length: 2\r\n\r\n{}",
		"Content-Length: 4\r\n\r\nnull",
		"Content-Length: 25\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":{}}",
		"Content-Length: 38\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":[],\"method\":\"x\"}",
		"Content-Length: -1\r\n\r\n",
		"rubbish\r\n\r\n",
		"X: 1\r\n\r\n",
		fmt.Sprintf("Content-Length: %d\r\n\r\n%s", maxMessage+1, strings.Repeat(" ", maxMessage+1)),
	} {
		if _, err := c.out.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		c.call("shutdown", nil, nil)
	}
	for _, one := range []struct {
		method string
		params any
		code   int64
	}{
		{"textDocument/formatting", at(0, 0), jsonrpc2.CodeInvalidParams},
		{"textDocument/documentSymbol", "text", jsonrpc2.CodeInvalidParams},
		{"textDocument/documentSymbol", nil, jsonrpc2.CodeInvalidParams},
		{"textDocument/nosuch", nil, jsonrpc2.CodeMethodNotFound},
	} {
		err := c.ask(one.method, one.params, nil)
		if e, ok := err.(*jsonrpc2.Error); !ok || e.Code != one.code {
			t.Errorf("%s %v: %v", one.method, one.params, err)
		}
	}
	c.open("probe begin { }\n")
	far := Position{1 << 40, -5}
	c.notify("textDocument/didChange", documentParams{TextDocument: textDocument{URI: uri, Version: 2},
		ContentChanges: []change{{Range: &Range{far, Position{-1, 7}}, Text: strings.Repeat("global x\n", 20000)}}})
	begin := time.Now()
	c.diagnostics(2)
	var list []DocumentSymbol
	c.call("textDocument/documentSymbol", at(0, 0), &list)
	if len(list) != 20001 {
		t.Errorf("%d symbols", len(list))
	}
	t.Logf("20001 declarations: %v", time.Since(begin))
}

func TestOutline(t *testing.T) {
	text := `/* two
lines */
global a, b[5], c = 4
@define sum(x, y) %( @x + @y %)
function f(x) { return x }
probe my.alias = kernel.{function("vfs_read"), function("vfs_write")} {
  if (a) {
    b = 1
  }
}, {
  c = 2
}
probe kernel.function("vfs_read"), module("m").function("f").return { }
probe begin, timer.s(1) {
`
	d := newDocument(uri, 1, text)
	var got []string
	for _, s := range symbols(d) {
		got = append(got, fmt.Sprint(s.Name, " ", s.Kind, " ", s.Range.Start.Line, "-", s.Range.End.Line))
	}
	want := []string{"a 13 2-3", "b 13 2-3", "c 13 2-3", "@sum 14 3-3", "f 12 4-4", "my.alias 11 5-11", `kernel.function("vfs_read"), module("m").function("f").return 24 12-12`, "begin, timer.s(1) 24 13-13"}
	want[0], want[1], want[2] = "a 13 2-2", "b 13 2-2", "c 13 2-2"
	if !reflect.DeepEqual(got, want) {
		t.Errorf("\n got  %q\n want %q", got, want)
	}
	folded, _ := json.Marshal(folds(d))
	if want := `[{"startLine":0,"endLine":1,"kind":"comment"},{"startLine":6,"endLine":7},{"startLine":5,"endLine":8},{"startLine":9,"endLine":10}]`; string(folded) != want {
		t.Errorf("\n got  %s\n want %s", folded, want)
	}
}

func TestFormatting(t *testing.T) {
	d := newDocument(uri, 1, "global a\nprobe begin {\na=1\n}\n# é\n")
	edits, err := format(d)
	if err != nil || len(edits) != 1 || edits[0].Range != (Range{Position{2, 0}, Position{3, 0}}) {
		t.Fatalf("%+v, %v", edits, err)
	}
	again := d.changed(2, []change{{Range: &edits[0].Range, Text: edits[0].NewText}})
	if edits, err := format(again); err != nil || len(edits) != 0 {
		t.Errorf("%q: %+v, %v", again.text, edits, err)
	}
	if _, err := format(newDocument(uri, 1, "probe begin { \"")); err == nil {
		t.Error("a text that has no end is formatted")
	}
}

func TestPositions(t *testing.T) {
	d := newDocument(uri, 1, "aé😀b\r\n\xff\xfez\n")
	for _, c := range []struct {
		offset int
		at     Position
	}{{0, Position{0, 0}}, {1, Position{0, 1}}, {3, Position{0, 2}}, {7, Position{0, 4}}, {8, Position{0, 5}}, {10, Position{1, 0}}, {12, Position{1, 2}}, {13, Position{1, 3}}, {14, Position{2, 0}}} {
		if p := d.position(c.offset); p != c.at {
			t.Errorf("byte %d is at %v, not %v", c.offset, p, c.at)
		}
		if o := d.offset(c.at); o != c.offset {
			t.Errorf("%v is byte %d, not %d", c.at, o, c.offset)
		}
	}
	for at, want := range map[Position]int{{0, 99}: 8, {99, 0}: 14, {-1, 3}: 0, {1, -2}: 10, {2, 5}: 14} {
		if o := d.offset(at); o != want {
			t.Errorf("%v is byte %d, not %d", at, o, want)
		}
	}
}
