// SPDX-License-Identifier: GPL-2.0-or-later

// Gocgo calls a function of C from a goroutine whose stack has grown.
package main

/*
__attribute__((noinline)) int leaf(int n) { __asm__(""); return n + 1; }
__attribute__((noinline)) int outer(int n) { return leaf(n) * 2; }
*/
import "C"

import "fmt"

//go:noinline
func call(n int) int { return int(C.outer(C.int(n))) }

//go:noinline
func deep(n int) int {
	var frame [256]byte
	if n == 0 {
		return call(int(frame[0]) + 20)
	}
	return deep(n-1) + int(frame[n%256])
}

func main() {
	done := make(chan int)
	go func() { done <- deep(100) }()
	fmt.Println(<-done)
}
