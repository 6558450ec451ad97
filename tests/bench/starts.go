// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gostap/tools"
)

// startLimit is the CPU time that a tool may take until its module is loaded, less what loading takes.
const startLimit = 270 * time.Millisecond

// starts measures the CPU time, that of the compiler and of the linker included, of passes 1 to 4 of all
// tools, whose modules are not in the cache. It does without debuginfo.
func starts(b *bench) error {
	all, err := tools.All()
	if err != nil {
		return err
	}
	cache := filepath.Join(b.dir, "starts-cache")
	if err := b.pass4([]byte("probe begin {}"), []string{"GOSTAP_CACHE=" + cache}); err != nil { // fills the runtime cache
		return err
	}
	fmt.Printf("CPU time of passes 1 to 4 of each tool on %s, least of %d; ! is more than %s\n", b.release, startRuns, ms(startLimit))
	for _, tool := range all {
		if !chosenTool(tool.Name) {
			continue
		}
		took, err := b.start(tool, cache)
		if err != nil {
			return err
		}
		mark := ""
		if took > startLimit {
			mark = "!"
		}
		fmt.Printf("%-16s %8s %s\n", tool.Name, ms(took), mark)
	}
	return nil
}

// startRuns is the number of builds of which the quickest counts: what else the machine does only makes
// them slower.
const startRuns = 3

// start returns the CPU time of passes 1 to 4 of a tool, with a cache that has the runtime, but no module.
func (b *bench) start(tool *tools.Tool, cache string) (time.Duration, error) {
	var took []time.Duration
	for range startRuns {
		if err := os.RemoveAll(filepath.Join(cache, "module")); err != nil {
			return 0, err
		}
		args := []string{"tool", "-p4", "-r", b.release, tool.Name}
		given := map[string]string{"PROGRAM": b.gostap, "FUNCTION": "vfs_read", "ARGUMENT": "$count"}
		if strings.Contains(tool.Script, "process(@1).mark(") {
			given["PROGRAM"] = "/usr/bin/python3"
		}
		for _, a := range tool.Arguments {
			if a.Optional {
				break
			}
			args = append(args, given[a.Name])
			given["FUNCTION"] = "main.main" // behind a program, it is a function of that
		}
		cmd := command(b.gostap, args...)
		cmd.Dir = b.dir
		cmd.Env = append(os.Environ(), "GOSTAP_DEBUGINFO=/nonexistent", "GOSTAP_CACHE="+cache)
		if err := cmd.Run(); err != nil {
			return 0, fmt.Errorf("%s: %w", cmd, err)
		}
		took = append(took, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	}
	return slices.Min(took), nil
}
