// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// manyFunctions is how many functions the program has that attach probes.
const manyFunctions = 5000

// buildMany builds the program, which runs until it is killed, and returns its path.
func (b *bench) buildMany() (string, error) {
	var source strings.Builder
	source.WriteString("#include <unistd.h>\nvolatile long sum;\n")
	for i := range manyFunctions {
		fmt.Fprintf(&source, "__attribute__((noinline, noclone)) long many_%d(long a, int b) { sum += a * %d + b; return sum + b; }\n", i, i)
	}
	source.WriteString("int main(void) { return pause(); }\n")
	path := filepath.Join(b.dir, "many")
	if err := os.WriteFile(path+".c", []byte(source.String()), 0o644); err != nil {
		return "", err
	}
	return path, command("gcc", "-O1", "-g", "-o", path, path+".c").Run()
}
