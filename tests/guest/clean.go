// SPDX-License-Identifier: GPL-2.0-or-later

package guest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/sys/unix"
)

// harm matches reports of harm in the kernel's log; the last lines are those of debug kernels.
var harm = regexp.MustCompile(`BUG|WARNING|Oops|general protection|Call Trace|rcu.*stall|soft lockup|` +
	`KASAN|DEBUG_LOCKS|INFO: (task|trying|lockdep)|kmemleak: \d+ new|unreferenced object|` +
	`UBSAN|KCSAN`)

// race matches a report of a data race; it is between code in modules if its first line names one.
var race = regexp.MustCompile(`(?ms)^[^\n]*={60}\n[^\n]*BUG: KCSAN: [^\n]*\n.*?={60}\n`)

// withoutKernelRaces removes the reports of data races within the kernel itself, of which there are
// some.
func withoutKernelRaces(log []byte) []byte {
	return race.ReplaceAllFunc(log, func(report []byte) []byte {
		title := bytes.SplitN(report, []byte("\n"), 3)[1]
		if _, who, _ := bytes.Cut(title, []byte("KCSAN:")); bytes.Contains(who, []byte("[")) {
			return report
		}
		return nil
	})
}

// outOfMemory matches the beginning of the report with which the kernel kills a process because memory is short.
var outOfMemory = regexp.MustCompile(`(?s) invoked oom-killer: .{0,1000}?Call Trace`)

// withoutKills takes the stacks' headings out of reports of out of memory, which scripts bring about.
func withoutKills(log []byte) []byte {
	return outOfMemory.ReplaceAllFunc(log, func(report []byte) []byte {
		if found := harm.FindIndex(report); found[1] < len(report) {
			return report // something else
		}
		return bytes.TrimSuffix(report, []byte("Call Trace"))
	})
}

// Clean reports what a session has left behind: harm in the kernel's log, probes, modules. The log is
// cleared, so that later sessions are not blamed.
func Clean() error {
	if err := Harm(); err != nil {
		return err
	}
	left, err := Probes()
	if err != nil {
		return err
	}
	if left != "" {
		return fmt.Errorf("probes are left:\n%s", left)
	}
	if sessions, _ := filepath.Glob("/proc/gostap-*"); len(sessions) > 0 {
		return fmt.Errorf("modules are left: %v", sessions)
	}
	return nil
}

// Harm returns an error if the kernel's log reports harm, and clears it.
func Harm() error { return HarmBut(nil) }

// HarmBut is Harm, ignoring matches of harmless.
func HarmBut(harmless *regexp.Regexp) error {
	log := make([]byte, 4<<20)
	n, err := unix.Klogctl(unix.SYSLOG_ACTION_READ_CLEAR, log)
	if err != nil {
		return err
	}
	log = withoutKills(withoutKernelRaces(log[:n]))
	for _, at := range harm.FindAllIndex(log, -1) {
		if word := log[at[0]:at[1]]; harmless == nil || !harmless.Match(word) {
			return fmt.Errorf("the kernel was harmed (%s):\n%s", word, around(log, at[0]))
		}
	}
	return nil
}

// around returns the lines of the kernel's log around the beginning of a report: some before it, and
// those after it that may belong to it.
func around(log []byte, place int) string {
	lines, line := strings.SplitAfter(string(log), "\n"), bytes.Count(log[:place], []byte("\n"))
	return strings.Join(lines[max(0, line-10):min(len(lines), line+150)], "")
}

// Probes returns the kernel's list of probed functions.
func Probes() (string, error) {
	var all []byte
	for _, file := range []string{"/sys/kernel/debug/kprobes/list", "/sys/kernel/tracing/enabled_functions"} {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		all = append(all, text...)
	}
	return string(all), nil
}

// Leaks lets kmemleak search for leaked memory, if the kernel has it; it takes a minute or two. Only
// objects that two scans report count.
func Leaks() error {
	const file = "/sys/kernel/debug/kmemleak"
	if _, err := os.Stat(file); err != nil {
		return nil
	}
	for range 2 {
		if err := os.WriteFile(file, []byte("scan"), 0); err != nil {
			return err
		}
	}
	text, err := os.ReadFile(file)
	if err == nil && len(text) > 0 {
		err = fmt.Errorf("memory is left:\n%.4000s", text)
	}
	return err
}
