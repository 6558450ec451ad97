// SPDX-License-Identifier: GPL-2.0-or-later

// Package probepoint reads probe points as they are written: their components
// with their arguments (point.go), the names of aliases that they begin
// with (name.go), and the patterns that .function and
// .statement take (pattern.go). What they stand for is probetype's subject.
package probepoint
