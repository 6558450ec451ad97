// SPDX-License-Identifier: GPL-2.0-or-later

package probetype_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gostap/elaborate/internal/compiled"
	"gostap/elaborate/internal/elaborated"
)

const throwing = `
__attribute__((noipa)) int odd(int n) { if (n & 1) throw n; return n; }
__attribute__((noipa)) int tail(int n) { return odd(n + 1); }
__attribute__((noipa)) int caught(int n) { try { return odd(n); } catch (int) { return 1; } }
int main(int argc, char **argv) { return caught(argc) + tail(argc); }
`

// TestExceptions warns of uretprobes in programs of C++.
func TestExceptions(t *testing.T) {
	path := compiled.Program(t, throwing, "-x", "c++", "-O2", "-g", "-Wl,--push-state,--no-as-needed,-lstdc++,--pop-state")
	for function, want := range map[string]string{"caught": "", "odd": "", "tail": "tail, of " + path + ", is left by a jump"} {
		_, diags := elaborated.OnProgram(t, fmt.Sprintf(`probe process(%q).function(%q).return { }`, path, function))
		if got := fmt.Sprint(diags); want == "" && diags != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", function, got, want)
		}
	}
}

// A wildcard does not stand for these.
func TestExceptionsWild(t *testing.T) {
	path := compiled.Program(t, throwing, "-x", "c++", "-O2", "-g", "-Wl,--push-state,--no-as-needed,-lstdc++,--pop-state")
	e, diags := elaborated.OnProgram(t, fmt.Sprintf(`probe process(%q).function("[oct][dai]*").return { }`, path))
	var names []string
	for _, point := range e.Probes[0].Points {
		names = append(names, point.Func)
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{"caught", "odd"}) || !strings.Contains(fmt.Sprint(diags), "1 of 3 functions of "+path+" are left out") {
		t.Errorf("%v: %v", names, diags)
	}
}

// TestCoroutine names the function in which a coroutine is resumed, which stands in no line.
func TestCoroutine(t *testing.T) {
	const text = `
#include <coroutine>
struct generator {
	struct promise_type {
		int v;
		generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
		std::suspend_always initial_suspend() { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		std::suspend_always yield_value(int x) { v = x; return {}; }
		void return_void() {}
		void unhandled_exception() {}
	};
	std::coroutine_handle<promise_type> h;
};
generator count(int n) { for (int i = 0; i < n; i++) co_yield i; }
int main() { auto g = count(5); g.h.resume(); }
`
	path := compiled.Program(t, text, "-x", "c++", "-std=c++20", "-O1", "-g", "-Wl,--push-state,--no-as-needed,-lstdc++,--pop-state")
	got := points(t, path, `function("count")`)
	if len(got) != 3 || !strings.Contains(got[0], `.function("count") `) || !strings.Contains(got[1], `.function("count") `) || !strings.Contains(got[2], `.function("count@`) {
		t.Errorf("%q", got)
	}
}
