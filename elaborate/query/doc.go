// SPDX-License-Identifier: GPL-2.0-or-later

// Package query answers what is asked beside the passes: which probe points a
// pattern stands for (gostap -l and -L, list.go), which functions there are
// (gostap funcs, functions.go), which lines and variables (gostap lines and
// vars, lines.go and vars.go), how a probe point can go on (completion,
// complete.go); and it fills the probe cache (probecache.go). It looks through
// the eyes of package elaborate, so that the answers are what the passes find.
package query
