// SPDX-License-Identifier: GPL-2.0-or-later

// Package lsp is a server of the Language Server Protocol, for editors: `gostap lsp`.
//
// Connections, requests and responses are handled by github.com/sourcegraph/jsonrpc2, which is
// maintained (v0.2.3 of September 2026) and imports only the standard library. Libraries that also have
// the protocol's messages were not suitable: go.lsp.dev/protocol has had no release since 2022, and
// github.com/tliron/glsp is not available from the module proxy; the few messages that are used are in
// protocol.go. The framing is in stream.go: that of the library closes the connection at the first
// damaged message.
//
// Messages that change texts are handled in order, one by one, and take no time. All other requests
// work on the text at the time of the request, in a goroutine. Pass 2 runs on one text at a time; a
// newer text ends it.
//
// Requests about a position (complete.go, hover.go, definition.go, rename.go) use the tokens around it
// (cursor.go), as an unfinished text does not parse; names are looked up by package query and in the
// library.
//
// The protocol:
// https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/
package lsp
