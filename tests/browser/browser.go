// SPDX-License-Identifier: GPL-2.0-or-later

// Package browser shows pages in Chromium, for their tests.
package browser

import (
	"context"
	"encoding/json"
	"os/exec"
	"reflect"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Start starts a browser that ends with the test, or after two minutes, and returns the context of a
// tab.
func Start(t testing.TB) context.Context {
	t.Helper()
	if _, err := exec.LookPath("chromium"); err != nil {
		t.Fatal("there is no chromium: run tests/setup test")
	}
	ctx, end := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(end)
	ctx, end = chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium"), chromedp.NoSandbox)...)
	t.Cleanup(end)
	ctx, end = chromedp.NewContext(ctx)
	t.Cleanup(end)
	return ctx
}

// A Page is a page in a window of 1200 by 900 pixels.
type Page struct {
	Ctx context.Context
	t   testing.TB
}

// Open opens a page, whose scripts must not fail.
func Open(t testing.TB, url string) *Page {
	t.Helper()
	p := &Page{Start(t), t}
	err := chromedp.Listen(p.Ctx, func(event any) {
		if e, ok := event.(*runtime.EventExceptionThrown); ok {
			t.Errorf("the page fails: %s: %+v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Run(chromedp.EmulateViewport(1200, 900), chromedp.Navigate(url))
	return p
}

// Run carries out actions.
func (p *Page) Run(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.Ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// Script is the action of running a script in the page.
func Script(text string) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](text)
}

// Want compares the value of an expression in the page, as JSON.
func (p *Page) Want(expression, want string) {
	p.t.Helper()
	have, err := chromedp.Run(p.Ctx, chromedp.Evaluate[any](expression))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	var expected any
	if err := json.Unmarshal([]byte(want), &expected); err != nil {
		p.t.Fatal(err)
	}
	if !reflect.DeepEqual(have, expected) {
		text, _ := json.Marshal(have)
		p.t.Errorf("%s is %s, not %s", expression, text, want)
	}
}
