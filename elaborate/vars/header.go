// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os/exec"
	"path/filepath"
	"strings"

	"gostap/internal/cache"
	"gostap/internal/lazyregexp"
	"gostap/translator/syntax"
)

// headers matches @cast's last argument if it names headers of programs: "<sys/time.h>", or several.
var headers = lazyregexp.MustCompile(`^(<[\w./+-]+>)+$`)

// debuginfoFlags make gcc describe all types, also unused ones.
var debuginfoFlags = []string{"-x", "c", "-", "-g", "-fno-eliminate-unused-debug-types", "-shared", "-fPIC", "-nostdlib", "-o"}

// headerProgram returns the path of an object file with debuginfo of the types that headers declare.
// It is cached; its key is the preprocessed text of the headers.
func headerProgram(at syntax.Pos, list string) (string, *syntax.Diagnostic) {
	text := "#include " + strings.ReplaceAll(list, "><", ">\n#include <") + "\n"
	gcc := func(args ...string) ([]byte, *syntax.Diagnostic) {
		cmd := exec.Command("gcc", args...)
		var out, stderr bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), &out, &stderr
		if err := cmd.Run(); err != nil {
			why, _, _ := strings.Cut(stderr.String(), "\n")
			if why == "" {
				why = err.Error()
			}
			return nil, syntax.Errorf(at, "@cast: %s can't be compiled: %s", list, why)
		}
		return out.Bytes(), nil
	}
	preprocessed, d := gcc("-x", "c", "-E", "-")
	if d != nil {
		return "", d
	}
	sum := sha256.Sum256(preprocessed)
	dir := cache.Path("header", hex.EncodeToString(sum[:16]))
	file := filepath.Join(dir, "types.so")
	if cache.Intact(dir) {
		return file, nil
	}
	err := cache.Fill(dir, func(tmp string) error {
		if _, failure := gcc(append(debuginfoFlags, filepath.Join(tmp, "types.so"))...); failure != nil {
			d = failure
			return failure
		}
		return nil
	})
	if d != nil {
		return "", d
	}
	if err != nil {
		return "", syntax.Errorf(at, "@cast: %s: %v", list, err)
	}
	return file, nil
}
