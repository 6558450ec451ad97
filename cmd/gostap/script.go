// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

// sources reads the user's scripts: the file or -e, then those of -E. The rest
// of the command line are the script's arguments.
func (o *options) sources() (sources []*syntax.Source, args []string, err error) {
	args = o.args
	if o.source != nil {
		sources = append(sources, o.source)
	} else if len(o.scripts) > 0 {
		sources = append(sources, inline("<input>", o.scripts[0]))
	} else {
		name := args[0]
		if o.peer.example {
			if name = examplePath(name); name == "" {
				return nil, nil, errors.Errorf("Example '%s' was not found under '%s'", args[0], exampleRoots[0])
			}
		}
		text, err := readScript(name)
		switch info, statErr := os.Stat(name); {
		case !o.stap || err == nil:
		case errors.Is(statErr, fs.ErrNotExist):
			err = errors.Errorf("Input file '%s' is missing.", name)
		case statErr == nil && info.IsDir():
			err = errors.Errorf("Input file '%s' is empty.", name)
		}
		if err != nil {
			return nil, nil, err
		}
		sources = append(sources, &syntax.Source{Path: scriptName(args[0]), Text: text})
		args = args[1:]
	}
	for i, text := range o.extra {
		sources = append(sources, inline(extraName(i), text))
	}
	return sources, args, nil
}

// exampleRoots are the folders of SystemTap's examples.
var exampleRoots = []string{"/usr/share/systemtap/examples", "/usr/share/doc/systemtap/examples"}

// examplePath returns the path of SystemTap's example of that name, "" if there is none.
func examplePath(name string) string {
	for _, root := range exampleRoots {
		found := ""
		fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && entry.Name() == name {
				found = filepath.Join(root, path)
				return fs.SkipAll
			}
			return nil
		})
		if found != "" {
			return found
		}
	}
	return ""
}

// titleLen bounds the letters of a title.
const titleLen = 60

// title is the script's name in gostap list: its file, or the beginning of its text.
func (o *options) title() string {
	if o.source != nil {
		return o.source.Path
	}
	if len(o.scripts) == 0 {
		return scriptName(o.args[0])
	}
	text := []rune(strings.Join(strings.Fields(o.scripts[0]), " "))
	if len(text) > titleLen {
		text = append(text[:titleLen-1], '…')
	}
	return string(text)
}

func inline(name, text string) *syntax.Source {
	return &syntax.Source{Path: name, Text: []byte(text)}
}

// extraName is the name of the script of a -E in diagnostics.
func extraName(i int) string { return fmt.Sprintf("<extra %d>", i+1) }

// readScript reads a file, or standard input for "-".
func readScript(name string) ([]byte, error) {
	if name == "-" {
		text, err := io.ReadAll(os.Stdin)
		return text, errors.Wrap(err, "standard input")
	}
	text, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(name, "{}"):
		return nil, errors.Errorf("%s: no such file (a script on the command line follows -e)", name)
	case errors.Is(err, fs.ErrNotExist) && slices.Contains([]string{"attach", "fmt", "list", "merge", "run", "stop"}, name):
		return nil, errors.Errorf("%s: no such file (the command gostap %s is written before its options)", name, name)
	case errors.Is(err, fs.ErrNotExist):
		hint := ""
		if !strings.ContainsAny(name, "./") {
			hint = suggest.Hint(name, commandNames())
		}
		if hint != "" {
			hint = ", and no command (" + hint + ")"
		}
		return nil, errors.Errorf("%s: no such file%s", name, hint)
	}
	return text, err
}

// scriptName is the name of a file in diagnostics.
func scriptName(name string) string {
	if name == "-" {
		return "<stdin>"
	}
	return name
}
