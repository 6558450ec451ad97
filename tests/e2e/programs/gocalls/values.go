// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"errors"
	"fmt"
)

type shape interface{ area() int }

type square struct{ side, scale int }

func (s *square) area() int { return s.side * s.side * s.scale }

type failure struct {
	op   string
	code int32
}

func (f *failure) Error() string { return f.op }

type order struct {
	price float64
	tags  []string
	stock map[string]int
	last  error
	raw   []byte
}

//go:noinline
func split(s string, n int) (head, tail string, err error) {
	if n < 0 {
		return "", "", &failure{"split", int32(n)}
	}
	if n > len(s) {
		return "", "", errors.New("too short")
	}
	return s[:n], s[n:], nil
}

//go:noinline
func half(x float64, n int) (float32, string) { return float32(x / 2), fmt.Sprint(n) }

//go:noinline
func twice(n int16) int { return 2 * int(n) }

// The result is on the stack: arrays are not passed in registers.
//
//go:noinline
func triple(a [2]int, n int) (r [3]int, ok bool) { return [3]int{a[0], a[1], n}, true }

//go:noinline
func show(o *order, numbers []int32, sh shape, any interface{}, f float64, g float32) int {
	return len(numbers) + sh.area() + int(f) + int(g)
}

// sizes has maps of few elements, of many that were taken out again, and of none.
//
//go:noinline
func sizes(m map[int]int, sparse map[int]string, none map[string]int) int {
	return len(m) + len(sparse) + len(none)
}

//go:noinline
func large(m map[int]bool) int { return len(m) }

func values() {
	split("gostap", 2)
	split("gostap", 9)
	split("gostap", -1)
	half(5, 7)
	twice(-21)
	triple([2]int{1, 2}, 3)
	o := &order{1.25, []string{"a", "bc"}, map[string]int{"x": 1}, errors.New("out"), []byte("GET\x00/")}
	sh := &square{3, 2}
	show(o, []int32{1, -2, 3}, sh, 42, 2.5, -0.75)
	o.stock = nil
	show(o, []int32{1, 2, 3, 4, 5, 6, 7}, sh, "text", 1e10, 3)
	show(o, nil, sh, nil, 0, 0)
	show(o, nil, sh, uint8(200), 0, 0)
	m := map[int]bool{}
	for i := range 100 {
		m[i] = true
	}
	large(m)
	sparse := map[int]string{}
	for i := range 300 {
		sparse[i] = fmt.Sprint(i)
	}
	for i := range 300 {
		if i != 77 && i != 290 {
			delete(sparse, i)
		}
	}
	sizes(map[int]int{3: 9}, sparse, nil)
}
