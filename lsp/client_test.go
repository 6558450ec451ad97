// SPDX-License-Identifier: GPL-2.0-or-later

package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"testing"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"gostap/elaborate/image"
	"gostap/elaborate/library"
	"gostap/tapsets"
	"gostap/translator/check"
	"gostap/translator/syntax"
	"gostap/vm"
)

// patience is the time that a test waits for a message.
const patience = 2 * time.Minute

// config is for an installed kernel.
func config(t *testing.T) Config {
	releases := vm.Releases()
	if len(releases) == 0 {
		t.Fatal("no kernel to look into: run tests/setup test")
	}
	env := &syntax.Env{KernelVR: releases[0], Arch: "x86_64", Runtime: "kernel", Privilege: "stapdev", StapVersion: "4.8"}
	return Config{
		Env: env,
		Library: func() *library.Library {
			lib, _ := library.Open(env, library.Folder{FS: tapsets.FS, Path: "<tapset>"})
			return lib
		},
		Target: func() *image.Target { return image.NewTarget(releases[0], false) },
		Check:  check.Options{},
	}
}

// A client is an editor that uses the protocol library's client.
type client struct {
	t         *testing.T
	conn      *jsonrpc2.Conn
	out       io.Writer // to the server, bypassing conn
	published chan publishDiagnostics
	orderly   chan bool
}

type twoWays struct {
	io.Reader
	io.WriteCloser
}

func start(t *testing.T, config Config) *client {
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	c := &client{t: t, out: fromClient, published: make(chan publishDiagnostics, 1000), orderly: make(chan bool, 1)}
	go func() { c.orderly <- Serve(context.Background(), config, bufio.NewReader(toServer), fromServer) }()
	stream := jsonrpc2.NewBufferedStream(twoWays{toClient, fromClient}, jsonrpc2.VSCodeObjectCodec{})
	c.conn = jsonrpc2.NewConn(context.Background(), stream, c)
	t.Cleanup(func() { c.conn.Close() })
	c.call("initialize", map[string]any{"capabilities": map[string]any{}}, nil)
	return c
}

// Handle records the server's notifications.
func (c *client) Handle(_ context.Context, _ *jsonrpc2.Conn, req *jsonrpc2.Request) {
	var p publishDiagnostics
	if req.Method == "textDocument/publishDiagnostics" && json.Unmarshal(*req.Params, &p) == nil {
		c.published <- p
	}
}

func (c *client) ask(method string, params, result any) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return c.conn.Call(ctx, method, params, result)
}

func (c *client) call(method string, params, result any) {
	c.t.Helper()
	if err := c.ask(method, params, result); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

func (c *client) notify(method string, params any) {
	c.t.Helper()
	if err := c.conn.Notify(context.Background(), method, params); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

const uri = "file:///tmp/test.stp"

func (c *client) open(text string) {
	c.t.Helper()
	c.notify("textDocument/didOpen", documentParams{TextDocument: textDocument{URI: uri, Version: 1, Text: text}})
}

// diagnostics waits for those of a version of the text.
func (c *client) diagnostics(version int) []Diagnostic {
	c.t.Helper()
	for deadline := time.After(patience); ; {
		select {
		case p := <-c.published:
			if p.URI == uri && p.Version == version {
				return p.Diagnostics
			}
		case <-deadline:
			c.t.Fatalf("no diagnostics of version %d", version)
		}
	}
}

// at are the parameters of a message about a position.
func at(line, character int) documentParams {
	return documentParams{TextDocument: textDocument{URI: uri}, Position: Position{line, character}}
}
