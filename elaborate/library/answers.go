// SPDX-License-Identifier: GPL-2.0-or-later

package library

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"gostap/translator/syntax"
)

// Answers are what the preprocessor was told while it read the library, of what
// is too much to be in an index's key.
type answers struct {
	mu     sync.Mutex
	config map[string]string // the kernel's configuration options
	args   string            // a hash of the script's arguments; "" if none is referred to
	env    *syntax.Env
}

// recordAnswers returns an env that answers as env does, and where its answers are noted.
func recordAnswers(env *syntax.Env) (*syntax.Env, *answers) {
	a := &answers{config: map[string]string{}, env: env}
	recording := *env
	if env.Config != nil {
		recording.Config = func(name string) string {
			value := env.Config(name)
			a.mu.Lock()
			a.config[name] = value
			a.mu.Unlock()
			return value
		}
	}
	return &recording, a
}

// note notes what a file's text may refer to.
func (a *answers) note(text []byte) {
	for i := 0; i+1 < len(text) && a.args == ""; i++ {
		if next := text[i+1]; (text[i] == '$' || text[i] == '@') && (next == '#' || '0' <= next && next <= '9') {
			a.args = hashArgs(a.env.Args)
		}
	}
}

func hashArgs(args []string) string {
	sum := sha256.Sum256([]byte(strings.Join(args, "\x00")))
	return fmt.Sprint(len(args), "-", hex.EncodeToString(sum[:]))
}

// write writes the answers as lines of an index.
func (a *answers) write(b *bytes.Buffer) {
	var names []string
	for name := range a.config {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(b, "? %s=%q\n", name, a.config[name])
	}
	if a.args != "" {
		fmt.Fprintf(b, "$ %s\n", a.args)
	}
}

// stillTrue reports whether an answer, a line of an index, is also given now.
func (a *answers) stillTrue(kind byte, line string) bool {
	if kind == '$' {
		return hashArgs(a.env.Args) == line
	}
	name, value, _ := strings.Cut(line, "=")
	return a.env.Config != nil && fmt.Sprintf("%q", a.env.Config(name)) == value
}
