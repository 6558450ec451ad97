// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// forget has the guest drop its caches when virtiofsd, which holds a file open for each inode that the guest has cached, has half of
// the files that it may have. Without CAP_SYS_RESOURCE, which containers lack, that is this process's hard limit: a guest that
// looks at some thousand modules would get EMFILE.
func (g *guest) forget() {
	if !g.reached || g.forgetting {
		return
	}
	if n, limit := openFiles(g.fsd.cmd.Process.Pid); n > limit/2 {
		g.forgetting = true
		g.send("forget")
	}
}

// openFiles returns how many files a process has open, and how many it may have: 0 and 0 if that can't be known.
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
	if info, err := dir.Stat(); err == nil && info.Size() > 0 { // their number, from Linux 6.2 on
		return int(info.Size()), limit
	}
	names, _ := dir.Readdirnames(limit/2 + 1)
	return len(names), limit
}
