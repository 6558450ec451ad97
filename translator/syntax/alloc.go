// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

// A slab allocates nodes of one type in batches, which grow with the file.
type slab[T any] struct {
	free []T
	size int
}

func (s *slab[T]) new() *T {
	if len(s.free) == 0 {
		s.size = min(2*s.size+4, 128)
		s.free = make([]T, s.size)
	}
	n := &s.free[0]
	s.free = s.free[1:]
	return n
}

// A lists allocates slices in batches.
type lists[T any] struct {
	free []T
	size int
}

// take returns an empty slice of capacity n.
func (l *lists[T]) take(n int) []T {
	if n > len(l.free) {
		l.size = min(2*l.size+8, 512)
		l.free = make([]T, max(l.size, n))
	}
	list := l.free[:0:n]
	l.free = l.free[n:]
	return list
}

// copy returns a copy of list, nil if it is empty.
func (l *lists[T]) copy(list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return append(l.take(len(list)), list...)
}
