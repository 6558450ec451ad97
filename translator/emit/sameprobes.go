// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"
	"slices"

	"gostap/translator/program"
)

// grouped are the families whose points the runtime puts into groups; see runtime-c/kernel/group.h.
var grouped = map[string]bool{"function": true, "return": true}

// sameProbes returns, for each probe, the first probe that is equal to it. The points of equal probes
// are assigned to the first one, so that the runtime makes one group of their functions.
func (g *gen) sameProbes() []int {
	code := map[*program.Probe]string{}
	for i, h := range g.handlers {
		if h.part == condPart {
			code[h.probe] += fmt.Sprintf("%p", h)
		}
		code[h.probe] += g.roots[i].name + " "
	}
	first := map[string]int{}
	same := make([]int, len(g.p.Probes))
	for i, pr := range g.p.Probes {
		_, saved := g.savedLayout(pr)
		key := fmt.Sprint(code[pr], g.rows[pr], saved, g.probeFlags(pr), pr.Name)
		at, seen := first[key]
		if !seen || g.timed() || slices.ContainsFunc(pr.Points, func(pt *program.Point) bool { return !grouped[pt.Family] }) {
			at = i
			first[key] = i
		}
		same[i] = at
	}
	return same
}
