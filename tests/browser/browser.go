// SPDX-License-Identifier: GPL-2.0-or-later

// Package browser starts Chromium for tests of pages, which then use chromedp.
package browser

import (
	"context"
	"os/exec"
	"testing"
	"time"

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
