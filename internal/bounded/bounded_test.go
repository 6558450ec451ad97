// SPDX-License-Identifier: GPL-2.0-or-later

package bounded

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// sink keeps allocated memory alive.
var sink [][]byte

func TestRun(t *testing.T) {
	stop := make(chan bool)
	defer close(stop)
	ordinary := errors.New("ordinary")
	for _, c := range []struct {
		what   string
		limits Limits
		work   func() error
		want   string // the beginning of the error
	}{
		{"success", Limits{time.Minute, time.Minute, 1 << 40, 1 << 30}, func() error { return nil }, ""},
		{"error", Limits{}, func() error { return ordinary }, "ordinary"},
		{"panic", Limits{}, func() error { panic("broken") }, "internal error: broken at <nil>\ngoroutine "},
		{"endless", Limits{Time: 200 * time.Millisecond}, func() error {
			for {
				select {
				case <-stop:
					return nil
				default:
				}
			}
		}, "it takes longer than 200ms\ngoroutine "},
		{"asleep", Limits{Time: time.Hour, Wall: 300 * time.Millisecond}, func() error { <-stop; return nil }, "it takes longer than 300ms\n"},
		{"garbage", Limits{Allocated: 1 << 20}, func() error {
			for range 100 {
				sink = [][]byte{make([]byte, 1<<18)}
			}
			return nil
		}, "it took 2"},
		{"heap", Limits{Heap: 64 << 20}, func() error {
			for range 128 {
				sink = append(sink, make([]byte, 1<<20))
			}
			<-stop
			return nil
		}, "it takes 1"},
	} {
		err := c.limits.Run(c.work)
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	sink = nil
}
