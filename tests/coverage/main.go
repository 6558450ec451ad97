// SPDX-License-Identifier: GPL-2.0-or-later

// Coverage measures how much of what SystemTap documents gostap has: the functions and probe aliases of
// its tapset reference with their variables, and its examples, on each kernel. The documentation is the
// manual pages and .meta files of Debian's systemtap-doc.
//
// \tgo run ./tests/coverage [-v] [-gostap=FILE] library [RELEASE…]
// \tgo run ./tests/coverage [-v] [-gostap=FILE] examples [RELEASE…]
// \tgo run ./tests/coverage [-v] [-gostap=FILE] run [RELEASE…]
//
// Each function is called, and each alias probed with all of its variables, by a script of its own, for
// which passes 1 and 2 must succeed without debuginfo. For each example the test_check command of its
// .meta is run, with gostap in place of stap; run does so with the test_installcheck commands, in a VM.
// What examples trace that Debian has not, as a library with static marks, -setup can give to the VM.
// -v lists what fails, and why, one line each; -debuginfo uses debuginfo.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"gostap/vm"
)

func main() {
	gostap := flag.String("gostap", "bin/gostap", "the gostap to ask")
	man := flag.String("man", "/usr/share/man/man3", "the folder of systemtap-doc's manual pages")
	examples := flag.String("examples", "/usr/share/systemtap/examples", "the folder of systemtap-doc's examples")
	only := flag.String("only", "", "ask only for names that match this `wildcard`")
	debuginfo := flag.Bool("debuginfo", false, "use the kernels' debuginfo")
	verbose := flag.Bool("v", false, "list what is missing, and why")
	setup := flag.String("setup", "", "a shell `command` that run runs first in the VM")
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	releases := flag.Args()[1:]
	if len(releases) == 0 {
		releases = vm.Releases()
	}
	binary, err := filepath.Abs(*gostap)
	if err == nil {
		ask := asker{gostap: binary, only: *only, verbose: *verbose}
		if !*debuginfo {
			ask.env = []string{"GOSTAP_DEBUGINFO=/nonexistent"}
		} else if folder := os.Getenv("GOSTAP_DEBUGINFO"); folder != "" {
			ask.env = []string{"GOSTAP_DEBUGINFO=" + folder} // in the VM, too
		}
		switch flag.Arg(0) {
		case "library":
			err = ask.library(*man, releases)
		case "examples":
			err = ask.examples(*examples, releases)
		case "run":
			err = ask.run(*examples, *setup, releases)
		default:
			err = fmt.Errorf("%s is none of library, examples and run", flag.Arg(0))
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "coverage:", err)
		os.Exit(1)
	}
}
