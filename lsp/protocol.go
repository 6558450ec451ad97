// SPDX-License-Identifier: GPL-2.0-or-later

package lsp

// The messages of the protocol that are used, with its names of fields.

// A Position is a position in a text.
type Position struct {
	Line      int `json:"line"`      // from 0
	Character int `json:"character"` // from 0, in UTF-16 code units
}

// A Range is a range of text without the position End.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// A Location is a range in a file.
type Location struct {
	URI   string `json:"uri"`
	Range Range  `json:"range"`
}

// A TextEdit replaces a range.
type TextEdit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

type textDocument struct {
	URI     string `json:"uri"`
	Version int    `json:"version"`
	Text    string `json:"text"`
}

// documentParams are the parameters of all messages about a text; each message uses some of the fields.
type documentParams struct {
	TextDocument   textDocument `json:"textDocument"`
	Position       Position     `json:"position"`
	ContentChanges []change     `json:"contentChanges"`
	NewName        string       `json:"newName"`
}

type change struct {
	Range *Range `json:"range"` // nil: the whole text
	Text  string `json:"text"`
}

// Severities of diagnostics.
const (
	severityError   = 1
	severityWarning = 2
)

// A Diagnostic is a pass's error or warning about a text.
type Diagnostic struct {
	Range    Range  `json:"range"`
	Severity int    `json:"severity"`
	Source   string `json:"source"`
	Message  string `json:"message"`
}

type publishDiagnostics struct {
	URI         string       `json:"uri"`
	Version     int          `json:"version"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// Kinds of symbols.
const (
	symbolFunction  = 12
	symbolVariable  = 13
	symbolEvent     = 24
	symbolInterface = 11
	symbolConstant  = 14
)

// A DocumentSymbol is a declaration.
type DocumentSymbol struct {
	Name           string `json:"name"`
	Kind           int    `json:"kind"`
	Range          Range  `json:"range"`
	SelectionRange Range  `json:"selectionRange"`
}

type foldingRange struct {
	StartLine int    `json:"startLine"`
	EndLine   int    `json:"endLine"`
	Kind      string `json:"kind,omitempty"`
}

// Kinds of completions.
const (
	completesFunction = 3
	completesField    = 5
	completesVariable = 6
	completesKeyword  = 14
	completesEvent    = 23
)

// A CompletionItem is a proposed completion.
type CompletionItem struct {
	Label    string    `json:"label"`
	Kind     int       `json:"kind"`
	Detail   string    `json:"detail,omitempty"`
	TextEdit *TextEdit `json:"textEdit"`
}

type completionList struct {
	IsIncomplete bool             `json:"isIncomplete"`
	Items        []CompletionItem `json:"items"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

type hover struct {
	Contents markup `json:"contents"`
	Range    Range  `json:"range"`
}

type workspaceEdit struct {
	Changes map[string][]TextEdit `json:"changes"`
}

// capabilities are the server's features.
var capabilities = map[string]any{
	"positionEncoding":           "utf-16",
	"textDocumentSync":           map[string]any{"openClose": true, "change": 2},
	"documentFormattingProvider": true,
	"documentSymbolProvider":     true,
	"foldingRangeProvider":       true,
	"completionProvider":         map[string]any{"triggerCharacters": []string{".", "\"", "(", "$", "@", ">"}},
	"hoverProvider":              true,
	"definitionProvider":         true,
	"renameProvider":             true,
}
