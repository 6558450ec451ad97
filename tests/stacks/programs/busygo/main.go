// SPDX-License-Identifier: GPL-2.0-or-later

// Busygo does, in an endless loop, what makes stacks of all kinds in a Go program: goroutines whose
// stacks grow, channels, maps, interfaces, deferred functions and panics, and garbage collection.
package main

import (
	"errors"
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

type shape interface{ area(depth int) float64 }

type square struct{ side float64 }

//go:noinline
func (s square) area(depth int) float64 {
	sum := 0.0
	for i := range 50 {
		sum += s.side * float64(i)
	}
	if depth > 0 {
		sum += s.area(depth - 1)
	}
	return sum
}

type pile []shape

func (p pile) area(depth int) float64 {
	sum := 0.0
	for _, s := range p {
		sum += s.area(depth)
	}
	return sum
}

var errDeep = errors.New("deep")

//go:noinline
func thrower(depth int) int {
	var room [200]byte
	room[depth%len(room)] = 1
	if depth == 0 {
		panic(errDeep)
	}
	return thrower(depth-1) + int(room[0])
}

func catcher(depth int) (err error) {
	defer func() { err, _ = recover().(error) }()
	thrower(depth)
	return nil
}

var words = regexp.MustCompile(`(\w+)=(\d+)`)

func round(n int) string {
	seen := map[string]int{}
	for i := range 100 {
		seen[strconv.Itoa(i*n)] += i
	}
	var keys []string
	for k := range seen {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return seen[keys[i]] < seen[keys[j]] })
	text := words.ReplaceAllStringFunc("a=1, bc=22, d=333", func(s string) string { return strings.ToUpper(s) + keys[0] })
	if catcher(n%40) != errDeep {
		panic("not caught")
	}
	return fmt.Sprintf("%s %v %q", text, pile{square{1}, pile{square{2}, square{float64(n)}}}.area(n%8), keys[:2])
}

func main() {
	lines := make(chan string)
	for worker := range 3 {
		go func() {
			for n := worker + 1; ; n++ {
				lines <- round(n)
			}
		}()
	}
	var last string
	for line := range lines {
		last = line + last[:min(len(last), 100)]
	}
}
