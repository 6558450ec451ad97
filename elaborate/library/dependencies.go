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

// Dependencies are what an index depends on besides its key: the values of the kernel's configuration
// that the preprocessor has read, and the script's arguments. An index is valid while they are
// unchanged.
type dependencies struct {
	mu     sync.Mutex
	config map[string]string // the kernel's configuration options
	args   string            // a hash of the script's arguments; "" if none is referred to
	env    *syntax.Env
}

// recordDependencies returns env with a Config that records which options are read, and where it records them.
func recordDependencies(env *syntax.Env) (*syntax.Env, *dependencies) {
	d := &dependencies{config: map[string]string{}, env: env}
	recording := *env
	if env.Config != nil {
		recording.Config = func(name string) string {
			value := env.Config(name)
			d.mu.Lock()
			d.config[name] = value
			d.mu.Unlock()
			return value
		}
	}
	return &recording, d
}

// addArguments adds the script's arguments if a file's text refers to any.
func (d *dependencies) addArguments(text []byte) {
	for i := 0; i+1 < len(text) && d.args == ""; i++ {
		if next := text[i+1]; (text[i] == '$' || text[i] == '@') && (next == '#' || '0' <= next && next <= '9') {
			d.args = hashArgs(d.env.Args)
		}
	}
}

func hashArgs(args []string) string {
	sum := sha256.Sum256([]byte(strings.Join(args, "\x00")))
	return fmt.Sprint(len(args), "-", hex.EncodeToString(sum[:]))
}

// write writes the dependencies as lines of an index.
func (d *dependencies) write(b *bytes.Buffer) {
	var names []string
	for name := range d.config {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(b, "? %s=%q\n", name, d.config[name])
	}
	if d.args != "" {
		fmt.Fprintf(b, "$ %s\n", d.args)
	}
}

// unchanged reports whether a dependency, a line of an index, is as it was.
func (d *dependencies) unchanged(kind byte, line string) bool {
	if kind == '$' {
		return hashArgs(d.env.Args) == line
	}
	name, value, _ := strings.Cut(line, "=")
	return d.env.Config != nil && fmt.Sprintf("%q", d.env.Config(name)) == value
}
