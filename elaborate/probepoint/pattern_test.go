// SPDX-License-Identifier: GPL-2.0-or-later

package probepoint

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
		p, err := ParsePattern(c.text)
		got := fmt.Sprintf("%s %s %v all=%t relative=%t", p.Name, p.File, p.Lines, p.All, p.Relative)
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
		p, err := ParsePattern(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.MatchesFile(c.file); got != c.want {
			t.Errorf("%s fits %s: %t", c.pattern, c.file, got)
		}
	}
}

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		inner, outer string
		want         bool
	}{
		{"vfs_read@fs/read_write.c", "vfs_read@fs/read_write.c:*", true},
		{"vfs_read@fs/read_write.c:462", "*@fs/read_write.c:*", true},
		{"vfs_*@fs/read_write.c", "vfs_*@fs/read_write.c", true},
		{"vfs_r*@fs/read_write.c", "vfs_*@fs/*.c", true},
		{"vfs_read@fs/*.c", "vfs_*@fs/*.c", true},
		{"vfs_read@fs/read_write.c", "vfs_read", true},
		{"vfs_read@fs/read_write.c", "vfs_read@read_write.c", true},
		{"vfs_?ead", "vfs_?ead", true},
		{"vfs_read", "vfs_read@fs/read_write.c", false},
		{"vfs_read@fs/*.c", "vfs_read@fs/read_write.c", false},
		{"*@fs/read_write.c", "vfs_*@fs/read_write.c", false},
		{"vfs_*@fs/read_write.c", "vfs_????@fs/read_write.c", false},
		{"v*", "v?", false},
		{"vfs_read@read_write.c", "vfs_read@fs/read_write.c", false},
		{"vfs_read", "", false},
		{"", "vfs_read", false},
	} {
		if got := Within(c.inner, c.outer); got != c.want {
			t.Errorf("Within(%q, %q) is %v", c.inner, c.outer, got)
		}
	}
}

func TestMatchesParams(t *testing.T) {
	for _, c := range []struct {
		pattern, symbol string
		want            bool
	}{
		{"operator delete(void*)", "_ZdlPv", true}, {"operator delete(void*)", "_ZdlPvm", false}, {"operator delete(*)", "_ZdlPvm", true},
		{"f(int, *)", "_Z1fiPKc", true}, {"f(char const**)", "_Z1fPPKc", true}, {"f(char const*)", "_Z1fPPKc", false}, {"f", "_Z1fi", true},
	} {
		p, err := ParsePattern(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if p.MatchesParams(c.symbol) != c.want {
			t.Errorf("%s, %s: want %t", c.pattern, c.symbol, c.want)
		}
	}
}
