// SPDX-License-Identifier: GPL-2.0-or-later

// Gomany makes a given number of calls in short-lived goroutines: down a stack that grows, and up again
// by returning or by a panic, which is recovered halfway. It prints the number of calls and of returns.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
)

const depth = 199 // 40 kB of stack; a goroutine begins with 2 or 8

//go:noinline
func down(n, x int) int {
	var room [128]byte
	room[n%len(room)] = byte(x)
	if n%64 == 0 {
		runtime.Gosched()
	}
	if n == 0 {
		return x + int(room[1]&0)
	}
	return down(n-1, x+1) + 1 + int(room[(n+1)%len(room)])
}

//go:noinline
func fall(n int) int {
	var room [64]byte
	room[n%len(room)] = 1
	if n == 0 {
		panic("fallen")
	}
	return fall(n-1) + int(room[(n+1)%len(room)])
}

//go:noinline
func caught(n int) (at int) {
	defer func() {
		if recover() == nil {
			panic("nothing to recover from")
		}
		at = n
	}()
	return fall(n)
}

// climb comes back from n calls of its own, the innermost of which has recovered from a panic.
//
//go:noinline
func climb(n int) int {
	if n == 0 {
		return caught(depth / 2)
	}
	return climb(n-1) + 1
}

func check(got, want int) {
	if got != want {
		panic(fmt.Sprint(got, " instead of ", want))
	}
}

func main() {
	atLeast, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	var group sync.WaitGroup
	places := make(chan bool, 16) // number of concurrent goroutines
	downs, falls, caughts, climbs := 0, 0, 0, 0
	for i := 0; downs+falls+caughts+climbs < atLeast; i++ {
		panics := i%4 == 3
		if panics {
			falls, caughts, climbs = falls+depth/2+1, caughts+1, climbs+depth/2+1
		} else {
			downs += depth + 1
		}
		if i%2000 == 1999 {
			runtime.GC() // shrinks stacks
		}
		places <- true
		group.Add(1)
		go func() {
			defer group.Done()
			defer func() { <-places }()
			if panics {
				check(climb(depth/2), depth/2+depth/2)
			} else {
				check(down(depth, i), i+2*depth)
			}
		}()
	}
	group.Wait()
	fmt.Println("down", downs, downs)
	fmt.Println("fall", falls, 0)
	fmt.Println("caught", caughts, caughts)
	fmt.Println("climb", climbs, climbs)
	fmt.Println("wrong", 0)
}
