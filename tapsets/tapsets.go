// SPDX-License-Identifier: GPL-2.0-or-later

// Package tapsets embeds the tapset library: .stp files in a folder for each subsystem, and .stpm files
// with macros. They are processed like a user's files: package elaborate parses them and includes those
// that a script refers to. Their embedded C is compiled into the prebuilt runtime.
package tapsets

import "embed"

// FS is the library. Its embedded C is trusted like the runtime.
//
//go:embed */*.stp */*.stpm *.stpm
var FS embed.FS
