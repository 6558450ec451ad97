// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"testing"

	"gostap/manifest"
)

func TestDrawBlocks(t *testing.T) {
	const want = `value |-------------------------------------------------- count
  256 |                                                     0
  512 |                                                     0
   1K |██████████████████████████████████████████████████ 800
   2K |██████▎                                            100
   4K |▏                                                    1
   8K |                                                     0
  16K |                                                     0

`
	got := string(drawHist(nil, &manifest.Hist{Near: 2}, logCounts(map[int]int64{75: 800, 76: 100, 77: 1}), true))
	if got != want {
		t.Errorf("%s", got)
	}
}
