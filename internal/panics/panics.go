// SPDX-License-Identifier: GPL-2.0-or-later

// Package panics turns panics into errors: a bug in gostap ends a command with an error that names the
// position in the script, and does not crash the process.
//
// A pass keeps where it is, and has that added to whatever panics in it:
//
//	func Elaborate(…) … {
//		s := newSession()
//		defer panics.At(&s.at)
//
// The command, and every goroutine, for which nobody else could, ends it:
//
//	group.Go(func() (err error) {
//		defer panics.Catch(&err)
package panics

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// An Error is a panic of gostap's own.
type Error struct {
	Value any
	Pass  string // "pass 2, elaborate"; "" outside of the passes
	Place Place  // in the script; nil if nothing there was being worked on
	Stack []byte
}

// A Place is a syntax.Pos.
type Place interface {
	IsValid() bool
	String() string
}

func (e *Error) Error() string { return fmt.Sprintf("internal error: %v", e.Value) }

// Of returns the error for a recovered value, which may be such an error already.
func Of(recovered any) *Error {
	var e *Error
	if err, ok := recovered.(error); ok && errors.As(err, &e) {
		return e
	}
	return &Error{Value: recovered, Stack: debug.Stack()}
}

// Catch, when deferred, ends a panic as an error.
func Catch(err *error) {
	if p := recover(); p != nil {
		*err = Of(p)
	}
}

// At, when deferred, turns a panic into one with an *Error that has the position.
func At[P Place](place *P) {
	if p := recover(); p != nil {
		e := Of(p)
		if e.Place == nil && (*place).IsValid() {
			e.Place = *place
		}
		panic(e)
	}
}
