// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"fmt"
	"testing"
)

func TestPattern(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"vfs_read", "vfs_read  [] all=false relative=false"},
		{"vfs_*@fs/*.c", "vfs_* fs/*.c [] all=false relative=false"},
		{"f@a.c:12", "f a.c [{12 12}] all=false relative=false"},
		{"f@a.c:12-14,20", "f a.c [{12 14} {20 20}] all=false relative=false"},
		{"f@a.c:*", "f a.c [] all=true relative=false"},
		{"f@a.c+3", "f a.c [{3 3}] all=false relative=true"},
		{"f@c++.c", "f c++.c [] all=false relative=false"},
		{"f@", `"f@" names no file behind the @`},
		{"@a.c", `"@a.c" names no function: it is written NAME, NAME@FILE or NAME@FILE:LINE, and * stands for any`},
		{"f@a.c:x", `"f@a.c:x": "x" is no line, no range of lines N-M, and not *`},
		{"f@a.c:5-3", `"f@a.c:5-3": "5-3" is no line, no range of lines N-M, and not *`},
		{"f@a.c:", `"f@a.c:": "" is no line, no range of lines N-M, and not *`},
		{"f@:3", `"f@:3": "@" stands before the name of a file`},
	} {
		p, err := parsePattern(c.text)
		got := fmt.Sprintf("%s %s %v all=%t relative=%t", p.name, p.file, p.lines, p.all, p.relative)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s\n got  %s\n want %s", c.text, got, c.want)
		}
	}
}

func TestPatternFits(t *testing.T) {
	for _, c := range []struct {
		pattern, file string
		want          bool
	}{
		{"f", "fs/read_write.c", true},
		{"f@read_write.c", "fs/read_write.c", true},
		{"f@fs/read_write.c", "fs/read_write.c", true},
		{"f@s/read_write.c", "fs/read_write.c", false},
		{"f@fs/*.c", "fs/ext4/inode.c", true},
		{"f@fs/*.c", "include/linux/fs.h", false},
		{"f@/build/fs/*.c", "/build/fs/open.c", true},
	} {
		p, err := parsePattern(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.matchesFile(c.file); got != c.want {
			t.Errorf("%s fits %s: %t", c.pattern, c.file, got)
		}
	}
}
