// SPDX-License-Identifier: GPL-2.0-or-later

package panics_test

import (
	"errors"
	"strings"
	"testing"

	"gostap/internal/panics"
)

type place string

func (p place) IsValid() bool  { return p != "" }
func (p place) String() string { return string(p) }

// broken panics.
func broken() int {
	var list []int
	return list[1]
}

// located panics at inner within work at outer.
func located(outer, inner place) (err error) {
	defer panics.Catch(&err)
	at := outer
	defer panics.At(&at)
	func() {
		at := inner
		defer panics.At(&at)
		broken()
	}()
	return nil
}

func TestPlaces(t *testing.T) {
	for _, c := range []struct{ outer, inner, want place }{{"a", "b", "b"}, {"a", "", "a"}} {
		var e *panics.Error
		if err := located(c.outer, c.inner); !errors.As(err, &e) || e.Place != c.want {
			t.Errorf("%v: %v, %+v", c, err, e)
			continue
		}
		if got := e.Error(); got != "internal error: runtime error: index out of range [1] with length 0" {
			t.Error(got)
		}
		if !strings.Contains(string(e.Stack), "panics_test.broken") {
			t.Errorf("the trace does not show where it was:\n%s", e.Stack)
		}
	}
	if err := located("", ""); err.(*panics.Error).Place != nil {
		t.Errorf("a place that is none: %+v", err)
	}
}

func TestNothing(t *testing.T) {
	want := errors.New("ordinary")
	got := func() (err error) {
		defer panics.Catch(&err)
		at := place("x")
		defer panics.At(&at)
		return want
	}()
	if got != want {
		t.Error(got)
	}
}

// TestGroup: a panic in a goroutine is passed on to the goroutine that waits, after the others have
// ended.
func TestGroup(t *testing.T) {
	done := make(chan bool, 1)
	err := func() (err error) {
		defer panics.Catch(&err)
		var g panics.Group
		g.Go(func() { broken() })
		g.Go(func() { done <- true })
		g.Wait()
		return nil
	}()
	var e *panics.Error
	if !errors.As(err, &e) || !strings.Contains(string(e.Stack), "panics_test.broken") {
		t.Fatalf("%v", err)
	}
	if len(done) != 1 {
		t.Error("the other goroutine was not waited for")
	}
	rethrown := func() (err error) {
		defer panics.Catch(&err)
		return panics.Rethrow(e)
	}()
	if rethrown != e {
		t.Errorf("thrown again it is %v", rethrown)
	}
	if want := errors.New("ordinary"); panics.Rethrow(want) != want || panics.Rethrow(nil) != nil {
		t.Error("ordinary errors are not returned")
	}
}
