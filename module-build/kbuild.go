// SPDX-License-Identifier: GPL-2.0-or-later

package modulebuild

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/pkg/errors"
)

// make runs kbuild in the tree. No debugging information: neither we nor the kernel would look at it.
func (tr *tree) make(ctx context.Context, t *target) error {
	if err := t.checkTools(); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "make", "-s", fmt.Sprintf("-j%d", runtime.NumCPU()+1), "-C", t.build, "M="+tr.dir,
		"CONFIG_DEBUG_INFO=", "CONFIG_DEBUG_INFO_BTF=", "CONFIG_DEBUG_INFO_BTF_MODULES=", "modules")
	// What the caller's own make has set must not reach this one.
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "MAKEFLAGS=") && !strings.HasPrefix(v, "MAKELEVEL=") && !strings.HasPrefix(v, "MFLAGS=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "LC_ALL=C", "TMPDIR="+tr.dir)
	output, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return &CompileError{What: "the module (by kbuild in " + t.build + ")", Output: string(output)}
	}
	return nil
}

// commands returns what kbuild ran to make a file of the tree: each command's words.
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
	var commands [][]string
	var words []string
	for _, w := range shellWords(line) {
		if w == ";" {
			commands, words = append(commands, words), nil
			continue
		}
		words = append(words, w)
	}
	return append(commands, words), nil
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

// buildWhole makes the module in dir by kbuild alone.
func buildWhole(ctx context.Context, t *target, _ string, req *Request, dir string) error {
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
	if err := tr.tellStackUse(req, module); err != nil {
		return err
	}
	return errors.WithStack(os.Rename(module, filepath.Join(dir, req.Name+".ko")))
}

// tellStackUse tells the module what kbuild's compiler has told of the script's objects.
func (tr *tree) tellStackUse(req *Request, module string) error {
	library, err := readFrames(filepath.Join(tr.dir, "gs_unit_library.su"))
	if err != nil {
		return err
	}
	var objects []string
	for _, object := range tr.own {
		objects = append(objects, filepath.Join(tr.dir, object))
	}
	return req.tellStackUse(module, library.helpers(), stackFiles(objects)...)
}
