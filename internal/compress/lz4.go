// SPDX-License-Identifier: GPL-2.0-or-later

package compress

import (
	"encoding/binary"
	"runtime"

	"github.com/pierrec/lz4/v4"
	"github.com/pkg/errors"

	"gostap/internal/panics"
)

// lz4Block is the size of each decompressed block of a legacy frame, except the last.
const lz4Block = 8 << 20

// unlz4 decompresses a legacy frame, without its magic number, to n bytes, or to
// as many as it holds for 0. Its blocks are independent, so all CPUs share them.
func unlz4(frame []byte, n int) ([]byte, error) {
	blocks := lz4Blocks(frame)
	if len(blocks) == 0 {
		return nil, errors.New("truncated")
	}
	if len(blocks) > maxSize/lz4Block {
		return nil, errors.Errorf("more than %d MiB", maxSize>>20)
	}
	if n > 0 && (n > len(blocks)*lz4Block || n <= (len(blocks)-1)*lz4Block) {
		return nil, errors.Errorf("%d blocks can't hold %d bytes", len(blocks), n)
	}
	data := make([]byte, len(blocks)*lz4Block)
	sizes := make([]int, len(blocks))
	errs := make([]error, len(blocks))
	var group panics.Group
	limit := make(chan struct{}, runtime.NumCPU())
	for i, block := range blocks {
		limit <- struct{}{}
		group.Go(func() {
			defer func() { <-limit }()
			sizes[i], errs[i] = lz4.UncompressBlock(block, data[i*lz4Block:(i+1)*lz4Block])
		})
	}
	group.Wait()
	size := 0
	for i := range blocks {
		if errs[i] != nil {
			return nil, errs[i]
		}
		if size != i*lz4Block {
			return nil, errors.New("a block that is not full")
		}
		size += sizes[i]
	}
	if n > 0 && size != n {
		return nil, errors.Errorf("%d bytes instead of %d", size, n)
	}
	return data[:size], nil
}

// lz4Blocks returns a frame's blocks. A frame has no end mark: it ends before the first data that can't be a block.
func lz4Blocks(frame []byte) [][]byte {
	var blocks [][]byte
	for len(frame) > 4 {
		n := int(binary.LittleEndian.Uint32(frame))
		if n == 0 || n > len(frame)-4 {
			break
		}
		blocks = append(blocks, frame[4:4+n])
		frame = frame[4+n:]
	}
	return blocks
}
