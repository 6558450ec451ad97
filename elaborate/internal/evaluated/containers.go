// SPDX-License-Identifier: GPL-2.0-or-later

package evaluated

import "encoding/binary"

func (p *process) word(addr int64) int64 {
	return int64(binary.LittleEndian.Uint64(p.load(uint64(addr), 8)))
}

// swissSlot is __go_swiss_slot: the slot of a Swiss map's n-th element.
func (p *process) swissSlot(dir, tables, dataAt, size, slotsAt, slotSize, n int64) int64 {
	last := int64(0)
	for i := int64(0); i < max(tables, 1); i++ {
		groups, mask := dir, int64(0)
		if tables > 0 {
			table := p.word(dir + 8*i)
			if table == last {
				continue
			}
			last, groups, mask = table, p.word(table+dataAt), p.word(table+dataAt+8)
		}
		for g := int64(0); g <= mask; g++ {
			for slot, control := range p.load(uint64(groups+g*size), 8) {
				if control&0x80 == 0 {
					if n == 0 {
						return groups + g*size + slotsAt + int64(slot)*slotSize
					}
					n--
				}
			}
		}
	}
	return 0
}

// bucketSlot is __go_bucket_slot of a map that does not grow.
func (p *process) bucketSlot(buckets, count, size, n int64) int64 {
	for i := range count {
		for addr := buckets + i*size; addr != 0; addr = p.word(addr + size - 8) {
			for slot, top := range p.load(uint64(addr), 8) {
				if top >= 5 {
					if n == 0 {
						return addr + int64(slot)
					}
					n--
				}
			}
		}
	}
	return 0
}

// treeNode is __tree_node: n nodes on from one.
func (p *process) treeNode(node, n int64) int64 {
	const parent, left, right = 8, 16, 24
	for range n {
		if next := p.word(node + right); next != 0 {
			for node = next; p.word(node+left) != 0; node = p.word(node + left) {
			}
			continue
		}
		next := p.word(node + parent)
		for p.word(next+right) == node {
			node, next = next, p.word(next+parent)
		}
		node = next
	}
	return node
}
