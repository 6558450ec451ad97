// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// jumpSize is the size of the jump that the kernel puts in place of a kprobe.
const jumpSize = 5

// Jumps are the kprobes of the running kernel that it has optimised: a jump
// replaces the kprobe's instruction, and covers those behind it.
type Jumps struct {
	slide  uint64
	byAddr map[uint64]string // "vfs_read+0x5", by run-time address
	byName map[string]string // by "MODULE:NAME+0x5"
}

// Jumps reads the optimised kprobes of the running kernel, if k is that, which takes root.
// Without the list there are none: the kernel can handle probes there, too.
func (k *Kernel) Jumps() *Jumps {
	j := &Jumps{byAddr: map[uint64]string{}, byName: map[string]string{}}
	if k.Release != running() {
		return j
	}
	list, err := os.ReadFile("/sys/kernel/debug/kprobes/list")
	if err == nil {
		j.read(string(list))
	}
	if len(j.byAddr) > 0 {
		if j.slide, err = k.Slide(); err != nil {
			clear(j.byAddr)
		}
	}
	return j
}

// read takes lines as kernel/kprobes.c (report_probe) writes them:
//
//	ffffffff812d0a35  k  vfs_read+0x5    [OPTIMIZED]
//	ffffffffc0201065  k  gs_take+0x5  gs_places [DISABLED][OPTIMIZED]
func (j *Jumps) read(list string) {
	for line := range strings.Lines(list) {
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.Contains(fields[len(fields)-1], "[OPTIMIZED]") {
			continue
		}
		addr, err := strconv.ParseUint(fields[0], 16, 64)
		switch {
		case len(fields) > 4:
			j.byName[fields[3]+":"+fields[2]] = fields[2]
		case err == nil && addr != 0:
			j.byAddr[addr] = fields[2]
		}
	}
}

// Over returns the kprobe whose jump covers the instruction at addr, as linked, of the
// kernel itself, and begins before it; "" if there is none.
func (j *Jumps) Over(addr uint64) string {
	for i := uint64(1); i < jumpSize; i++ {
		if probe := j.byAddr[addr+j.slide-i]; probe != "" {
			return probe
		}
	}
	return ""
}

// OverModule is Over for an address in a module, relative to a symbol.
func (j *Jumps) OverModule(module, symbol string, offset int64) string {
	for i := int64(1); i < jumpSize && i <= offset; i++ {
		if probe := j.byName[fmt.Sprintf("%s:%s+%#x", module, symbol, offset-i)]; probe != "" {
			return probe
		}
	}
	return ""
}
