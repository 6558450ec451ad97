// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

// TokenAt describes the token at p as SystemTap's diagnostics do: "identifier 'x'", "operator '='",
// "keyword", "file EOF"; "" if there is no text.
func TokenAt(p Pos) string {
	if !p.IsValid() {
		return ""
	}
	rest := p.Source.lineAt(p)
	if n := int(p.Col) - 1; n > 0 && n <= len(rest) {
		rest = rest[n:]
	}
	t := newScanner(&Source{Text: rest}).next()
	kind, text := "operator", kindText[t.kind]
	switch {
	case t.kind == tEOF:
		return "file EOF"
	case t.kind == tIdent || t.kind == tDollar:
		kind, text = "identifier", t.text
	case t.kind == tAt:
		kind, text = "operator", "@"+t.text
	case t.kind.isKeyword():
		return "keyword"
	case t.kind == tNumber:
		kind, text = "number", t.text
	case t.kind == tString || t.kind == tRaw:
		kind, text = "string", t.text
	case t.kind == tEmbedded:
		kind, text = "embedded-code", t.text
	case t.kind == tBad || t.kind == tArg:
		kind, text = "junk", ""
	}
	return kind + " '" + text + "'"
}
