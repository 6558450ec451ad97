// SPDX-License-Identifier: GPL-2.0-or-later

package perfetto

import (
	"strings"

	"gostap/internal/lazyregexp"
)

// What a probe point is to slices.
type role uint8

const (
	alone role = iota
	opens
	closes
)

// A point is a probe point as events are named by it.
type point struct {
	probe string // as pp() has it
	name  string // of its events: the function's or tracepoint's, or the probe point itself
	label string // of its events on a processor's track, where an end has a name of its own
	role  role
	stem  string // what those have in common that open and close a slice
}

// ends are what the points of a pair differ in: how the one begins that opens, and how the one that closes.
var ends = []struct{ open, close string }{
	{"", ".return"}, {".begin", ".end"}, {`_entry")`, `_exit")`}, {`_enter")`, `_exit")`}, {`_begin")`, `_end")`}, {`_start")`, `_end")`}, {`_start")`, `_done")`},
}

// variants are suffixes that say how a function is probed, not which one.
var variants = lazyregexp.MustCompile(`\.(call|exported|maxactive\(\d+\))$`)

// pair finds the pairs among a script's probe points: a function and its return, a tracepoint …_entry and …_exit. A point
// whose partner the script doesn't probe stays alone.
func pair(points []string) []point {
	list := make([]point, len(points))
	plain := make([]string, len(points))
	index := map[string]bool{}
	for i, p := range points {
		p = strings.TrimSuffix(p, "?")
		for variants().MatchString(p) {
			p = variants().ReplaceAllString(p, "")
		}
		plain[i] = p
		index[p] = true
		name := label(pointName(p))
		list[i] = point{probe: label(points[i]), name: name, label: name}
		if strings.HasSuffix(p, ".return") {
			list[i].label = name + " returns"
		}
	}
	for i, p := range plain {
		for _, e := range ends {
			stem, closing := strings.CutSuffix(p, e.close)
			if !closing || stem == "" || !index[stem+e.open] {
				continue
			}
			list[i].role, list[i].stem = closes, stem
			for j, q := range plain {
				if q == stem+e.open {
					list[j].role, list[j].stem = opens, stem
				}
			}
			break
		}
	}
	return list
}

// named are the points that go by a name in quotes: kernel.function("NAME@file:line"), kernel.trace("system:NAME").
var named = lazyregexp.MustCompile(`\.(?:function|mark|plt|statement|trace)\("(?:\w+:\b)?([^"@]+)[^"]*"\)`)

// entrySys begins the names of what system calls come in by: __x64_sys_read.
var entrySys = lazyregexp.MustCompile(`^__[a-z0-9]+_(compat_)?sys_`)

// pointName is what a point's events are called.
func pointName(p string) string {
	if m := named().FindStringSubmatch(p); m != nil {
		return entrySys().ReplaceAllString(m[1], "${1}sys_")
	}
	return p
}
