// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// catchSignals returns the signals that end a session. The first ends it with all its
// end probes and output, the second at once. SIGHUP stays ignored if it was when
// gostap was started, as under nohup. SIGINT and SIGQUIT do not: shell scripts have
// their background jobs ignore them, and `gostap … & kill -INT $!` is to end it.
//
// SIGPIPE is caught, too, and ignored: writing to a closed output returns an error, and
// must not kill the process while a module is loaded.
func catchSignals() (caught <-chan os.Signal, release func()) {
	ends := make(chan os.Signal, 4)
	signal.Notify(ends, unix.SIGINT, unix.SIGTERM, unix.SIGQUIT)
	if !signal.Ignored(unix.SIGHUP) {
		signal.Notify(ends, unix.SIGHUP)
	}
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, unix.SIGPIPE)
	return ends, func() {
		signal.Stop(ends)
		signal.Stop(pipes)
	}
}
