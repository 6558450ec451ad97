// SPDX-License-Identifier: GPL-2.0-or-later

// Gocalls calls functions in many goroutines, whose stacks grow.
package main

import (
	"os"
	"runtime"
	"sync"
)

type item struct {
	name  string
	count int
}

//go:noinline
func (it *item) take(n int, what string) (int, error) {
	it.count += n
	return it.count + len(what), nil
}

//go:noinline
func deep(n, x int) int {
	var room [128]byte
	room[n%len(room)] = byte(x)
	if n%16 == 0 {
		runtime.Gosched()
	}
	if n == 0 {
		return x + int(room[1]&0)
	}
	return deep(n-1, x+1) + 1 + int(room[(n+1)%len(room)])
}

func main() {
	it := &item{name: "apples", count: 1}
	for i := range 3 {
		it.take(i, "more")
	}
	values()
	if len(os.Args) > 1 {
		map[string]func(){"preempt": preempt, "wait": wait}[os.Args[1]]()
	}
	var group sync.WaitGroup
	for i := range 20 {
		group.Add(1)
		go func() {
			defer group.Done()
			if deep(199, i) != i+2*199 {
				panic("wrong")
			}
		}()
	}
	group.Wait()
}
