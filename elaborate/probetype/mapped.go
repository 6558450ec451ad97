// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gostap/elaborate/executable"
	"gostap/internal/glob"
	"gostap/internal/ldso"
	"gostap/translator/syntax"
)

// A mapping is a part of a file that a process has mapped.
type mapping struct {
	pid             int64
	low, high, from uint64 // addresses, and the offset in the file
	code            bool
	path            string // in the process's mount namespace, with " (deleted)" behind that of a file that is removed
}

// mappings returns the files that a process has mapped.
func mappings(pid int64) (list []mapping, err error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		m := mapping{pid: pid}
		var rights, device string
		var inode uint64
		line := lines.Text()
		n, _ := fmt.Sscanf(line, "%x-%x %s %x %s %d", &m.low, &m.high, &rights, &m.from, &device, &inode)
		if slash := strings.IndexByte(line, '/'); n == 6 && inode != 0 && slash >= 0 {
			m.code, m.path = strings.Contains(rights, "x"), line[slash:]
			list = append(list, m)
		}
	}
	return list, nil
}

// link is a path in /proc/PID/map_files, by which memory files and removed files can be opened, too.
func (m *mapping) link() string { return fmt.Sprintf("/proc/%d/map_files/%x-%x", m.pid, m.low, m.high) }

// file returns a path by which the file can be opened from here.
func (m *mapping) file() string { return opened(m.pid, m.path, m.link()) }

// opened returns a path by which a file can be opened from here that a process knows by path: that one, or the one through the
// process's root, as it may be in a container, or else link, which the kernel follows to the file.
func opened(pid int64, path, link string) string {
	file, err := os.Stat(link)
	if err != nil {
		return path
	}
	for _, candidate := range []string{path, filepath.Join(fmt.Sprintf("/proc/%d/root", pid), path)} {
		if is, err := os.Stat(candidate); err == nil && os.SameFile(is, file) {
			return candidate
		}
	}
	return link
}

// mappedLibraries returns the libraries that a process has loaded and that pattern, a name with wildcards, or a path, stands for.
func mappedLibraries(pid int64, pattern string) (paths []string) {
	list, _ := mappings(pid)
	for _, m := range list {
		path := m.file()
		if m.code && (m.path == pattern || glob.Match(pattern, filepath.Base(m.path))) && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

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
func mappedFiles(pid int64, known []string) (paths []string) {
	list, _ := mappings(pid)
	for _, m := range list {
		if !m.code || slices.Contains(known, m.path) {
			continue
		}
		known = append(known, m.path)
		// Through the process's mapping: the path may be another file in this mount namespace.
		paths = append(paths, m.link())
	}
	return paths
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
