// SPDX-License-Identifier: GPL-2.0-or-later

package perfetto

import (
	"strings"

	"gostap/internal/lazyregexp"
)

// A role is the meaning of a probe point for slices.
type role uint8

const (
	alone role = iota
	opens
	closes
)

// A point has the names of a probe point's events.
type point struct {
	probe string // the probe point, from pp()
	name  string // of its events: the function's or tracepoint's, or the probe point itself
	label string // of its events on a processor's track, where ends have different names
	role  role
	stem  string // the common part of the names of the points that open and close a slice
}

// ends are the prefixes of the names of the points of a pair: of the one that opens a slice, and of the
// one that closes it.
var ends = []struct{ open, close string }{
	{"", ".return"}, {".begin", ".end"}, {`_entry")`, `_exit")`}, {`_enter")`, `_exit")`}, {`_begin")`, `_end")`}, {`_start")`, `_end")`}, {`_start")`, `_done")`},
}

// variants are suffixes that do not belong to the function's identity.
var variants = lazyregexp.MustCompile(`\.(call|exported|maxactive\(\d+\))$`)

// pair finds the pairs among a script's probe points: a function and its return, a tracepoint …_entry
// and …_exit. A point without a partner in the script is not paired.
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

// named matches points with a name in quotes: kernel.function("NAME@file:line"),
// kernel.trace("system:NAME").
var named = lazyregexp.MustCompile(`\.(?:function|mark|plt|statement|trace)\("(?:\w+:\b)?([^"@]+)[^"]*"\)`)

// entrySys matches the prefix of the functions at which system calls enter: __x64_sys_read.
var entrySys = lazyregexp.MustCompile(`^__[a-z0-9]+_(compat_)?sys_`)

// pointName is the name of a point's events.
func pointName(p string) string {
	if m := named().FindStringSubmatch(p); m != nil {
		return entrySys().ReplaceAllString(m[1], "${1}sys_")
	}
	return p
}
