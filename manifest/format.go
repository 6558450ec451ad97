// SPDX-License-Identifier: GPL-2.0-or-later

package manifest

import (
	"encoding/json"
	"unicode/utf8"
)

// A Format is one printf of the script; GS_REC_PRINT contains its index.
type Format struct {
	Format string // any bytes
	Args   string // a letter each: 'l' long, 's' string
}

// formatJSON is a Format in JSON, whose strings are UTF-8.
type formatJSON struct {
	Format string
	Args   string
	Bytes  []byte `json:",omitempty"` // instead of Format
}

// MarshalJSON implements json.Marshaler.
func (f Format) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(f.Format) {
		return json.Marshal(formatJSON{Format: f.Format, Args: f.Args})
	}
	return json.Marshal(formatJSON{Bytes: []byte(f.Format), Args: f.Args})
}

// UnmarshalJSON implements json.Unmarshaler.
func (f *Format) UnmarshalJSON(text []byte) error {
	var j formatJSON
	err := json.Unmarshal(text, &j)
	f.Format, f.Args = j.Format, j.Args
	if j.Bytes != nil {
		f.Format = string(j.Bytes)
	}
	return err
}
