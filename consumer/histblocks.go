// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"math"
	"strconv"

	"gostap/manifest"
)

// unitLabel is bucketLabel with binary units: 64K, 2M.
func unitLabel(h *manifest.Hist, i, n int) string {
	value := bucketValue(h, i, n)
	if h.Linear || value > -1024 && value < 1024 {
		return bucketLabel(h, i, n)
	}
	unit := 0
	for value%1024 == 0 && unit < len("KMGTPE") {
		value /= 1024
		unit++
	}
	return strconv.FormatInt(value, 10) + "KMGTPE"[unit-1:unit]
}

// appendBlocks appends a bar of block characters and returns its width; the widest is histWidth wide,
// and lengths are in eighths of a character. A bucket that is not empty has at least an eighth.
func appendBlocks(dst []byte, count, highest int64) ([]byte, int) {
	if count <= 0 {
		return dst, 0
	}
	eighths := max(int(math.Round(float64(count)/float64(highest)*histWidth*8)), 1)
	for range eighths / 8 {
		dst = append(dst, "█"...)
	}
	width := eighths / 8
	if rest := eighths % 8; rest > 0 {
		dst = append(dst, string(rune('█'+8-rest))...) // U+2588 is the whole block, U+258F an eighth of it
		width++
	}
	return dst, width
}
