// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"path"
	"strings"

	"gostap/elaborate/probepoint"
	"gostap/elaborate/vars"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

func init() {
	for _, file := range []string{"procfs", "procfs(string)"} {
		for _, umask := range []string{"", ".umask(number)"} {
			register(procfsFile, file+umask+".read", file+umask+".read.maxsize(number)", file+umask+".maxsize(number).read", file+umask+".write")
		}
	}
}

const (
	// defaultFile and defaultUmask are what procfs probes have that give none (stapprobes(3stap)).
	defaultFile  = "command"
	defaultUmask = 0o077
	// longestName is the most bytes that a file's name may have in procfs, and deepestPath those of a path.
	longestName, deepestPath = 255, 512
	// largestFile is the most that maxsize may ask for: a buffer of each reader.
	largestFile = 16 << 20
)

// procfsFile builds procfs: a file in the session's folder below /proc/systemtap.
// Reads return what the handler assigns to $value; a write sets $value for the
// handler.
func procfsFile(c *Context, m match) ([]*ProbeSite, *syntax.Diagnostic) {
	if err := c.Target.Host(); err != nil {
		return nil, m.Errorf("%v", err)
	}
	file := m.Text("procfs")
	if m.Components[0].Arg == nil {
		file = defaultFile
	}
	if d := c.useFile(m, file); d != nil {
		return nil, d
	}
	umask := m.Number("umask", defaultUmask)
	if umask < 0 || umask > 0o777 {
		return nil, m.Errorf("umask(%#o): must be from 0 to 0777", umask)
	}
	size := m.Number("maxsize", 0)
	if m.Has("maxsize") && (size < 2 || size > largestFile) {
		return nil, m.Errorf("maxsize(%d): must be from 2 to %d", size, largestFile)
	}
	mode := program.ProcfsRead | 0o444&^umask
	title := "a procfs read probe"
	if m.Has("write") {
		mode = program.ProcfsWrite | 0o222&^umask
		title = "a procfs write probe"
	}
	return []*ProbeSite{{
		Point: &program.Point{
			At:     m.At,
			Family: "procfs",
			Name:   probepoint.Spell(m.ProbePoint),
			File:   file,
			Args:   [2]int64{mode, size},
		},
		Vars: c.Listed(vars.Listed{Title: title, Values: []vars.ListedValue{
			{Name: "value", Type: "string", X: &program.FileValue{At: m.At}, Assigned: !m.Has("write")},
		}}),
	}}, nil
}

// notBelow is SystemTap's complaint about a path that is none below the session's folder.
func notBelow(file string) string {
	if strings.HasPrefix(file, "/") {
		return "procfs path cannot start with a '/'"
	}
	return "procfs path cannot be relative (and contain '.' or '..')"
}

// useFile records that a file has a probe for reads or writes: there can be one for reads,
// and any number for writes.
func (c *Context) useFile(m match, file string) *syntax.Diagnostic {
	if file == "" || strings.HasPrefix(file, "/") || path.Clean(file) != file || file == "." || strings.HasPrefix(file+"/", "../") || len(file) > deepestPath {
		return m.Errorf("procfs(%q): a path below the session's folder, such as \"counts\" or \"net/counts\", is wanted", file).InStap("%s", notBelow(file))
	}
	for name := range strings.SplitSeq(file, "/") {
		if len(name) > longestName {
			return m.Errorf("procfs(%q): a name may have %d bytes", file, longestName)
		}
	}
	what := "read"
	if m.Has("write") {
		what = "write"
	}
	for other, uses := range c.procfs {
		if strings.HasPrefix(file, other+"/") || strings.HasPrefix(other, file+"/") {
			return m.Errorf("procfs(%q): %q is a file, and can't be a folder besides", file, min(file, other))
		}
		if other == file && uses["read"] && what == "read" {
			return m.Errorf("procfs(%q): another probe has .%s of it", file, what).InStap("only one read procfs probe can exist for procfs path %q", file)
		}
	}
	if c.procfs == nil {
		c.procfs = map[string]map[string]bool{}
	}
	if c.procfs[file] == nil {
		c.procfs[file] = map[string]bool{}
	}
	c.procfs[file][what] = true
	return nil
}
