// SPDX-License-Identifier: GPL-2.0-or-later

package live

import (
	"cmp"
	"encoding/json"
	"strconv"

	"gostap/output/profile"
)

// A Value is a key or a value: a number, a string, or statistics.
type Value struct {
	Kind   string
	Number int64
	Text   string // any bytes
	Stats  *Stats
}

// String formats v on one line: a string without control characters, statistics as their count.
func (v Value) String() string {
	switch v.Kind {
	case String:
		return profile.Clean(v.Text)
	case Statistics:
		return strconv.FormatInt(v.Stats.Count, 10)
	}
	return strconv.FormatInt(v.Number, 10)
}

// Compare compares values of one kind: statistics by their counts.
func (v Value) Compare(w Value) int {
	switch v.Kind {
	case String:
		return cmp.Compare(v.Text, w.Text)
	case Statistics:
		return cmp.Compare(v.Stats.Count, w.Stats.Count)
	}
	return cmp.Compare(v.Number, w.Number)
}

// MarshalJSON writes the number, the string or the statistics. Bytes that are not valid UTF-8 become
// U+FFFD. A number that JavaScript would round is written as a string of digits.
func (v Value) MarshalJSON() ([]byte, error) {
	const exact = 1 << 53
	switch {
	case v.Kind == String:
		return json.Marshal(v.Text)
	case v.Kind == Statistics:
		return json.Marshal(v.Stats)
	case v.Number > exact || v.Number < -exact:
		return json.Marshal(strconv.FormatInt(v.Number, 10))
	}
	return json.Marshal(v.Number)
}
