// SPDX-License-Identifier: GPL-2.0-or-later

package userimage

import (
	"path/filepath"
	"testing"
)

const goSource = `package main

//go:noinline
func shown(n int) int {
	return n + 1
}

func main() { shown(2) }
`

// The lines of a stripped Go program are those of its own table, which has no inlined functions.
func TestStrippedGoPosition(t *testing.T) {
	im := openImage(t, build(t, "go", "a.go", goSource, "build", "-ldflags=-s -w"))
	found := false
	for _, s := range im.Symbols() {
		if s.Name != "main.shown" {
			continue
		}
		found = true
		if copies, file, line := im.Position(s.Addr); len(copies) != 0 || filepath.Base(file) != "a.go" || line != 5 {
			t.Errorf("%v %s:%d", copies, file, line)
		}
	}
	if !found {
		t.Error("main.shown is not there")
	}
}
