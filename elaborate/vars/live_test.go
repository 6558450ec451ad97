// SPDX-License-Identifier: GPL-2.0-or-later

package vars_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gostap/elaborate/internal/compiled"
	"gostap/elaborate/internal/elaborated"
	"gostap/elaborate/internal/evaluated"
)

var addresses = regexp.MustCompile(`0x[0-9a-f]{6,}`)

// live runs a program, with PROBED in the script for its probe points' beginnings, and compares what the target variables are.
func live(t *testing.T, path, script string, want ...string) {
	t.Helper()
	e, diags := elaborated.OnProgram(t, strings.ReplaceAll(script, "PROBED", fmt.Sprintf("process(%q)", path)))
	if diags != nil {
		t.Fatal(diags)
	}
	got := evaluated.Run(t, path, e.Probes)
	for i, line := range got {
		got[i] = addresses.ReplaceAllString(line, "ADDRESS")
	}
	for i := range max(len(got), len(want)) {
		g, w := "nothing", "nothing"
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Errorf("hit %d:\n%s\nwant\n%s", i, g, w)
		}
	}
}

// TestLiveGo looks at values of a program that this Go builds, the one before, with another DWARF, and the last one of which
// maps are buckets; what is not there, and tests/setup can't fetch, is skipped.
func TestLiveGo(t *testing.T) {
	for _, version := range []string{"local", "go1.25.5", "go1.23.12"} {
		t.Run(version, func(t *testing.T) { liveGo(t, compiled.Go(t, version, "../../tests/e2e/programs/gocalls")) })
	}
}

func liveGo(t *testing.T, path string) {
	live(t, path, `
probe PROBED.function("main.(*item).take").return { println($return->r0, $return[1]->tab, $$return$) }
probe PROBED.function("main.split") { println($s, $s[1], $$parms) }
probe PROBED.function("main.split").return { println($return->head, $return[1], $err$, $$return, $return$) }
probe PROBED.function("main.half").return { println($return->r0, $return->r1, $$return$) }
probe PROBED.function("main.twice").return { println($return, $$return) }
probe PROBED.function("main.triple") { println($$parms$) }
probe PROBED.function("main.triple").return { println($return->r[2], $ok, $$return$) }
probe PROBED.function("main.show") { println($$parms$, $o$$) }
`,
		`5 0 r0=5 r1=nil`,
		`6 0 r0=6 r1=nil`,
		`8 0 r0=8 r1=nil`,
		`gostap 111 s="gostap" n=0x2`,
		`go stap nil head="go" tail="stap" err=nil {.head="go", .tail="stap", .err=nil}`,
		`gostap 111 s="gostap" n=0x9`,
		`  *errors.errorString({.s="too short"}) head="" tail="" err=*errors.errorString({.s="too short"}) {.head="", .tail="", .err=*errors.errorString({.s="too short"})}`,
		`gostap 111 s="gostap" n=-0x1`,
		`  *main.failure({.op="split", .code=-1}) head="" tail="" err=*main.failure({.op="split", .code=-1}) {.head="", .tail="", .err=*main.failure({.op="split", .code=-1})}`,
		`4612811918334230528 7 r0=2.500000 r1="7"`,
		`-42 return=-0x2a`,
		`a=[1, 2] n=3`,
		`3 1 r=[1, 2, 3] ok=1`,
		`o={.price=1.250000, .tags=[...], .stock=map[...], .last=*errors.errorString({.s="out"}), .raw="GET\000/"} numbers=[1, -2, 3] sh=*main.square({.side=3, .scale=2}) any=int(42) f=2.500000 g=-0.750000 `+
			`{.price=1.250000, .tags=["a", "bc"], .stock=map["x": 1], .last=*errors.errorString({.s="out"}), .raw="GET\000/"}`,
		`o={.price=1.250000, .tags=[...], .stock=map[...], .last=*errors.errorString({.s="out"}), .raw="GET\000/"} numbers=[1, 2, 3, 4, 5, ...] sh=*main.square({.side=3, .scale=2}) any=string("text") f=10000000000.000000 g=3.000000 `+
			`{.price=1.250000, .tags=["a", "bc"], .stock=map[], .last=*errors.errorString({.s="out"}), .raw="GET\000/"}`,
		`o={.price=1.250000, .tags=[...], .stock=map[...], .last=*errors.errorString({.s="out"}), .raw="GET\000/"} numbers=[] sh=*main.square({.side=3, .scale=2}) any=nil f=0.000000 g=0.000000 `+
			`{.price=1.250000, .tags=["a", "bc"], .stock=map[], .last=*errors.errorString({.s="out"}), .raw="GET\000/"}`,
		`o={.price=1.250000, .tags=[...], .stock=map[...], .last=*errors.errorString({.s="out"}), .raw="GET\000/"} numbers=[] sh=*main.square({.side=3, .scale=2}) any=uint8(200) f=0.000000 g=0.000000 `+
			`{.price=1.250000, .tags=["a", "bc"], .stock=map[], .last=*errors.errorString({.s="out"}), .raw="GET\000/"}`)
}

const cplusplus = `
#include <string>
#include <string_view>
#include <vector>
struct point { int x; double y; };
struct base { std::string name; virtual ~base() {} };
struct derived : base { std::vector<int> v; float f; };
__attribute__((noipa)) double show(const std::string &s, std::vector<int> &v, const std::vector<std::string> *vs, derived *d,
	std::string_view sv, double x, float y, std::vector<point> ps) { asm volatile("" ::: "memory"); return x + y + v.size(); }
int main() {
	derived d; d.name = "a long name that is on the heap for sure"; d.v = {9, 8}; d.f = 0.5f;
	std::vector<int> v{1, -2, 3, 4, 5, 6, 7}; std::vector<std::string> vs{"one", "two"};
	std::vector<point> ps{{1, 2.5}, {3, 4}};
	show("short", v, &vs, &d, "view", 3.25, -1.5f, ps);
	v.clear(); show("", v, &vs, &d, "", 1e10, 0, {});
}
`

func TestLiveCPlusPlus(t *testing.T) {
	for _, optimized := range []string{"-O2", "-O0"} {
		live(t, compiled.Program(t, cplusplus, "-x", "c++", optimized, "-g", "-Wl,--push-state,--no-as-needed,-lstdc++,--pop-state"), `
probe PROBED.function("show") { println($$parms$$, $v[1], $y, $d$) }
probe PROBED.function("show").return { println($$return) }
`,
			`s="short" v=[1, -2, 3, 4, 5, ...] vs=["one", "two"] d={._vptr.base=ADDRESS, .name="a long name that is on the heap for sure", .v=[9, 8], .f=0.500000} sv="view" x=3.250000 y=-1.500000 `+
				`ps=[{.x=1, .y=2.500000}, {.x=3, .y=4.000000}] -2 -4613937818241073152 {._vptr.base=ADDRESS, .name="a long name that is on the heap for sure", .v=[...], .f=0.500000}`,
			`return=8.750000`,
			`s="" v=[] vs=["one", "two"] d={._vptr.base=ADDRESS, .name="a long name that is on the heap for sure", .v=[9, 8], .f=0.500000} sv="" x=10000000000.000000 y=0.000000 `+
				`ps=[] -2 0 {._vptr.base=ADDRESS, .name="a long name that is on the heap for sure", .v=[...], .f=0.500000}`,
			`return=10000000000.000000`)
	}
}

const rust = `
fn black_box<T>(x: T) -> T { unsafe { std::arch::asm!("/* {0} */", in(reg) &x) }; x }
enum Shape { Circle { r: f64 }, Rect(i32, i32), Named(String), Unit }
#[inline(never)]
fn show(s: &str, owned: &String, v: &Vec<i32>, sl: &[u16], sh: &Shape, o: Option<&i32>, oi: &Option<u32>, t: &(i32, &str)) {
    black_box((s, owned, v, sl, sh, &o, &oi, t));
}
fn main() {
    let v = vec![1, -2, 3];
    for sh in [Shape::Circle { r: 1.5 }, Shape::Rect(3, -4), Shape::Named("box".to_string())] {
        show("text", &"owned".to_string(), &v, &[7, 8], &sh, black_box(Some(&9)), &black_box(Some(4)), &(1, "in"));
    }
    show("", &String::new(), &Vec::new(), &[], &Shape::Unit, black_box(None), &black_box(None), &(2, ""));
}
`

func TestLiveRust(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	from, to := filepath.Join(dir, "prog.rs"), filepath.Join(dir, "prog")
	if err := os.WriteFile(from, []byte(rust), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("rustc", "-g", "-O", "-o", to, from).CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip(err)
	} else if err != nil {
		t.Fatalf("rustc: %v: %s", err, out)
	}
	live(t, to, `
probe PROBED.function("prog::show") { println($s, $sl->length, $$parms$) }
`,
		`text 2 s="text" owned="owned" v=[1, -2, 3] sl=[7, 8] sh=Circle{.r=1.500000} o=Some(ADDRESS) oi=Some(4) t=(1, "in")`,
		`text 2 s="text" owned="owned" v=[1, -2, 3] sl=[7, 8] sh=Rect(3, -4) o=Some(ADDRESS) oi=Some(4) t=(1, "in")`,
		`text 2 s="text" owned="owned" v=[1, -2, 3] sl=[7, 8] sh=Named("box") o=Some(ADDRESS) oi=Some(4) t=(1, "in")`,
		` 0 s="" owned="" v=[] sl=[] sh=Unit o=None oi=None t=(2, "")`)
}
