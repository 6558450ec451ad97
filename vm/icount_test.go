// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

// The cost of a loop in instructions, read from the guest's clock, is the same in two VMs: to some
// microseconds in 300 ms, caused by interrupts for the streams and the root. The second run of the loop
// is compared, because the first one loads pages.
func TestICount(t *testing.T) {
	release := installed(t)[0]
	const script = `
		f() { local i t0=$EPOCHREALTIME; for ((i=0; i<20000; i++)); do :; done; t=$(( ${EPOCHREALTIME/./} - ${t0/./} )); }
		f; f; echo $t`
	var took [2]float64 // in microseconds
	for i := range took {
		var err error
		r := run(t, Config{Release: release, ICount: true}, "bash", "-c", script)
		if took[i], err = strconv.ParseFloat(strings.TrimSpace(r.stdout), 64); r.err != nil || err != nil {
			t.Fatalf("%+v", r)
		}
	}
	t.Log(took)
	if difference := math.Abs(took[0]-took[1]) / took[0]; difference > 0.001 {
		t.Errorf("a loop took %v µs", took)
	}
}
