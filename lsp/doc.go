// SPDX-License-Identifier: GPL-2.0-or-later

// Package lsp serves editors, by the Language Server Protocol: `gostap lsp`.
//
// Connections, requests and their replies are github.com/sourcegraph/jsonrpc2's, which is kept up (v0.2.3 of
// September 2026) and imports nothing but the standard library. Of the libraries that have the protocol's messages as well,
// go.lsp.dev/protocol has had no release since 2022, and github.com/tliron/glsp is not to be had from the module proxy;
// the few messages that are needed here are in protocol.go. The framing is stream.go's: the library's ends the
// connection at the first damaged message.
//
// Messages that change texts are obeyed in their order, one by one, and take no time. All else works on the text as it was when
// it was asked, in a goroutine. Pass 2 runs on one text at a time; a newer one ends it.
//
// What is asked about a place (complete.go, hover.go, definition.go, rename.go) begins with the words around it (cursor.go), as a
// text that is being written does not parse; what those name is asked of package query and of the library.
//
// The protocol: https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/
package lsp
