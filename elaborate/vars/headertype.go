// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"gostap/elaborate/btf"
	"gostap/internal/cache"
	"gostap/internal/kernels"
)

// headerType returns the type of a kernel variable as the headers of kernel modules declare it, as in "extern unsigned
// long volatile jiffies;": 0 if they do not declare it, as an array, or in several ways.
func headerType(types btf.Named, release, name string) btf.ID {
	k := kernels.Find(release)
	var dirs []string
	for _, tree := range []string{k.Source(), k.Build()} {
		for _, dir := range []string{"include", filepath.Join("arch", machine.KernelName, "include")} {
			if dir, err := filepath.EvalSymlinks(filepath.Join(tree, dir)); err == nil { // a tree need not have each folder
				dirs = append(dirs, dir)
			}
		}
	}
	if ids := typesNamed(types, declaredType(release, dirs, name)); len(ids) == 1 {
		return ids[0]
	}
	return 0
}

// declaredType returns how the headers below dirs spell a variable's type, "" if they do not say one. The answer is
// cached until a folder of dirs, or its linux or asm, changes: reading all headers takes half a second.
func declaredType(release string, dirs []string, name string) string {
	key := sha256.New()
	for _, dir := range dirs {
		for _, folder := range []string{dir, filepath.Join(dir, "linux"), filepath.Join(dir, "asm")} {
			if info, err := os.Stat(folder); err == nil {
				fmt.Fprintln(key, folder, info.ModTime().UnixNano())
			}
		}
	}
	path := cache.Path("declarations", release+"-"+hex.EncodeToString(key.Sum(nil)[:8]), name)
	f, err := cache.Open(path, func() ([]byte, error) { return []byte(searchHeaders(dirs, name)), nil })
	if err != nil {
		return searchHeaders(dirs, name)
	}
	defer f.Close()
	spelled, err := io.ReadAll(f)
	if err != nil {
		return searchHeaders(dirs, name)
	}
	return string(spelled)
}

// searchHeaders returns the one type, without qualifiers, that declarations of a variable in headers below dirs have.
func searchHeaders(dirs []string, name string) string {
	statement := regexp.MustCompile(`(?m)^\s*extern\s([^;(){}=]*?)\b` + regexp.QuoteMeta(name) + `\b([^;,(){}=]*);`)
	spelled := ""
	for _, dir := range dirs {
		err := eachHeader(dir, func(text []byte) bool {
			if !bytes.Contains(text, []byte(name)) {
				return true
			}
			for _, m := range statement.FindAllSubmatch(text, -1) {
				one := typeWords(string(m[1]))
				if bytes.Contains(m[2], []byte("[")) || spelled != "" && spelled != one {
					spelled = ""
					return false
				}
				spelled = one
			}
			return true
		})
		if err != nil {
			return ""
		}
	}
	return spelled
}

// eachHeader calls f with each header below dir, until it returns false: then the result is fs.SkipAll.
func eachHeader(dir string, f func(text []byte) bool) error {
	stopped := false
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".h" {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil && !f(text) {
			stopped = true
			return fs.SkipAll
		}
		return err
	})
	if stopped {
		return fs.SkipAll
	}
	return err
}

// typeWords returns the type at the beginning of a declaration without its qualifiers and attributes: "unsigned long",
// "struct file*".
func typeWords(declaration string) string {
	var words []string
	for _, word := range strings.Fields(strings.ReplaceAll(declaration, "*", " * ")) {
		switch {
		case word == "const", word == "volatile", strings.HasPrefix(word, "__"):
		case word == "*" && len(words) > 0:
			words[len(words)-1] += "*"
		default:
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}
