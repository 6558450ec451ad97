// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// A mapping is a line of /proc/PID/maps.
type mapping struct {
	start, end uint64
	code       bool
	path       string
}

// readMappings returns the mappings of a process ("self", or a number); nil if it does not exist.
func readMappings(process string) []mapping {
	text, err := os.ReadFile("/proc/" + process + "/maps")
	if err != nil {
		return nil
	}
	var list []mapping
	for line := range bytes.Lines(text) {
		// 7f0000000000-7f0000001000 r-xp 00001000 08:01 1234    /usr/lib/libc.so.6
		fields := strings.Fields(string(line))
		if len(fields) < 6 {
			continue
		}
		low, high, _ := strings.Cut(fields[0], "-")
		start, err1 := strconv.ParseUint(low, 16, 64)
		end, err2 := strconv.ParseUint(high, 16, 64)
		if err1 != nil || err2 != nil {
			continue
		}
		list = append(list, mapping{start, end, strings.Contains(fields[1], "x"), strings.Join(fields[5:], " ")})
	}
	return list
}

// preloadProcess sends the tables of the files that a process has mapped already.
func (im *images) preloadProcess(pid int) {
	process := strconv.Itoa(pid)
	seen := map[string]bool{}
	for _, m := range readMappings(process) {
		if !m.code || !strings.HasPrefix(m.path, "/") || seen[m.path] {
			continue
		}
		seen[m.path] = true
		// This name is the mapped file, even if it has been removed, and whatever the process's root is.
		file, err := os.Open(fmt.Sprintf("/proc/%s/map_files/%x-%x", process, m.start, m.end))
		if err == nil {
			im.preloadFile(file, strings.TrimSuffix(m.path, " (deleted)"))
		}
	}
}

// maxVDSO bounds the size of the vdso.
const maxVDSO = 1 << 20

// ownVDSO returns the image that the kernel maps into processes; nil if there is none.
func ownVDSO() []byte {
	for _, m := range readMappings("self") {
		if m.path != "[vdso]" || m.end-m.start > maxVDSO {
			continue
		}
		mem, err := os.Open("/proc/self/mem")
		if err != nil {
			return nil
		}
		defer mem.Close()
		data := make([]byte, m.end-m.start)
		if _, err := mem.ReadAt(data, int64(m.start)); err == nil {
			return data
		}
	}
	return nil
}
