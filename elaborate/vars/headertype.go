// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"gostap/elaborate/btf"
	"gostap/internal/kernels"
)

// headerType returns the type of a kernel variable as the headers of kernel modules declare it, as in "extern unsigned
// long volatile jiffies;": 0 if they do not declare it, as an array, or in several ways.
func headerType(types btf.Named, release, name string) btf.ID {
	k := kernels.Find(release)
	statement := regexp.MustCompile(`(?m)^\s*extern\s([^;(){}=]*?)\b` + regexp.QuoteMeta(name) + `\b([^;,(){}=]*);`)
	spelled := ""
	for _, tree := range []string{k.Source(), k.Build()} {
		for _, dir := range []string{"include", filepath.Join("arch", machine.KernelName, "include")} {
			err := eachHeader(filepath.Join(tree, dir), func(text []byte) bool {
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
				return 0
			}
		}
	}
	if ids := typesNamed(types, spelled); len(ids) == 1 {
		return ids[0]
	}
	return 0
}

// eachHeader calls f with each header below dir, until it returns false: then the result is fs.SkipAll.
func eachHeader(dir string, f func(text []byte) bool) error {
	dir, err := filepath.EvalSymlinks(dir) // WalkDir follows no link
	if err != nil {
		return nil // a tree need not have each folder
	}
	stopped := false
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
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
