// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"fmt"
	"strings"

	"gostap/internal/kernels"
)

// sessionScript is sourced by init.sh, which documents the variables.
func sessionScript(marker string, kernel kernels.Kernel, foreign bool, writable []string) string {
	script := "MARKER=" + quote(marker) + "\n"
	if foreign {
		script += "FOREIGN=1\n"
	}
	if kernel.Root != "" {
		script += "MODULES=" + quote(kernel.Modules()) + "\n"
	}
	return script + "set --" + quoteAll(writable) + "\n"
}

// commandScript runs the command in a session and a process group of its own. It sends the group's
// number on the control port to the host, which sends signals to it. The script is run by the host's
// shell and env, because busybox would run its own applets in place of the host's programs.
func commandScript(dir string, env, args []string) string {
	env = append([]string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"HOME=/root",
		"USER=root",
		"PWD=" + dir,
	}, env...)
	return fmt.Sprintf("echo \"started $$\" >&3\nexec 3>&-\ncd %s || exit 126\nexec /usr/bin/env -i%s%s\n",
		quote(dir), quoteAll(env), quoteAll(args))
}

func quoteAll(words []string) string {
	var b strings.Builder
	for _, word := range words {
		b.WriteString(" " + quote(word))
	}
	return b.String()
}

// quote returns a word quoted for the shell.
func quote(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
