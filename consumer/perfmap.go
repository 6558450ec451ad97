// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/sys/unix"

	"gostap/consumer/userimage"
)

// perfMaps are the files in which processes list code that they generate, /tmp/perf-PID.map:
// a line for each function, its address, its size and its name.
// (tools/perf/Documentation/jit-interface.txt of the kernel's source)
type perfMaps struct {
	folders []string // of the files; %d stands for the process
	maps    map[uint32]*perfMap
	now     func() time.Time
}

// A perfMap is the file of a process.
type perfMap struct {
	path    string
	symbols []userimage.Symbol // by address; of those that overlap the later line's
	size    int64              // of the file as it was read
	changed time.Time
	next    time.Time // not checked again before
}

// maxPerfMap bounds the bytes that are read of a file, whose content is not trusted.
const maxPerfMap = 64 << 20

func newPerfMaps() *perfMaps {
	// The file of a container's process is in the container's file system.
	return &perfMaps{folders: []string{"/tmp", "/proc/%d/root/tmp"}, maps: map[uint32]*perfMap{}, now: time.Now}
}

// find returns the function that a process has generated at an address, and the file that lists it.
func (p *perfMaps) find(pid uint32, addr uint64) (s userimage.Symbol, path string, ok bool) {
	m := p.maps[pid]
	if m == nil {
		m = &perfMap{}
		p.maps[pid] = m
	}
	if s, ok = m.lookUp(addr); !ok && !p.now().Before(m.next) {
		p.read(m, pid)
		m.next = p.now().Add(reread)
		s, ok = m.lookUp(addr)
	}
	return s, m.path, ok
}

// lookUp returns the last function that begins up to addr, if it contains addr.
func (m *perfMap) lookUp(addr uint64) (userimage.Symbol, bool) {
	behind := sort.Search(len(m.symbols), func(i int) bool { return m.symbols[i].Addr > addr })
	if behind == 0 || addr-m.symbols[behind-1].Addr >= m.symbols[behind-1].Size {
		return userimage.Symbol{}, false
	}
	return m.symbols[behind-1], true
}

// read reads a process's file, if it is another than before.
func (p *perfMaps) read(m *perfMap, pid uint32) {
	for _, folder := range p.folders {
		own := pid
		if strings.Contains(folder, "%d") {
			folder, own = fmt.Sprintf(folder, pid), innerPID(pid)
		}
		path := fmt.Sprintf("%s/perf-%d.map", folder, own)
		// Any user may create the path: opening a FIFO must not block, and links are not followed.
		f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
		if err != nil {
			continue
		}
		stat, err := f.Stat()
		if err == nil && stat.Mode().IsRegular() && (path != m.path || stat.Size() != m.size || !stat.ModTime().Equal(m.changed)) {
			var text []byte
			if text, err = io.ReadAll(io.LimitReader(f, maxPerfMap)); err == nil {
				m.path, m.size, m.changed = path, stat.Size(), stat.ModTime()
				m.symbols = parsePerfMap(text)
			}
		}
		f.Close()
		if err == nil && stat.Mode().IsRegular() {
			return
		}
	}
}

// innerPID returns the id that a process has in its own pid namespace, by which it names its file.
func innerPID(pid uint32) uint32 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(status)) {
		ids, ok := strings.CutPrefix(line, "NSpid:")
		if !ok {
			continue
		}
		list := strings.Fields(ids) // from this namespace down
		if inner, err := strconv.ParseUint(list[len(list)-1], 10, 32); err == nil {
			return uint32(inner)
		}
	}
	return pid
}

// parsePerfMap returns the functions of a file; malformed lines are left out.
func parsePerfMap(text []byte) []userimage.Symbol {
	var list []userimage.Symbol
	for line := range bytes.Lines(text) {
		// 7f0000001000 2a LazyCompile:~add /home/x/sum.js:3
		start, rest, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		length, name, _ := strings.Cut(rest, " ")
		addr, err1 := strconv.ParseUint(strings.TrimPrefix(start, "0x"), 16, 64)
		size, err2 := strconv.ParseUint(strings.TrimPrefix(length, "0x"), 16, 64)
		if err1 != nil || err2 != nil || size == 0 || name == "" {
			continue
		}
		name = strings.Map(func(r rune) rune {
			if !unicode.IsPrint(r) {
				return '?'
			}
			return r
		}, name)
		list = append(list, userimage.Symbol{Name: name, Addr: addr, Size: size})
	}
	slices.SortStableFunc(list, func(a, b userimage.Symbol) int { return cmp.Compare(a.Addr, b.Addr) })
	return list
}
