// SPDX-License-Identifier: GPL-2.0-or-later

package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"sync"

	"github.com/sourcegraph/jsonrpc2"

	"gostap/elaborate/image"
	"gostap/elaborate/library"
	"gostap/internal/panics"
	"gostap/translator/check"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// Config has what the passes need.
type Config struct {
	Env     *syntax.Env
	Library func() *library.Library // opened at the first call
	Target  func() *image.Target    // a new one at each call: targets are not safe for concurrent use
	Check   check.Options           // Functions is filled in
	Version string                  // the server's own

	// File returns the path of a tapset's file.
	File func(*syntax.Source) (string, error)
}

// A Server serves one editor.
type Server struct {
	Config
	library func() *library.Library

	mu        sync.Mutex
	documents map[string]*document
	running   map[string]context.CancelFunc // cancel functions of the passes, by URI
	checked   map[string]*program.Program   // the results of the passes, by URI
	shutdown  bool

	passes  sync.Mutex // held while pass 2 runs on compiled
	compile func() *image.Target

	work panics.Group // running requests and passes
}

// Serve serves an editor by the streams in and out, until it sends exit or closes them. It reports
// whether the editor has requested a shutdown before, as it should.
//
// \torderly := lsp.Serve(ctx, lsp.Config{…}, os.Stdin, os.Stdout)
func Serve(ctx context.Context, config Config, in io.Reader, out io.WriteCloser) bool {
	s := &Server{
		Config:    config,
		library:   sync.OnceValue(config.Library),
		documents: map[string]*document{},
		running:   map[string]context.CancelFunc{},
		checked:   map[string]*program.Program{},
		compile:   sync.OnceValue(config.Target),
	}
	conn := jsonrpc2.NewConn(ctx, &stream{in: bufio.NewReader(in), out: out}, s, jsonrpc2.SetLogger(log.New(io.Discard, "", 0)))
	<-conn.DisconnectNotify()
	s.mu.Lock()
	for _, cancel := range s.running {
		cancel()
	}
	orderly := s.shutdown
	s.mu.Unlock()
	s.work.Wait()
	return orderly
}

// requests are handled in goroutines.
var requests = map[string]func(*Server, *document, *documentParams) (any, error){
	"textDocument/formatting":     func(_ *Server, d *document, _ *documentParams) (any, error) { return format(d) },
	"textDocument/documentSymbol": func(_ *Server, d *document, _ *documentParams) (any, error) { return symbols(d), nil },
	"textDocument/foldingRange":   func(_ *Server, d *document, _ *documentParams) (any, error) { return folds(d), nil },
	"textDocument/completion":     func(s *Server, d *document, p *documentParams) (any, error) { return s.complete(d, p.Position) },
	"textDocument/hover":          func(s *Server, d *document, p *documentParams) (any, error) { return s.hover(d, p.Position) },
	"textDocument/definition":     func(s *Server, d *document, p *documentParams) (any, error) { return s.definition(d, p.Position) },
	"textDocument/rename": func(s *Server, d *document, p *documentParams) (any, error) {
		return s.rename(d, p.Position, p.NewName)
	},
}

// Handle handles a message.
func (s *Server) Handle(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) {
	if run, ok := requests[req.Method]; ok {
		p, d, err := s.about(req)
		s.work.Go(func() {
			s.reply(ctx, conn, req, func() (any, error) {
				if err != nil {
					return nil, err
				}
				return run(s, d, p)
			})
		})
		return
	}
	s.reply(ctx, conn, req, func() (any, error) { return s.obey(ctx, conn, req) })
}

// reply handles a message and, if it is a request, sends the response.
func (s *Server) reply(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request, run func() (any, error)) {
	result, err := func() (result any, err error) {
		defer panics.Catch(&err)
		return run()
	}()
	if req.Notif {
		return // there is no response to a notification
	}
	if err == nil {
		if err = conn.Reply(ctx, req.ID, result); err == nil || err == jsonrpc2.ErrClosed {
			return
		}
	}
	failure, ok := err.(*jsonrpc2.Error)
	if !ok {
		failure = &jsonrpc2.Error{Code: requestFailed, Message: err.Error()}
	}
	conn.ReplyWithError(ctx, req.ID, failure) // an error of the connection is ignored
}

// requestFailed is the protocol's code for a valid request that can't be fulfilled.
const requestFailed = -32803

func invalid(text string, args ...any) error {
	return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: fmt.Sprintf(text, args...)}
}

// about returns the parameters of a message, and the text that it refers to.
func (s *Server) about(req *jsonrpc2.Request) (*documentParams, *document, error) {
	p, err := params(req)
	if err != nil {
		return nil, nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.documents[p.TextDocument.URI]
	if d == nil {
		return nil, nil, invalid("%s: no such text is open", p.TextDocument.URI)
	}
	return p, d, nil
}

func params(req *jsonrpc2.Request) (*documentParams, error) {
	p := &documentParams{}
	if req.Params == nil {
		return nil, invalid("%s: no params", req.Method)
	}
	if err := json.Unmarshal(*req.Params, p); err != nil {
		return nil, invalid("%s: %v", req.Method, err)
	}
	return p, nil
}

// obey handles the messages that take no time.
func (s *Server) obey(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) (any, error) {
	switch req.Method {
	case "initialize":
		return map[string]any{"capabilities": capabilities, "serverInfo": map[string]any{"name": "gostap", "version": s.Version}}, nil
	case "shutdown":
		s.mu.Lock()
		s.shutdown = true
		s.mu.Unlock()
		return nil, nil
	case "exit":
		return nil, conn.Close()
	case "initialized", "$/cancelRequest", "$/setTrace", "textDocument/didSave", "workspace/didChangeConfiguration", "workspace/didChangeWatchedFiles":
		return nil, nil
	case "textDocument/didOpen":
		p, err := params(req)
		if err != nil {
			return nil, err
		}
		s.changed(ctx, conn, newDocument(p.TextDocument.URI, p.TextDocument.Version, p.TextDocument.Text))
		return nil, nil
	case "textDocument/didChange":
		p, d, err := s.about(req)
		if err != nil {
			return nil, err
		}
		s.changed(ctx, conn, d.changed(p.TextDocument.Version, p.ContentChanges))
		return nil, nil
	case "textDocument/didClose":
		_, d, err := s.about(req)
		if err != nil {
			return nil, err
		}
		s.closed(ctx, conn, d)
		return nil, nil
	}
	return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: req.Method + ": no such method"}
}

// changed stores a newer text, and starts the passes on it.
func (s *Server) changed(ctx context.Context, conn *jsonrpc2.Conn, d *document) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.running[d.uri]; cancel != nil {
		cancel()
	}
	ctx, s.running[d.uri] = context.WithCancel(ctx)
	s.documents[d.uri] = d
	s.work.Go(func() {
		if list := s.diagnose(ctx, d); ctx.Err() == nil {
			conn.Notify(ctx, "textDocument/publishDiagnostics", publishDiagnostics{d.uri, d.version, list})
		}
	})
}

// closed removes a text and its diagnostics.
func (s *Server) closed(ctx context.Context, conn *jsonrpc2.Conn, d *document) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[d.uri]()
	delete(s.running, d.uri)
	delete(s.documents, d.uri)
	delete(s.checked, d.uri)
	conn.Notify(ctx, "textDocument/publishDiagnostics", publishDiagnostics{d.uri, d.version, []Diagnostic{}})
}
