// SPDX-License-Identifier: GPL-2.0-or-later

// Package query serves the commands that inform about what can be probed: the
// probe points that a pattern stands for (gostap -l and -L, list.go), functions
// (gostap funcs, functions.go), lines and variables (gostap lines and vars,
// lines.go and vars.go), completion of probe points (complete.go); and it fills
// the probe cache (probecache.go). It uses package elaborate, so that it finds
// the same as the passes.
package query
