// SPDX-License-Identifier: GPL-2.0-or-later

package modulebuild

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/pkg/errors"
)

// make runs kbuild in the tree.
func (tr *tree) make(ctx context.Context, t *target) error {
	if err := t.checkTools(); err != nil {
		return err
	}
	_, err := tr.kbuild(ctx, t, "-s", fmt.Sprintf("-j%d", runtime.NumCPU()+1), "modules")
	return err
}

// kbuild runs it for targets, and returns what it prints. Without debugging information, which nothing uses.
func (tr *tree) kbuild(ctx context.Context, t *target, args ...string) ([]byte, error) {
	cmd := t.Command(ctx, "make", append([]string{"-C", t.Inside(t.build), "M=" + tr.dir,
		"CONFIG_DEBUG_INFO=", "CONFIG_DEBUG_INFO_BTF=", "CONFIG_DEBUG_INFO_BTF_MODULES="}, append(args, tr.options...)...)...)
	// Variables of an outer make must not affect this one.
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "MAKEFLAGS=") && !strings.HasPrefix(v, "MAKELEVEL=") && !strings.HasPrefix(v, "MFLAGS=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "LC_ALL=C", "TMPDIR="+tr.dir)
	output, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, compileError("the module (by kbuild in "+t.build+")", "make", output, err)
	}
	return output, nil
}

// printedCommands builds an object of the tree again, and returns the commands that kbuild prints, split into words. Before 5.18,
// kbuild does not record objtool's command.
func (tr *tree) printedCommands(ctx context.Context, t *target, object string) ([][]string, error) {
	if err := os.Remove(filepath.Join(tr.dir, object)); err != nil {
		return nil, errors.WithStack(err)
	}
	output, err := tr.kbuild(ctx, t, "V=1", object)
	if err != nil {
		return nil, err
	}
	var commands [][]string
	for line := range strings.Lines(string(output)) {
		commands = append(commands, splitCommands(strings.TrimSpace(line))...)
	}
	return commands, nil
}

// commands returns the commands by which kbuild built a file of the tree, split into words.
func (tr *tree) commands(file string) ([][]string, error) {
	path := filepath.Join(tr.dir, filepath.Dir(file), "."+filepath.Base(file)+".cmd")
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	line, _, _ := strings.Cut(string(data), "\n")
	_, line, ok := strings.Cut(line, ":=")
	if !ok {
		return nil, errors.Errorf("%s: not as kbuild writes it", path)
	}
	return splitCommands(line), nil
}

// splitCommands splits a line of the shell at each ;, and each command into words.
func splitCommands(line string) [][]string {
	var commands [][]string
	var words []string
	for _, w := range shellWords(line) {
		if w == ";" {
			commands, words = append(commands, words), nil
			continue
		}
		words = append(words, w)
	}
	return append(commands, words)
}

// shellWords splits a command line as the shell does, with ; as a word of its own.
func shellWords(line string) []string {
	var words []string
	var word strings.Builder
	quote, in := rune(0), false
	flush := func() {
		if in {
			words = append(words, word.String())
		}
		word.Reset()
		in = false
	}
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, in = r, true
		case r == ' ' || r == '\t':
			flush()
		case r == ';':
			flush()
			words = append(words, ";")
		default:
			word.WriteRune(r)
			in = true
		}
	}
	flush()
	return words
}

// buildByKbuild builds the module in dir by kbuild alone.
func buildByKbuild(ctx context.Context, t *target, _ string, req *Request, dir string) error {
	work := filepath.Join(dir, "work")
	defer os.RemoveAll(work)
	if err := os.Mkdir(work, 0o755); err != nil {
		return errors.WithStack(err)
	}
	req.Progress("building the module by kbuild")
	script, err := req.script(work)
	if err != nil {
		return err
	}
	tr, err := newTree(t, req, work, req.Name, script, req.Embedded)
	if err != nil {
		return err
	}
	if err := tr.make(ctx, t); err != nil {
		return err
	}
	module := filepath.Join(work, req.Name+".ko")
	if err := tr.writeStackUse(req, module); err != nil {
		return err
	}
	return errors.WithStack(os.Rename(module, filepath.Join(dir, req.Name+".ko")))
}

// writeStackUse writes the stack use of the script's functions into the module, as reported by kbuild's compiler.
func (tr *tree) writeStackUse(req *Request, module string) error {
	library, err := readFrames(filepath.Join(tr.dir, "gs_unit_library.su"))
	if err != nil {
		return err
	}
	var objects []string
	for _, object := range tr.own {
		objects = append(objects, filepath.Join(tr.dir, object))
	}
	return req.writeStackUse(module, library.helpers(), stackFiles(objects)...)
}
