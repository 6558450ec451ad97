// SPDX-License-Identifier: GPL-2.0-or-later

package lsp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/sourcegraph/jsonrpc2"
)

// maxMessage bounds the bytes of a message.
const maxMessage = 64 << 20

// A stream reads and writes messages with the protocol's framing. The response to an invalid message is
// an error; then the next message is read.
type stream struct {
	in  *bufio.Reader
	out io.WriteCloser
	mu  sync.Mutex // of out
}

// WriteObject writes a message.
func (s *stream) WriteObject(message any) error {
	data, err := json.Marshal(message)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err = fmt.Fprintf(s.out, "Content-Length: %d\r\n\r\n%s", len(data), data)
	return err
}

// ReadObject reads the next valid message. It returns an error at the end of the stream.
func (s *stream) ReadObject(message any) error {
	for {
		size, err := s.header()
		if err != nil {
			return err
		}
		switch {
		case size < 0:
			// The start of the next message is not known; search its header from here on.
			err = s.refuse(jsonrpc2.CodeParseError, "a message's header lacks its Content-Length")
		case size > maxMessage:
			if _, err = io.CopyN(io.Discard, s.in, int64(size)); err == nil {
				err = s.refuse(jsonrpc2.CodeInvalidRequest, fmt.Sprintf("a message has %d bytes, more than %d", size, maxMessage))
			}
		default:
			data := make([]byte, size)
			if _, err := io.ReadFull(s.in, data); err != nil {
				return io.EOF
			}
			if !json.Valid(data) {
				err = s.refuse(jsonrpc2.CodeParseError, "a message is not JSON")
				break
			}
			bad := json.Unmarshal(data, message)
			if bad == nil {
				return nil
			}
			err = s.refuse(jsonrpc2.CodeInvalidRequest, bad.Error())
		}
		if err != nil {
			return err
		}
	}
}

// header reads a message's header and returns the message's length in bytes, -1 if the header has none.
// On its line, the field's name may be preceded by the rest of a damaged message.
func (s *stream) header() (size int, err error) {
	size = -1
	for {
		line, err := s.in.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return -1, io.EOF
		}
		text := strings.ToLower(strings.TrimSpace(string(line)))
		if text == "" {
			return size, nil
		}
		const field = "content-length:"
		if i := strings.LastIndex(text, field); i >= 0 {
			if n, err := strconv.Atoi(strings.TrimSpace(text[i+len(field):])); err == nil {
				size = n
			}
		}
	}
}

// refuse sends an error response without an id, by the protocol for requests whose id is not known.
func (s *stream) refuse(code int64, what string) error {
	return s.WriteObject(map[string]any{"jsonrpc": "2.0", "id": nil, "error": jsonrpc2.Error{Code: code, Message: what}})
}

// Close closes the output; the input belongs to the caller.
func (s *stream) Close() error { return s.out.Close() }
