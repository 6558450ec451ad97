// SPDX-License-Identifier: GPL-2.0-or-later

// Package tapsets carries the tapset library inside the binary: .stp files in
// a folder for each subsystem, and .stpm files with macros. They go the same
// way as a user's files: package elaborate parses them and pulls in those that
// a script refers to. Their embedded C becomes part of the prebuilt runtime.
package tapsets

import "embed"

// FS is the library. Its embedded C is trusted as the runtime is.
//
//go:embed */*.stp */*.stpm *.stpm
var FS embed.FS
