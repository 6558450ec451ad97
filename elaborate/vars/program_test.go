// SPDX-License-Identifier: GPL-2.0-or-later

package vars_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gostap/elaborate/internal/compiled"
	"gostap/elaborate/internal/elaborated"
	"gostap/elaborate/internal/exprtext"
)

// passing has functions with arguments and results of all classes.
const passing = `
struct one { long a; }; struct two { int a; char b; long c; }; struct three { long a, b, c; };
struct floats { float a, b, c; }; struct mixed { double d; long n; }; struct behind { long n; double d; };
struct halves { float f; int i; }; struct nested { struct { double d[1]; } in; union { long l; double d; } u; };
struct bits { int a : 3; int b : 20; double d; };
#define F(name, ...) __attribute__((noipa)) long name(__VA_ARGS__) { asm volatile("" ::: "memory"); return 0; }
F(integers, char a, short b, int c, long d, void *e, unsigned f, long g, char h)
F(structs, struct one a, struct two b, struct three c, int d, long e)
F(floating, double a, int b, float c, struct floats d, long e)
F(mix, struct mixed a, int b, struct behind c, struct halves d, struct nested e, long f)
F(many, double a, double b, double c, double d, double e, double f, double g, double h, double i, int j, long k)
F(wide, int a, __int128 b, long c, long double d, long e, long f, long g, long h)
F(unfit, long a, long b, long c, long d, long e, struct two f, long g, struct bits h)
F(stacked, long a, long b, long c, long d, long e, long f, struct one g, __int128 h, long i)
__attribute__((noipa)) struct three large(long n) { struct three r = { n }; return r; }
__attribute__((noipa)) struct mixed half(long n) { struct mixed r = { 1, n }; return r; }
__attribute__((noipa)) struct behind other(long n) { struct behind r = { n, 1 }; return r; }
__attribute__((noipa)) struct two both(long n) { struct two r = { n }; return r; }
__attribute__((noipa)) short narrow(long n) { return n; }
__attribute__((noipa)) double real(long n) { return n; }
int main(void) { return 0; }
`

// TestPassed compares the locations of parameters by the calling convention, as used at -O0, where
// debuginfo has none for the entry, with those of debuginfo at -O2.
func TestPassed(t *testing.T) {
	slow, fast := compiled.Program(t, passing, "-O0", "-g", "-w"), compiled.Program(t, passing, "-O2", "-g", "-w")
	for function, variables := range map[string]string{
		"integers": "$a $b $c $d $e $f $g $h",
		"structs":  "$a->a $b->a $b->b $b->c $c->a $c->c $d $e",
		"floating": "$a $b $e",
		"mix":      "$a->d $a->n $b $c->n $c->d $d->i $e->in->d[0] $e->u->l $f",
		"many":     "$a $h $i $j $k",
		"wide":     "$a $c $e $f $g $h",
		"unfit":    "$a $e $f->a $f->c $g $h->a $h->b",
		"stacked":  "$f $g->a $i",
	} {
		values := func(path string) []string {
			e, diags := elaborated.OnProgram(t, fmt.Sprintf("probe process(%q).function(%q) { println(%s) }", path, function, strings.ReplaceAll(variables, " ", ", ")))
			if diags != nil {
				t.Fatal(diags)
			}
			return elaborated.Values(e.Probes[0])
		}
		kept, told := values(slow), values(fast)
		for i, name := range strings.Fields(variables) {
			if kept[i] != told[i] || strings.Contains(kept[i], ":") {
				t.Errorf("%s: %s is %s by the convention, and %s by the compiler", function, name, kept[i], told[i])
			}
		}
	}
}

// TestByReference is TestPassed for C++, which passes classes with a destructor by reference.
func TestByReference(t *testing.T) {
	const text = `
struct held { int a; long b; held(); held(const held &); ~held(); };
struct plain { int a; plain(int); int get() const; };
held::held() : a(1), b(2) {} held::held(const held &o) : a(o.a), b(o.b) {} held::~held() {}
plain::plain(int n) : a(n) {} int plain::get() const { return a; }
__attribute__((noipa)) int takes(long n, held h, plain p, plain &r, long m, long o, held last) { asm volatile("" ::: "memory"); return n; }
__attribute__((noipa)) held gives(long n) { return held(); }
int main() { held h; plain p(3); gives(1); return takes(1, h, p, p, 2, 3, h); }
`
	slow, fast := compiled.Program(t, text, "-x", "c++", "-O0", "-g", "-fno-exceptions"), compiled.Program(t, text, "-x", "c++", "-O2", "-g", "-fno-exceptions")
	for _, path := range []string{slow, fast} {
		e, diags := elaborated.OnProgram(t, fmt.Sprintf(`probe process(%q).function("takes") { println($n, $h->b, $p->a, $r->a, $m, $last->b) }
			probe process(%q).function("gives").return { println($return->b, $n) }`, path, path))
		if diags != nil {
			t.Fatal(diags)
		}
		if got, want := strings.Join(elaborated.Values(e.Probes[0]), " "), "arg0 s8[user (arg1 + 8)] s4(arg2) s4[user arg3] arg4 LAST"; got !=
			strings.Replace(want, "LAST", "s8[user (u8[user (reg7 + 8)] + 8)]", 1) {
			t.Errorf("%s, want %s", got, want)
		}
		if got := strings.Join(elaborated.Values(e.Probes[1]), " "); got != "s8[user (ret + 8)] saved0" {
			t.Errorf("the result: %s", got)
		}
		if got := exprtext.Spell(e.Probes[1].Saved[0]); got != "arg1" {
			t.Errorf("saved: %s", got)
		}
	}
}

func TestResults(t *testing.T) {
	path := compiled.Program(t, passing, "-O2", "-g", "-w")
	for script, want := range map[string]string{
		`function("large").return { println($return->c) }`:            "s8[user (ret + 16)]",
		`function("half").return { println($return->n) }`:             "ret",
		`function("half").return { println($return->d) }`:             "reg17",
		`function("other").return { println($return->n) }`:            "ret",
		`function("both").return { println($return->b, $return->c) }`: "s1((ret >>> 32)) reg1",
		`function("narrow").return { println($return, $n) }`:          "s2(ret) saved0",
		`function("real").return { println($return) }`:                "reg17",
		`function("integers").return { println($h, @entry($g)) }`:     "saved0 saved1",
	} {
		e, diags := elaborated.OnProgram(t, fmt.Sprintf("probe process(%q).%s", path, script))
		if diags != nil {
			t.Fatal(diags)
		}
		if got := strings.Join(elaborated.Values(e.Probes[0]), " "); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", script, got, want)
		}
	}
}

// A program's variable is found by symbol tables without debuginfo, in probes of other programs, too.
func TestProgramObject(t *testing.T) {
	path := compiled.Program(t, variables, "-O2")
	for x, want := range map[string]string{
		fmt.Sprintf(`&@var("shown", %q)`, path):   "(bias:" + path + " + ",
		fmt.Sprintf(`&@var("counter", %q)`, path): "(bias:" + path + " + ",
		fmt.Sprintf(`&@var("nowhere", %q)`, path): "known only from debuginfo of " + path,
		fmt.Sprintf(`@var("shown", %q)`, path):    "known only from debuginfo of " + path,
	} {
		e, diags := elaborated.OnProgram(t, fmt.Sprintf("probe process.syscall { println(%s) }", x))
		if diags != nil {
			t.Fatal(diags)
		}
		if got := elaborated.Values(e.Probes[0])[0]; !strings.Contains(got, want) {
			t.Errorf("%s is %s, want %s", x, got, want)
		}
	}
}

const variables = `
#include <stddef.h>
enum color { RED, GREEN = 7 };
typedef struct point { int x, y; struct point *next; char name[8]; unsigned bits : 3, more : 5; enum color color; } point_t;
struct unused_elsewhere { long first; };
struct unused_elsewhere *elsewhere;
static int counter = 3;
long shown = 4;
point_t origin;
__attribute__((noipa)) int area(point_t *p, char *label) { return p->x + counter++ + shown + origin.y; }
int main(void) { point_t p = { 1, 2 }; return area(&p, "l"); }
`

// TestProgramVariables reads variables of a program: its memory is user memory, and addresses are
// relative to the probed instruction.
func TestProgramVariables(t *testing.T) {
	for _, flags := range [][]string{{"-O2"}, {"-O0"}, {"-O2", "-gdwarf-4"}, {"-O0", "-no-pie"}} {
		path := compiled.Program(t, variables, append(flags, "-g")...)
		var area, counter, shown int64
		for _, line := range strings.Split(compiled.Run(t, "nm", path), "\n") {
			var addr int64
			var kind, name string
			fmt.Sscanf(line, "%x %s %s", &addr, &kind, &name)
			switch name {
			case "area":
				area = addr
			case "counter":
				counter = addr
			case "shown":
				shown = addr
			}
		}
		for x, want := range map[string]string{
			"$p->y":                  "s4[user (arg0 + 4)]",
			"$p->next->x":            "s4[user u8[user (arg0 + 8)]]",
			"$p->more":               "((u1[user (arg0 + 24)] >>> 3) & 31)",
			"$p->name[2]":            "s1[user (arg0 + 18)]",
			"&$p->next":              "(arg0 + 8)",
			"$label[1]":              "s1[user (arg1 + 1)]",
			"$label$":                `sprintf("\"%s\"", {user_string($string, "?")})`,
			"$p->name$":              `sprintf("\"%s\"", {user_string_n($string, 8, "?")})`,
			"$counter":               fmt.Sprintf("s4[user (probed + %d)]", counter-area),
			`@var("counter@prog.c")`: fmt.Sprintf("s4[user (probed + %d)]", counter-area),
			`@var("shown")`:          fmt.Sprintf("s8[user (probed + %d)]", shown-area),
			fmt.Sprintf(`@var("shown@prog.c", %q)`, path): fmt.Sprintf("s8[user (probed + %d)]", shown-area),
			`&@var("shown")`:                                          fmt.Sprintf("(probed + %d)", shown-area),
			`@cast($label, "struct point")->y`:                        "s4[user ({$label} + 4)]",
			`@cast($label, "point_t")->next->x`:                       "s4[user u8[user ({$label} + 8)]]",
			`@cast($label, "char*")[1]`:                               "u8[user ({$label} + 8)]",
			`@cast($label, "unused_elsewhere")->first`:                "s8[user {$label}]",
			fmt.Sprintf(`@cast($label, "struct point", %q)->x`, path): "s4[user {$label}]",
			`@enum("GREEN")`:                                          "7",
			"$GREEN":                                                  "7",
			`@var("shown@prog.c", "/bin/bash")`:                       "known only from debuginfo of ",
			`@cast($p, "struct nowhere_at_all", "` + path + `")->x`:   "has no type \"struct nowhere_at_all\"",
			"$nothing": "no $nothing in area: here there are $p, $label",
		} {
			e, diags := elaborated.OnProgram(t, fmt.Sprintf("probe process(%q).function(\"area\") { println(%s) }", path, x))
			if diags != nil {
				t.Fatalf("%s: %v", x, diags)
			}
			if got := elaborated.Values(e.Probes[0])[0]; !strings.Contains(got, want) || strings.HasPrefix(want, "s") && got != want {
				t.Errorf("%v: %s is %s, want %s", flags, x, got, want)
			}
		}
		e, diags := elaborated.OnProgram(t, fmt.Sprintf("probe process(%q).function(\"area\").return { println($p->x, $label) }", path))
		if diags != nil {
			t.Fatal(diags)
		}
		var saved []string
		for _, x := range e.Probes[0].Saved {
			saved = append(saved, exprtext.Spell(x))
		}
		if got := strings.Join(saved, " "); got != "s4[user arg0] arg1" {
			t.Errorf("%v: saved at the entry are %s", flags, got)
		}
		// In probes without an instruction of the program, its variables are relative to its load
		// address in the process.
		e, diags = elaborated.OnProgram(t, fmt.Sprintf("probe process.syscall { println(@cast($arg1, \"struct point\", %q)->y, @var(\"shown@prog.c\", %q)) }", path, path))
		if diags != nil {
			t.Fatal(diags)
		}
		if got := elaborated.Values(e.Probes[0]); got[0] != "s4[user ({$arg1} + 4)]" || !strings.HasPrefix(got[1], "s8[user (bias:"+path+" + ") {
			t.Errorf("%v: at a system call: %v", flags, got)
		}
	}
}

// TestDeclaredInOneFile reads members of a type that is only declared in the file that the cast names.
func TestDeclaredInOneFile(t *testing.T) {
	other := filepath.Join(t.TempDir(), "event.c")
	if err := os.WriteFile(other, []byte("struct event { int fd; unsigned accept : 1; }; struct event made;\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	path := compiled.Program(t, `
struct event;
typedef struct event event_t;
struct conn { void *data; event_t *read; } only = { &only, 0 };
int main(int argc, char **argv) { return only.read != 0; }
`, "-O1", "-g", other)
	for x, want := range map[string]string{
		`@cast($argv, "conn")->read->accept`: "(u1[user (u8[user ({$argv} + 8)] + 4)] & 1)",
		`@cast($argv, "event_t")->fd`:        "s4[user {$argv}]",
		`@var("only")->read->fd`:             "s4[user u8[user",
	} {
		for _, module := range []string{"", path} {
			script := fmt.Sprintf(`probe process(%q).function("main") { println(%s) }`, path, x)
			if module != "" {
				script = strings.Replace(script, `")->`, fmt.Sprintf(`", %q)->`, module), 1)
			}
			e, diags := elaborated.OnProgram(t, script)
			if diags != nil {
				t.Fatalf("%s: %v", x, diags)
			}
			if got := elaborated.Values(e.Probes[0])[0]; !strings.HasPrefix(got, want) {
				t.Errorf("%s is %s, want %s", x, got, want)
			}
		}
	}
}
