// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"gostap/elaborate"
	"gostap/elaborate/image"
	"gostap/elaborate/library"
	"gostap/tapsets"
	"gostap/translator/check"
	"gostap/translator/syntax"
)

// front measures the passes that depend only on the text: parsing, as part of a whole run of the
// program and of texts that grow, and checking, whose time must be proportional to the script.
func front(b *bench) error {
	if err := b.parsing(); err != nil {
		return err
	}
	growth()
	return checking()
}

func (b *bench) parsing() error {
	fmt.Printf("pass 1 in a new process, shortest of %d\n", repeats)
	fmt.Printf("%-36s %10s %10s\n", "", "gostap", "limit")
	small, err := b.pass1("examples/vfs-reads.stp")
	if err != nil {
		return err
	}
	fmt.Printf("%-36s %10s %10s\n", "the tapset library and a script", tenths(small), "20 ms")
	file := filepath.Join(b.dir, "long.stp")
	if err := os.WriteFile(file, longScript(10000), 0o666); err != nil {
		return err
	}
	large, err := b.pass1(file)
	if err != nil {
		return err
	}
	fmt.Printf("%-36s %10s %10s\n", "more for 10,000 lines of script", tenths(large-small), "5 ms")
	return nil
}

var passTime = regexp.MustCompile(`Pass 1: parse +([\d.]+) (ms)`)

// pass1 is the time for parsing, including the library, as -v prints it.
func (b *bench) pass1(script string) (time.Duration, error) {
	best := time.Hour
	for range repeats {
		cmd, err := runQuietly(b.gostap, "-v", "-p1", "-r", b.release, script)
		if err != nil {
			return 0, err
		}
		said := cmd.Stderr.(*bytes.Buffer).String()
		m := passTime.FindStringSubmatch(said)
		if m == nil {
			return 0, fmt.Errorf("gostap -v says nothing of pass 1:\n%s", said)
		}
		took, err := time.ParseDuration(m[1] + m[2])
		if err != nil {
			return 0, err
		}
		best = min(best, took)
	}
	return best, nil
}

func tenths(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }

// longScript is a realistic script of about n lines.
func longScript(n int) []byte {
	const unit = `
/* What the tasks that call function %[1]d read, but for those of the tracer. */
probe kernel.function("function_%[1]d").return
{
	if (execname() != "stapio" && pid() != target()) {
		elapsed = gettimeofday_us() - start[tid()]
		reads[execname(), pid()] <<< $return > 0 ? $return : 0
		printf("%%-16s %%6d %%10d us\n", execname(), pid(), elapsed)
	} else if (@defined($file->f_path->dentry)) {
		calls++
	}
	delete start[tid()] # the next call begins anew
}

// How often the numbers up to n have a bit set in mask.
function bits_%[1]d:long (n:long, mask:long)
{
	for (i = 0; i < n; i++)
		if (i << 2 & mask)
			count += i %% 3 == 0 ? 1 : 2
	return count
}
`
	b := bytes.NewBufferString("global reads, start, calls\n")
	lines := bytes.Count([]byte(unit), []byte("\n"))
	for i := range n / lines {
		fmt.Fprintf(b, unit, i)
	}
	return b.Bytes()
}

// checkGrowth is the maximal cost of a probe in a larger script, relative to a script of a hundred
// probes, for growth to count as linear: cache misses increase the cost, but quadratic growth would
// increase it a hundredfold at 10,000 probes.
const checkGrowth = 3

// checking measures the check, for increasing numbers of probes that share globals and functions.
func checking() error {
	fmt.Printf("checking, shortest of %d\n", repeats)
	fmt.Printf("%-36s %10s %10s %10s\n", "", "gostap", "a probe", "limit")
	var limit float64 // in µs
	for _, n := range []int{10, 100, 1000, 10000} {
		took, err := checkTime(n)
		if err != nil {
			return err
		}
		each := float64(took.Nanoseconds()) / 1000 / float64(n)
		note := "–"
		if limit > 0 {
			note = fmt.Sprintf("%.1f µs", limit)
		} else if n == 100 {
			limit = checkGrowth * each
		}
		fmt.Printf("%-36s %10s %10s %10s\n", fmt.Sprintf("%d probes", n), tenths(took), fmt.Sprintf("%.1f µs", each), note)
	}
	return nil
}

func checkTime(n int) (time.Duration, error) {
	env := &syntax.Env{Arch: "x86_64", Runtime: "host", Privilege: "stapdev", StapVersion: "4.8"}
	lib, diags := library.Load(env, library.Folder{FS: tapsets.FS, Path: "<tapset>"})
	if err := diags.Err(); err != nil {
		return 0, err
	}
	file, diags := syntax.Parse(&syntax.Source{Path: "probes.stp", Text: manyProbes(n)}, env)
	if err := diags.Err(); err != nil {
		return 0, err
	}
	program, diags := elaborate.Elaborate([]*syntax.File{file}, lib, image.NewTarget("", false))
	if err := diags.Err(); err != nil {
		return 0, err
	}
	best := time.Hour
	for range repeats {
		start := time.Now()
		if _, diags := check.Check(program, check.Options{Functions: lib.FunctionNames()}); diags.Err() != nil {
			return 0, diags.Err()
		}
		best = min(best, time.Since(start))
	}
	return best, nil
}

// manyProbes is a script of n probes with different bodies.
func manyProbes(n int) []byte {
	b := bytes.NewBufferString(`global hits, times, names, total
function note (name, n) { hits[name]++; total += n; return n > 3 ? n : note(name, n + 1) }
probe end { foreach ([a, b] in times) println(@count(times[a, b]), names[b], total) }
`)
	for i := range n {
		fmt.Fprintf(b, `probe begin {
	name = execname() . ":%[1]d"
	if (note(name, %[1]d) > 2) { times[name, tid()] <<< %[1]d; names[%[1]d] = name }
	foreach (k in hits- limit 5) printf("%%s %%d\n", k, hits[k])
}
`, i)
	}
	return b.Bytes()
}
