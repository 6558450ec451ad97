// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// forget makes the guest drop its caches when virtiofsd has half of the files open that it may open: it
// keeps a file open for each inode in the guest's cache. Without CAP_SYS_RESOURCE, which containers
// lack, its limit is this process's hard limit: a guest that reads some thousand modules would get
// EMFILE.
func (g *guest) forget() {
	if !g.reached || g.forgetting {
		return
	}
	if n, limit := openFiles(g.fsd.cmd.Process.Pid); n > limit/2 {
		g.forgetting = true
		g.send("forget")
	}
}

// openFiles returns the number of files that a process has open, and its limit: 0 and 0 if they are not
// known.
func openFiles(pid int) (n, limit int) {
	var most unix.Rlimit
	if err := unix.Prlimit(pid, unix.RLIMIT_NOFILE, nil, &most); err != nil {
		return 0, 0
	}
	dir, err := os.Open(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return 0, 0
	}
	defer dir.Close()
	limit = int(min(most.Cur, 1<<30))
	if info, err := dir.Stat(); err == nil && info.Size() > 0 { // the number of entries, from Linux 6.2 on
		return int(info.Size()), limit
	}
	names, _ := dir.Readdirnames(limit/2 + 1)
	return len(names), limit
}
