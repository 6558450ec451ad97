// SPDX-License-Identifier: GPL-2.0-or-later

// Package library is the tapset library: the functions, globals and aliases
// that scripts may refer to without declaring them.
//
//	lib, diags := library.Open(env, library.Folder{FS: tapsets.FS, Path: "tapset"})
//
// The library is the files of a list of folders (folder.go), in their order. What each file declares
// is kept in an index in the cache (index.go), with the kernel options and arguments that it depends on
// (dependencies.go); a folder without a valid index is parsed whole (load.go). Later a file is parsed once
// something of it is asked for (library.go). The comments before declarations are what gostap help
// prints (docs.go).
package library
