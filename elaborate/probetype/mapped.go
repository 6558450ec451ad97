// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"

	"gostap/elaborate/executable"
	"gostap/internal/ldso"
	"gostap/translator/syntax"
)

// mappedMarks finds marks in libraries that a process has generated itself, as libstapsdt and salp do: files that it
// has mapped as code, which are neither its program nor linked to it.
func (c *Context) mappedMarks(m match, pid int64, program string, find func(*probed) ([]*ProbeSite, *syntax.Diagnostic)) (sites []*ProbeSite) {
	known := []string{program}
	for _, l := range ldso.Loaded(program) {
		known = append(known, l.Path)
	}
	for _, path := range mappedFiles(pid, known) {
		p, d := c.probed(m, path, pid)
		if d != nil {
			continue
		}
		p.maker.spelled = fmt.Sprintf("process(%d)", pid)
		if marks, err := p.Marks(); err == nil && len(marks) > 0 {
			found, _ := find(p)
			sites = append(sites, found...)
		}
	}
	return sites
}

// mappedFiles returns paths by which the files can be opened that a process has mapped as code, without those that are known.
// They are paths in /proc/PID/map_files, by which memory files and removed files can be opened, too.
func mappedFiles(pid int64, known []string) (paths []string) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return nil
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var area, rights, from, device string
		var inode uint64
		line := lines.Text()
		n, _ := fmt.Sscan(line, &area, &rights, &from, &device, &inode)
		slash := strings.IndexByte(line, '/')
		if n != 5 || inode == 0 || slash < 0 || !strings.Contains(rights, "x") || slices.Contains(known, line[slash:]) {
			continue
		}
		known = append(known, line[slash:])
		// Through the process's mapping: the path may be another file in this mount namespace.
		paths = append(paths, fmt.Sprintf("/proc/%d/map_files/%s", pid, mapFile(area)))
	}
	return paths
}

// mapFile is the name of a mapping in map_files, without leading zeros.
func mapFile(area string) string {
	var low, high uint64
	fmt.Sscanf(area, "%x-%x", &low, &high)
	return fmt.Sprintf("%x-%x", low, high)
}

// markedProcess returns the process whose mappings are searched for marks, besides the program's file: the one that the point
// names, or that of -x if it runs the program; 0 for none.
func (c *Context) markedProcess(m match, paths []string, pid int64) int64 {
	target := int64(c.Target.Traced.PID)
	switch {
	case m.Has("library"):
		return 0
	case pid > 0:
		return pid
	case target == 0:
		return 0
	}
	if running, err := processProgram(target); err == nil && slices.Contains(paths, running) && !executable.Wild(m.Text("process")) {
		return target
	}
	return 0
}
