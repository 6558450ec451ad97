// SPDX-License-Identifier: GPL-2.0-or-later

// Package probetype knows the kinds of probe points: a file for each, which
// registers the patterns that it serves (registry.go) and finds the probe sites
// that a probe point of that kind stands for.
//
// A ProbeSite (site.go) is a program.Point with the target variables there. A
// Context is shared by the builders of one elaboration: the target's images, and
// the warnings. Functions and statements are found by symbols (function.go,
// module.go) or, where a file, a line, an inlined copy or a callee is meant, by
// debuginfo (source.go, statement.go, within.go, callees.go).
package probetype
