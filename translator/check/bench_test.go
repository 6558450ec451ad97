// SPDX-License-Identifier: GPL-2.0-or-later

package check

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gostap/translator/program"
)

// manyProbes is a script of n probes with different bodies, which share globals and functions.
func manyProbes(n int) []byte {
	var b bytes.Buffer
	b.WriteString("global hits, times, names, total\n")
	b.WriteString("function note (name, n) { hits[name]++; total += n; if (n > 3) return n; return note(name, n + 1) }\n")
	for i := range n {
		fmt.Fprintf(&b, `probe begin {
	name = execname() . ":%d"
	unused = pid()
	if (note(name, %d) > 2) { times[name, tid()] <<< %d; names[%d] = name }
	foreach (k in hits- limit 5) printf("%%s %%d\n", k, hits[k])
}
`, i, i, i, i)
	}
	b.WriteString("probe end { foreach ([a, b] in times) println(@count(times[a, b]), names[b], total) }\n")
	return b.Bytes()
}

func prepare(t testing.TB, text []byte) *program.Elaborated {
	files, diags := parse(t, "bench.stp", text, false)
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	resolve(files...)
	return elaborateTest(files...)
}

// BenchmarkCheck shows that the check takes time in proportion to the script.
func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10000} {
		b.Run(fmt.Sprintf("%d-probes", n), func(b *testing.B) {
			e := prepare(b, manyProbes(n))
			for b.Loop() {
				if _, diags := Check(e, Options{}); diags.Err() != nil {
					b.Fatal(diags)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "µs/probe")
		})
	}
}

// BenchmarkShared checks one body that is attached to many points, as with wildcards.
func BenchmarkShared(b *testing.B) {
	for _, n := range []int{10, 10000} {
		b.Run(fmt.Sprintf("%d-probes", n), func(b *testing.B) {
			e := prepare(b, []byte(`global a probe begin { x = 3; a[execname()] <<< pid() } probe end { foreach (k in a) println(@sum(a[k])) }`))
			one := *e.Probes[0]
			for range n - 1 {
				p := one
				e.Probes = append(e.Probes, &p)
			}
			for b.Loop() {
				Check(e, Options{})
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "µs/probe")
		})
	}
}

// TestHostile checks scripts that could make a check slow or its recursion deep. Work is measured by
// allocations, which must grow in proportion to the script.
func TestHostile(t *testing.T) {
	repeat := strings.Repeat
	scripts := map[string]func(n int) string{
		"chain of dead assignments": func(n int) string {
			var b strings.Builder
			b.WriteString("probe begin { a0 = 1; ")
			for i := range n {
				fmt.Fprintf(&b, "a%d = a%d; ", i+1, i)
			}
			return b.String() + "println(1) }"
		},
		"the same backwards": func(n int) string {
			var b strings.Builder
			b.WriteString("probe begin { while (pid()) { ")
			for i := n; i > 0; i-- {
				fmt.Fprintf(&b, "a%d = a%d; ", i, i-1)
			}
			return b.String() + "a0 = 1 } println(1) }"
		},
		"chain of calls": func(n int) string {
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, "function f%d (x) { return f%d(x) }\n", i, i+1)
			}
			return b.String() + fmt.Sprintf("function f%d (x) { return x }\nprobe begin { println(f0(1)) }", n)
		},
		"unknown functions": func(n int) string {
			return "probe begin { " + repeat("nosuch(1) ", n) + "}"
		},
		"unknown variables": func(n int) string {
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, "probe begin { println(variable%d) }\n", i)
			}
			return b.String()
		},
		"one sum": func(n int) string { return "probe begin { x = 1; println(x" + repeat(" + x", n) + ") }" },
		"type errors": func(n int) string {
			return "probe begin { println(" + repeat(`strlen(1) + `, n) + "1) }"
		},
		"nested loops": func(n int) string {
			n /= 20
			return "global a probe begin { a[1] = 1; " + repeat("foreach (k in a) { println(k) ", n) + repeat("}", n) + " }"
		},
		"nested blocks": func(n int) string {
			n /= 20
			return "probe begin { " + repeat("if (pid()) { ", n) + "x = 1 " + repeat("}", n) + " println(1) }"
		},
		"overloads": func(n int) string {
			return repeat("function f (x) { if (x) next; println(x) }\n", n) + "probe begin { f(1) }"
		},
	}
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			work := func(n int) uint64 {
				files, diags := parse(t, "hostile.stp", []byte(script(n)), false)
				if err := diags.Err(); err != nil {
					t.Fatal(err)
				}
				e := elaborateTest(files...)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				Check(e, Options{})
				runtime.ReadMemStats(&after)
				return after.TotalAlloc - before.TotalAlloc
			}
			const small, large = 500, 5000
			if s, l := work(small), work(large); l > 25*s {
				t.Errorf("%d bytes for %d, but %d for %d", s, small, l, large)
			}
		})
	}
}

// FuzzCheck checks whatever parses; neither step may panic.
func FuzzCheck(f *testing.F) {
	files, err := filepath.Glob("testdata/*.stp")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, chunk := range bytes.Split(data, []byte("\n---\n")) {
			f.Add(string(chunk))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		files, diags := parse(t, "fuzz.stp", []byte(text), true)
		if diags.Err() != nil {
			return
		}
		resolve(files...)
		prog, diags := Check(elaborateTest(files...), Options{Guru: true, Unoptimized: len(text)%7 == 0})
		if (prog == nil) != (diags.Err() != nil) {
			t.Errorf("program %v with %v", prog != nil, diags)
		}
		if prog == nil {
			return
		}
		complete(t, prog)
		if err := Dump(&bytes.Buffer{}, prog, true); err != nil {
			t.Error(err)
		}
	})
}
