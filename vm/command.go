// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"fmt"
	"strings"

	"gostap/internal/kernels"
)

// sessionScript is sourced by init.sh, whose head says what it sets.
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

// commandScript becomes the command. Its process leads a session and a process group of its own, whose number
// it tells the host on the control port: signals go there. It is run by the host's shell and env, because those of
// busybox would run its own applets in place of the host's programs.
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

// quote quotes a word for the shell.
func quote(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
