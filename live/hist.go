// SPDX-License-Identifier: GPL-2.0-or-later

package live

import (
	"math"
	"strconv"
)

// zeroBucket is the index of the zeros' bucket in a logarithmic histogram. The buckets behind it are
// those of 1, 2 to 3, 4 to 7 and so on; those before it are the same for negative values.
const zeroBucket = 64

// UpperBound is the largest value in bucket i of n; infinite for the last.
func (h Hist) UpperBound(i, n int) float64 {
	switch {
	case i == n-1:
		return math.Inf(1)
	case h.Linear: // bucket 0 is for values below Low
		return float64(h.Low) + float64(i)*float64(h.Interval) - 1
	case i == zeroBucket:
		return 0
	case i > zeroBucket:
		return math.Ldexp(1, i-zeroBucket) - 1
	}
	return -math.Ldexp(1, zeroBucket-i-1)
}

// LowerBound is the least value in bucket i; infinite for the first.
func (h Hist) LowerBound(i int) float64 {
	switch {
	case i == 0:
		return math.Inf(-1)
	case h.Linear:
		return float64(h.Low) + float64(i-1)*float64(h.Interval)
	case i == zeroBucket:
		return 0
	case i > zeroBucket:
		return math.Ldexp(1, i-zeroBucket-1)
	}
	return 1 - math.Ldexp(1, zeroBucket-i)
}

// Label is the label of bucket i of n: the value in it that is nearest to zero or, in a linear
// histogram, the least.
func (h Hist) Label(i, n int) string {
	switch {
	case h.Linear && i == 0:
		return "<" + strconv.FormatInt(h.Low, 10)
	case h.Linear && i == n-1:
		return ">" + strconv.FormatInt(h.High, 10)
	case h.Linear || i >= zeroBucket:
		return strconv.FormatFloat(h.LowerBound(i), 'f', -1, 64)
	}
	return strconv.FormatFloat(h.UpperBound(i, n), 'f', -1, 64)
}

// Filled returns the indexes of the first and the last bucket that is not empty; false if all are
// empty.
func Filled(buckets []int64) (first, last int, ok bool) {
	first = -1
	for i, n := range buckets {
		if n != 0 {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	return first, last, first >= 0
}
