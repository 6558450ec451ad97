// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"gostap/manifest"
)

// A histogram is drawn as SystemTap draws it: a line for each bucket, with a
// bar of at most histWidth @. Of empty buckets in a row, only those near a full one
// (manifest.Hist.Near) are drawn; others become one line with a ~, if another bucket
// follows. core/hist.c does the same in the kernel, for sprint.
const histWidth = 50

// histRecord returns the histogram and the counts of a GS_REC_HIST's payload.
func histRecord(hists []manifest.Hist, payload []byte) (*manifest.Hist, []int64, bool) {
	if len(payload) < 4 || len(payload)%8 != 4 {
		return nil, nil, false
	}
	index := int(binary.LittleEndian.Uint32(payload))
	if index >= len(hists) {
		return nil, nil, false
	}
	counts := make([]int64, 0, len(payload)/8)
	for rest := payload[4:]; len(rest) > 0; rest = rest[8:] {
		counts = append(counts, int64(binary.LittleEndian.Uint64(rest)))
	}
	return &hists[index], counts, true
}

// bucketValue returns the value that bucket i of n is labelled with: the one of its
// values nearest to zero, or the lowest if h is linear. A linear histogram's first
// bucket is for values below Low, its last for those above High. A logarithmic one
// has 0 in the middle, powers of two to the right, and negative ones to the left.
func bucketValue(h *manifest.Hist, i, n int) int64 {
	if h.Linear {
		return h.Low + int64(i-1)*h.Interval
	}
	switch middle := n / 2; {
	case i > middle:
		return int64(uint64(1) << min(i-middle-1, 62))
	case i < middle:
		return -int64(uint64(1)<<min(middle-1-i, 63)-1) - 1
	}
	return 0
}

// bucketLabel returns the text before a bucket's bar.
func bucketLabel(h *manifest.Hist, i, n int) string {
	switch {
	case h.Linear && i == 0:
		return "<" + strconv.FormatInt(h.Low, 10)
	case h.Linear && i == n-1:
		return ">" + strconv.FormatInt(bucketValue(h, n-2, n), 10)
	}
	return strconv.FormatInt(bucketValue(h, i, n), 10)
}

// histRange returns the first and the last bucket to draw: the range of buckets that are not empty,
// and two more on each side. Negative buckets of a logarithmic histogram, and the outer ones of a
// linear histogram, are only drawn if they are not empty. last is below first if all are empty.
func histRange(h *manifest.Hist, counts []int64) (first, last int) {
	n := len(counts)
	first, last = -1, 0
	for i, count := range counts {
		if count != 0 {
			last = i
			if first < 0 {
				first = i
			}
		}
	}
	if first < 0 {
		return 0, -1
	}
	for range 2 {
		if first > 0 && (h.Linear || first != n/2) {
			first--
		}
		last = min(last+1, n-1)
	}
	if h.Linear && first == 0 && counts[0] == 0 {
		first++
	}
	if h.Linear && last == n-1 && counts[last] == 0 {
		last--
	}
	return first, last
}

// emptyAround reports whether all buckets from i-reach to i+reach are empty.
func emptyAround(counts []int64, i, reach int) bool {
	for _, count := range counts[max(i-reach, 0):min(i+reach+1, len(counts))] {
		if count != 0 {
			return false
		}
	}
	return true
}

// drawHist appends the drawing of a histogram; blocks is for a terminal (histblocks.go).
func drawHist(dst []byte, h *manifest.Hist, counts []int64, blocks bool) []byte {
	label, bar := bucketLabel, appendMarks
	if blocks {
		label, bar = unitLabel, appendBlocks
	}
	n := len(counts)
	first, last := histRange(h, counts)
	highest := slices.Max(counts)
	labelWidth, countWidth := len("value"), len(strconv.FormatInt(highest, 10))
	for i := first; i <= last; i++ {
		labelWidth = max(labelWidth, len(label(h, i, n)))
	}

	dst = appendRight(dst, "value", labelWidth)
	dst = append(dst, " |"...)
	dst = appendRepeat(dst, '-', histWidth)
	dst = append(dst, " count\n"...)
	elided := false
	for i := first; i <= last; i++ {
		if h.Near >= 0 && emptyAround(counts, i, int(min(h.Near, int64(n)))) {
			elided = true
			continue
		}
		if elided {
			dst = appendRepeat(dst, ' ', labelWidth+1)
			dst = append(dst, "~\n"...)
			elided = false
		}
		count := counts[i]
		dst = appendRight(dst, label(h, i, n), labelWidth)
		dst = append(dst, " |"...)
		var width int
		dst, width = bar(dst, count, highest)
		dst = appendRepeat(dst, ' ', histWidth-width+1)
		dst = appendRight(dst, strconv.FormatInt(count, 10), countWidth)
		dst = append(dst, '\n')
	}
	return append(dst, '\n')
}

// appendMarks appends a bar of @, and returns how wide it is.
func appendMarks(dst []byte, count, highest int64) ([]byte, int) {
	perMark := max(int64(math.Ceil(float64(highest)/histWidth)), 1)
	marks := int(max(count, 0) / perMark)
	return appendRepeat(dst, '@', marks), marks
}

func appendRight(dst []byte, s string, width int) []byte {
	return append(appendRepeat(dst, ' ', width-len(s)), s...)
}

func appendRepeat(dst []byte, c byte, n int) []byte {
	for range n {
		dst = append(dst, c)
	}
	return dst
}
