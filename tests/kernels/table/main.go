// SPDX-License-Identifier: GPL-2.0-or-later

// Command table updates the table in README of what worked on which kernel, from the tests' results.
//
// \ttable RESULTS.json README.md
//
// RESULTS.json is the output of go test -json of tests/e2e and tests/torture; those of several runs may
// be concatenated. In README.md the table is between two comments; cells without results are kept.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// A column is a feature, with the scripts of tests/e2e that test it.
type column struct {
	title   string
	scripts []string
}

var columns = []column{
	{"functions, returns", []string{"vfs-reads", "many", "order", "conditions", "target", "optimised", "writing", "feedback"}},
	{"tracepoints", []string{"tracepoints"}},
	{"timers", []string{"timers"}},
	{"watched data", []string{"data"}},
	{"modules", []string{"module", "modules"}},
	{"statements, locals", []string{"statement", "values", "debuginfo"}},
	{"stacks, registers", []string{"stacks", "registers", "context"}},
	{"programs", []string{"user", "usercpp", "usergo", "uservars", "ustacks", "existing"}},
	{"library", []string{"files", "mib", "network", "syscalls", "system", "tapset-block", "tapset-files", "tapset-irq", "tapset-memory", "tapset-nfs", "tapset-output",
		"tapset-processes", "tapset-signals", "tapset-tasks", "tapset-tty"}},
	{"sessions", []string{"sessions", "recorder", "signals", "killed", "exits", "interrupt", "slow", "throughput", "overload", "rights"}},
	{others, nil},
	{locked, nil},
	{tortured, nil},
}

const (
	others   = "all else"
	locked   = "locked down, signed"
	tortured = "torture"
)

// nothing is the cell of an untested feature.
const nothing = "–"

// A cell has the last result, passed or not, of each test of a column.
type cell map[string]bool

func (c cell) String() string {
	passed := 0
	for _, ok := range c {
		if ok {
			passed++
		}
	}
	if passed == len(c) {
		return fmt.Sprintf("✓ %d", passed)
	}
	return fmt.Sprintf("%d of %d", passed, len(c))
}

// A results has the cells by kernel and column.
type results map[string]map[string]cell

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "table RESULTS.json README.md")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

func run(from, readme string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	found, err := read(f)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	text, err := os.ReadFile(readme)
	if err != nil {
		return err
	}
	updated, err := update(string(text), found)
	if err != nil {
		return fmt.Errorf("%s: %w", readme, err)
	}
	return os.WriteFile(readme, []byte(updated), 0o644)
}

// read reads the output of go test -json.
func read(r io.Reader) (results, error) {
	found := results{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var event struct{ Action, Test string }
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			return nil, err
		}
		part := strings.Split(event.Test, "/")
		title := ""
		if len(part) == 3 {
			title = columnOf(part[0], part[2])
		}
		if title == "" || event.Action != "pass" && event.Action != "fail" {
			continue
		}
		if found[part[1]] == nil {
			found[part[1]] = map[string]cell{}
		}
		if found[part[1]][title] == nil {
			found[part[1]][title] = cell{}
		}
		found[part[1]][title][part[2]] = event.Action == "pass"
	}
	return found, lines.Err()
}

// columnOf returns the title of a test's column, "" if it has none.
func columnOf(test, name string) string {
	switch test {
	case "TestLockdown":
		return locked
	case "TestTorture":
		return tortured
	case "TestKernels":
		for _, c := range columns {
			if slices.Contains(c.scripts, name) {
				return c.title
			}
		}
		return others
	}
	return ""
}

const begin, end = "<!-- kernels: make test-kernels writes this -->\n", "<!-- kernels -->\n"

// A row has the texts of the columns that have one.
type row map[string]string

// update replaces the cells for which there are results.
func update(text string, found results) (string, error) {
	before, rest, ok1 := strings.Cut(text, begin)
	table, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		return "", fmt.Errorf("no lines %q and %q", strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	rows := parse(table)
	for release, tested := range found {
		if rows[release] == nil {
			rows[release] = row{}
		}
		for title, c := range tested {
			rows[release][title] = c.String()
		}
	}
	var out strings.Builder
	out.WriteString("| kernel |")
	for _, c := range columns {
		out.WriteString(" " + c.title + " |")
	}
	out.WriteString("\n|---|" + strings.Repeat("---|", len(columns)) + "\n")
	for _, release := range sorted(rows) {
		out.WriteString(format(release, rows[release]))
	}
	return before + begin + out.String() + end + after, nil
}

// parse reads a table, whose columns may differ from the current ones.
func parse(table string) map[string]row {
	rows := map[string]row{}
	var titles []string
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(line, "|\n"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case titles == nil:
			titles = cells
		case strings.Contains(cells[0], ".") && len(cells) == len(titles):
			rows[cells[0]] = row{}
			for i, title := range titles[1:] {
				rows[cells[0]][title] = cells[i+1]
			}
		}
	}
	return rows
}

func format(release string, r row) string {
	line := "| " + release + " |"
	for _, c := range columns {
		line += " " + cmp.Or(r[c.title], nothing) + " |"
	}
	return line + "\n"
}

// sorted returns the releases, the oldest first.
func sorted(rows map[string]row) []string {
	var list []string
	for release := range rows {
		list = append(list, release)
	}
	slices.SortFunc(list, func(a, b string) int {
		var x, y [2]int
		fmt.Sscanf(a, "%d.%d", &x[0], &x[1])
		fmt.Sscanf(b, "%d.%d", &y[0], &y[1])
		if c := slices.Compare(x[:], y[:]); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	return list
}
