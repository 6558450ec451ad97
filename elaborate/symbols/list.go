// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"math"

	"github.com/pkg/errors"
)

// EncodeFunctions encodes functions in the form of the index, for OpenFunctions. Their
// Offsets count from the first.
func EncodeFunctions(list []Func) ([]byte, error) {
	start := uint64(0)
	for i := range list {
		if i == 0 || list[i].Addr < start {
			start = list[i].Addr
		}
	}
	for i := range list {
		f := &list[i]
		if f.Addr-start > math.MaxInt32 {
			return nil, errors.New("its functions lie more than 2 GiB apart")
		}
		f.Offset = int64(f.Addr - start)
	}
	sortFuncs(list)
	return encodeIndex(list, start, 0), nil
}

// OpenFunctions decodes the data of EncodeFunctions, to which the result refers.
func OpenFunctions(data []byte) (*Functions, error) {
	x, err := openIndex(data)
	return &Functions{x}, err
}
