// SPDX-License-Identifier: GPL-2.0-or-later

package generate

import (
	"fmt"
	"strings"
)

// A Script has some items in one context.
type Script struct {
	Name    string
	Context *Context
	Items   []*Item
	Options []string // options of gostap
	Text    string
}

// Arguments is the length of each list of arguments.
const Arguments = 13

// common are the declarations that items use. Counters are statistics, which are kept per CPU, so that
// handlers run concurrently.
const common = `
global produced, records, ran[200], beats          # statistics
global most = 3000                                 # events: then handlers do nothing
global enough, ending, long_text

function num:long(k:long) {
	k %= 13
	if (k < 4) return k == 0 ? 7 : k == 1 ? 0 : k == 2 ? 1 : -1
	if (k < 7) return k == 4 ? 0x7fffffffffffffff : k == 5 ? -0x7fffffffffffffff - 1 : 0xffffffff
	if (k < 10) return k == 7 ? 64 : k == 8 ? 4096 : -4096
	return k == 10 ? tid() : k == 11 ? 2 : 511
}
function text:string(k:long) {
	k %= 13
	if (k < 4) return k == 0 ? "hello, world" : k == 1 ? "" : k == 2 ? "a" : long_text
	if (k < 7) return k == 4 ? "%s%d%n%*s" : k == 5 ? "\n\t\"\\\001\377" : execname()
	if (k < 10) return k == 7 ? "rax" : k == 8 ? "0x1f" : "-42"
	return k == 10 ? "PATH" : k == 11 ? "x" : " , a,b  c"
}
function addresses:string(k:long) {
	k %= 13
	if (k < 5) return sprintf("0x%x 0x%x 0x%x", kernel(k), kernel(k + 1), kernel(k + 2))
	return k % 2 ? sprintf("0x%x", task_current()) : text(k)
}
function kernel:long(k:long) {
	k %= 13
	if (k < 4) return k == 0 ? task_current() : k == 1 ? 0 : k == 2 ? room() : -1
	if (k < 7) return k == 4 ? 0x1234 : k == 5 ? 0x8000000000000000 : 0xffffffffff600000
	if (k < 10) return k == 7 ? 0xffff888000000000 : k == 8 ? 0xfffffffffffffffc : task_current() + 1
	return k == 10 ? 0xffffffff81000000 : k == 11 ? 0xffffea0000000000 : 0x00007fffffffeff8
}
function writable:long(k:long) {
	k %= 13
	return k == 0 || k > 8 ? room() + (k & 7) : unwritable(k)
}
function unwritable:long(k:long) {
	k %= 13
	if (k < 4) return k == 1 ? 0 : k == 2 ? 1 : -1
	if (k < 7) return k == 4 ? 0x1234 : k == 5 ? 0x8000000000000000 : 0xffffffffff600000
	return k % 2 ? 0xfffffffffffff000 : 0x0000800000000000
}
function user:long(k:long) {
	k %= 13
	if (k < 6) return k == 0 ? @cast(task_current(), "task_struct")->mm->arg_start : kernel(k)
	return k == 6 ? 0x400000 : k == 7 ? 0x7ffffffff000 : k == 8 ? 0x0000800000000000 : kernel(k)
}
%{
static char gs_cross_room[8192];
%}
function room:long() %{ /* pure */ STAP_RETURN((long)gs_cross_room); %}

probe begin(-1000) {
	while (strlen(long_text) < 500)
		long_text .= "long text, "
	println("begun")
}
probe timer.ms(50) {
	if (@count(produced) >= most)
		enough = 1
	if (target() && !pid2task(target()))
		ending = 1
}
probe LAST(1000) {
	printf("\nfigures %d %d\n", @count(produced), @sum(records))
	foreach (i in ran)
		printf("ran %d %d\n", i, @count(ran[i]))
}
`

// write writes a script. Scripts alternate between items chosen in turn, with a lock, and items chosen
// at random, without one; and between ending sessions by exit() and abort().
func write(name string, c *Context, items []*Item, point string, number int) *Script {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	last := "end"
	s := &Script{Name: name, Context: c, Items: items, Options: options}
	if c.Point == "error" {
		last = "error"
		line(`probe timer.ms(100) { if (!target() || ending) error("for the error probes") }`)
	} else {
		s.Options = append(s.Options[:len(s.Options):len(s.Options)], "--suppress-handler-errors")
	}
	line("%s", strings.ReplaceAll(common, "LAST", last))
	if number%2 == 1 { // not in all scripts: it takes a while to look up a module's symbols
		line(`probe module("gs_cross").function("gs_cross_softirq") { beats <<< 1 }`)
	}
	for _, it := range items {
		if it.Globals != "" {
			line("%s", it.Globals)
		}
	}
	if c.With != "" {
		line("%s", c.With)
	}
	if c.Name == "condition" {
		condition(line, items, point)
	} else {
		handler(line, c, items, point, number)
	}
	s.Text = b.String()
	return s
}

var options = []string{
	"-g", "-w", "-D", "MAXACTION=20000", "-D", "MAXACTION_INTERRUPTIBLE=2000000", "-D", "STP_NO_OVERLOAD", "-D", "MAXNESTING=20",
}

func handler(line func(string, ...any), c *Context, items []*Item, point string, number int) {
	leave := []string{"exit", "abort"}[number%2]
	n := len(items)
	switch {
	case c.Rate == Once:
		line("probe %s {\n\tfor (k = 0; k < %d; k++) for (i = 0; i < %d; i++) {", point, Arguments, n)
	case c.Rate == Seldom:
		line("global turns\nprobe %s {\n\tif (ending) %s()\n\tk = turns++\n\tfor (i = 0; i < %d; i++) {", point, leave, n)
	case number/2%2 == 0:
		line("global turns\nprobe %s {\n\tif (ending) %s()\n\tif (enough) next\n\ti = turns %% %d\n\tk = turns++ / %d\n\t{", point, leave, n, n)
	default:
		line("probe %s {\n\tif (ending) %s()\n\tif (enough) next\n\ti = randint(%d)\n\tk = randint(%d)\n\t{", point, leave, n, Arguments)
	}
	line("\tv = 0\n\tt = \"\"\n\tproduced <<< 1\n\tprintf(\"[event %%d]\\n\", i)\n\tran[i] <<< 1\n\ttry {")
	choose(line, items, false)
	line("\t} catch { v = 1 }\n\tif (v == 42 && t == \"42\") records <<< 0")
	if c.Rate != Often { // an error would skip all items behind it
		line("\ttry {")
	}
	choose(line, items, true)
	if c.Rate != Often {
		line("\t} catch { v = 2 }")
	}
	line("\t}\n}")
}

// choose writes the choice of the i-th item, among those that end the handler or among the others.
func choose(line func(string, ...any), items []*Item, ends bool) {
	otherwise := ""
	for i, it := range items {
		if it.Ends != ends {
			continue
		}
		count := ""
		if it.Records > 0 {
			count = fmt.Sprintf("records <<< %d ", it.Records)
		}
		line("\t%sif (i == %d) { %s%s } # %s", otherwise, i, count, it.Code, it.Name)
		otherwise = "else "
	}
}
