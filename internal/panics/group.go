// SPDX-License-Identifier: GPL-2.0-or-later

package panics

import (
	"errors"
	"sync"
)

// A Group is a set of goroutines, like a sync.WaitGroup. A panic in one of them is passed on to the
// goroutine that waits for them.
type Group struct {
	wait  sync.WaitGroup
	once  sync.Once
	panic *Error // the first
}

// Go runs f in a goroutine.
func (g *Group) Go(f func()) {
	g.wait.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				g.once.Do(func() { g.panic = Of(p) })
			}
		}()
		f()
	})
}

// Wait waits for all goroutines.
func (g *Group) Wait() {
	g.wait.Wait()
	if g.panic != nil {
		panic(g.panic)
	}
}

// Rethrow panics again with an error that Catch has made of a panic; it returns other errors.
func Rethrow(err error) error {
	var e *Error
	if errors.As(err, &e) {
		panic(e)
	}
	return err
}
