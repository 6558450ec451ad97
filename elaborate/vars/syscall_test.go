// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import "testing"

func TestDeclare(t *testing.T) {
	for text, want := range map[string]declared{
		"u32 __user *uaddr":                             {"uaddr", "u32*", true},
		" const struct __kernel_timespec\n\t__user *ts": {"ts", "struct __kernel_timespec*", true},
		"unsigned int fd":                               {"fd", "unsigned int", false},
		"const char __user *const __user *argv":         {"argv", "char**", true},
		"int fildes[]":                                  {"fildes", "int*", false},
		"struct pollfd __user * ufds":                   {"ufds", "struct pollfd*", true},
		"unsigned long":                                 {"long", "unsigned", false},
		"void":                                          {},
	} {
		if d := declare(text); d != want {
			t.Errorf("%q is %+v, want %+v", text, d, want)
		}
	}
}
