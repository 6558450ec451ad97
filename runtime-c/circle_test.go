// SPDX-License-Identifier: GPL-2.0-or-later

package runtimec

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	definition = regexp.MustCompile(`(?m)^[a-z][\w *]*?\b(gs_\w+)\([^;{}]*\)\n\{`)
	name       = regexp.MustCompile(`\bgs_\w+`)
)

// TestNoCircle: the kernel runtime's C files call each other in one direction.
// What a lower one wants of a higher is handed to it as a function.
func TestNoCircle(t *testing.T) {
	text := map[string]string{}
	home := map[string]string{} // of the functions that other files may call
	for _, pattern := range []string{"kernel/*.c", "kernel/families/*.c"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text[file] = string(content)
			for _, m := range definition.FindAllStringSubmatch(text[file], -1) {
				if !strings.HasPrefix(m[0], "static") {
					home[m[1]] = file
				}
			}
		}
	}
	if home["gs_session_start"] != "kernel/session.c" {
		t.Fatal("the functions are not found")
	}
	const open, done = 1, 2
	state := map[string]int{}
	var path []string
	var visit func(file string)
	visit = func(file string) {
		if state[file] == done {
			return
		}
		path = append(path, file)
		if state[file] == open {
			t.Errorf("a circle: %s", strings.Join(path[slices.Index(path, file):], " calls "))
		} else {
			state[file] = open
			for _, called := range name.FindAllString(text[file], -1) {
				if to := home[called]; to != "" && to != file {
					visit(to)
				}
			}
			state[file] = done
		}
		path = path[:len(path)-1]
	}
	for file := range text {
		visit(file)
	}
}
