// SPDX-License-Identifier: GPL-2.0-or-later

package vars_test

import (
	"strings"
	"testing"

	"gostap/elaborate/internal/elaborated"
	"gostap/elaborate/internal/testkernel"
)

func TestCastByHeaders(t *testing.T) {
	release := testkernel.Releases(t)[0]
	for _, c := range []struct{ x, want string }{
		{`@cast(8, "timeval", "<sys/time.h>")->tv_usec`, `s8[user ({8} + 8)]`},
		{`@cast(8, "struct stat", "<sys/time.h><sys/stat.h>")->st_size`, `s8[user ({8} + 48)]`},
		{`&@cast(0, "struct tm", "<time.h>")[1]`, `({0} + 56)`},
		{`@cast(8, "timeval", "/no/such/file:<time.h>:<sys/time.h>")->tv_usec`, `s8[user ({8} + 8)]`},
		{`@cast(8, "nosuch", "/no/such/file:<sys/time.h>")->x`, `@cast: <sys/time.h> has no type "nosuch"`},
		{`@cast(8, "nosuch", "<sys/time.h>")->x`, `@cast: <sys/time.h> has no type "nosuch"`},
		{`@cast(8, "nosuch", "<no/such.h>")->x`, `@cast: <no/such.h> can't be compiled`},
	} {
		for range 2 { // the second time from the cache
			e, diags := elaborated.OnKernel(t, release, "probe begin { print("+c.x+") }")
			if err := diags.Err(); err != nil {
				t.Fatal(err)
			}
			if got := elaborated.Values(e.Probes[0])[0]; !strings.Contains(got, c.want) {
				t.Errorf("%s is %s; should have %s", c.x, got, c.want)
			}
		}
	}
}
