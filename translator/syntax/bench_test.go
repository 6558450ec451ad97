// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// longScript returns a realistic script of about n lines: it has six tokens a line; SystemTap's
// examples have four.
func longScript(n int) []byte {
	var b strings.Builder
	b.WriteString("#!/usr/bin/env stap\nglobal reads, names, start%[1000]\n@define ms(us) %( ((@us) / 1000) %)\n\n")
	for i := range n / 50 {
		fmt.Fprintf(&b, `/*
 * Counts what the tasks that call function %[1]d read, leaving out those
 * that belong to the tracer itself.
 *
 * name:    the task's name
 * elapsed: how long it took, in milliseconds
 */
probe kernel.function("function_%[1]d").return,
      syscall.{read, pread}.return ?
{
    task = task_current()

    # Neither the tracer nor what it was started for.
    if (execname() != "stapio" && pid() != target())
    {
        elapsed = @ms(gettimeofday_us() - start[tid()])
        reads[execname(), pid()] <<< $return > 0 ? $return : 0
        names[tid()] = sprintf("%%s/%%d", execname(), tid())
        printf("%%-16s %%6d %%10d us: %%s\n",
               names[tid()],
               task_pid(task),
               elapsed,
               $$vars$)
    }
    else if (@defined($file->f_path->dentry))
    {
        total += @sum(reads[execname(), pid()])
        calls++
    }

    %%( kernel_v >= "4.17" %%?
        inode = $file->f_inode
    %%:
        inode = $file->f_dentry->d_inode
    %%)
    delete start[tid()]
}

// Computes something of no great use.
function compute_%[1]d:long(a:long, b, c:string)
{
    for (i = 0; i < 10; i++) {
        if (a =~ "^x+$")
            continue
        b += i << 2 | a & 0xff
    }
    foreach ([name, id] in reads- limit 20)
        printf("%%s %%d: %%d\n", name, id, @avg(reads[name, id]))
    return a * b
}

`, i)
	}
	return []byte(b.String())
}

// BenchmarkParse parses a script of 10,000 lines: 5 ms are allowed.
func BenchmarkParse(b *testing.B) {
	text := longScript(10000)
	b.Logf("%d lines", strings.Count(string(text), "\n"))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	env := testEnv()
	for b.Loop() {
		if _, diags := Parse(&Source{Path: "x", Text: text}, env); diags.Err() != nil {
			b.Fatal(diags)
		}
	}
}

// BenchmarkFormat formats the same script.
func BenchmarkFormat(b *testing.B) {
	text := longScript(10000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, diags := Format(&Source{Path: "x", Text: text}); diags.Err() != nil {
			b.Fatal(diags)
		}
	}
}

// BenchmarkLibrary parses SystemTap's library for this machine, file by file.
func BenchmarkLibrary(b *testing.B) {
	const dir = "/usr/share/systemtap/tapset"
	if _, err := os.Stat(dir); err != nil {
		b.Skip(err)
	}
	t := &testing.T{}
	env := libraryEnv(t, dir)
	var sources []*Source
	for _, path := range filesBelow(t, dir, ".stp") {
		text, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		sources = append(sources, &Source{Path: path, Text: text, Origin: Tapset})
	}
	for b.Loop() {
		for _, src := range sources {
			if _, diags := Parse(src, env); diags.Err() != nil {
				b.Fatal(diags)
			}
		}
	}
}
