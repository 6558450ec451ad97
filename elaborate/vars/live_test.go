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

// live runs a program and a script, in which PROBED stands for the beginning of its probe points, and
// compares the values of target variables.
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

// TestLiveGo reads values of programs built by this version of Go, by the previous one, whose DWARF
// version differs, and by the last one whose maps have buckets; versions that are not available, nor
// from tests/setup, are skipped.
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
probe PROBED.function("main.sizes") { println($m$, $none$) }
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
		`o={.price=1.250000, .tags=[...], .stock=map[...], .last=*errors.errorString({.s="out"}), .raw="GET\0/"} numbers=[1, -2, 3] sh=*main.square({.side=3, .scale=2}) any=int(42) f=2.500000 g=-0.750000 `+
			`{.price=1.250000, .tags=["a", "bc"], .stock=map["x": 1], .last=*errors.errorString({.s="out"}), .raw="GET\0/"}`,
		`o={.price=1.250000, .tags=[...], .stock=map[...], .last=*errors.errorString({.s="out"}), .raw="GET\0/"} numbers=[1, 2, 3, 4, 5, ...] sh=*main.square({.side=3, .scale=2}) any=string("text") f=10000000000.000000 g=3.000000 `+
			`{.price=1.250000, .tags=["a", "bc"], .stock=map[], .last=*errors.errorString({.s="out"}), .raw="GET\0/"}`,
		`o={.price=1.250000, .tags=[...], .stock=map[...], .last=*errors.errorString({.s="out"}), .raw="GET\0/"} numbers=[] sh=*main.square({.side=3, .scale=2}) any=nil f=0.000000 g=0.000000 `+
			`{.price=1.250000, .tags=["a", "bc"], .stock=map[], .last=*errors.errorString({.s="out"}), .raw="GET\0/"}`,
		`o={.price=1.250000, .tags=[...], .stock=map[...], .last=*errors.errorString({.s="out"}), .raw="GET\0/"} numbers=[] sh=*main.square({.side=3, .scale=2}) any=uint8(200) f=0.000000 g=0.000000 `+
			`{.price=1.250000, .tags=["a", "bc"], .stock=map[], .last=*errors.errorString({.s="out"}), .raw="GET\0/"}`,
		`map[3: 9] map[]`)
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
	v.clear(); v.push_back(8); v.push_back(-3); show("", v, &vs, &d, "", 1e10, 0, {});
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
			`s="" v=[8, -3] vs=["one", "two"] d={._vptr.base=ADDRESS, .name="a long name that is on the heap for sure", .v=[9, 8], .f=0.500000} sv="" x=10000000000.000000 y=0.000000 `+
				`ps=[] -3 0 {._vptr.base=ADDRESS, .name="a long name that is on the heap for sure", .v=[...], .f=0.500000}`,
			`return=10000000002.000000`)
	}
}

const cplusplusTrees = `
#include <map>
#include <set>
#include <string>
struct point { int x; double y; };
__attribute__((noipa)) int show(const std::map<int, std::string> &m, std::set<long> *s, std::map<std::string, point> &points, const std::multimap<char, int> &none,
	const std::string &text, long double ld, const long double *lds, int i) { asm volatile("" ::: "memory"); return m.size(); }
int main() {
	std::map<int, std::string> m; for (int i : {5, 2, 8, 1, 9, 3, 7}) m[i] = std::string(i, 'x');
	std::set<long> s{30, 10, 20}; std::map<std::string, point> points{{"b", {2, 2.5}}, {"a", {1, 0.5}}}; std::multimap<char, int> none;
	long double lds[] = {1.5L, -0.25L, 1e300L};
	show(m, &s, points, none, "text", 3.25L, lds, 1);
}
`

func TestLiveTrees(t *testing.T) {
	for _, optimized := range []string{"-O2", "-O0"} {
		live(t, compiled.Program(t, cplusplusTrees, "-x", "c++", optimized, "-g", "-Wl,--push-state,--no-as-needed,-lstdc++,--pop-state"), `
probe PROBED.function("show") { println($m$$, $s$$, $points$$, $points$, $none$, $text[2], $ld$, $lds[1], $lds[2], $ld, $$parms) }
`,
			`[1: "x", 2: "xx", 3: "xxx", 5: "xxxxx", 7: "xxxxxxx", ...] [10, 20, 30] ["a": {.x=1, .y=0.500000}, "b": {.x=2, .y=2.500000}] ["a": {...}, "b": {...}] [] 120 3.250000 -4625196817309499392 9094988921128908188 `+
				`4614500768194494464 m=ADDRESS s=ADDRESS points=ADDRESS none=ADDRESS text=ADDRESS ld=3.250000 lds=ADDRESS i=0x1`)
	}
}

const cplusplusOwners = `
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
struct point { int x; double y; };
struct part { std::unique_ptr<point> at; std::shared_ptr<part> next; int id; };
struct keeper { void *pool; void operator()(point *p) { delete p; } };
__attribute__((noipa)) int show(const part &p, std::unique_ptr<int> &n, std::unique_ptr<point, keeper> &kept, const std::shared_ptr<std::string> &text,
	std::unordered_map<int, double> &numbers, const std::unordered_set<uint8_t> &set, std::unordered_map<std::string, point> *names) {
	asm volatile("" ::: "memory"); return p.id + numbers.size(); }
int main() {
	part first{std::make_unique<point>(), std::make_shared<part>(), 1};
	*first.at = {3, 1.5}; first.next->id = 2;
	auto n = std::make_unique<int>(-7);
	std::unique_ptr<point, keeper> kept(new point{5, 0.25}, keeper{&n});
	auto text = std::make_shared<std::string>("shared");
	std::unordered_map<int, double> numbers{{1, 0.5}};
	std::unordered_set<uint8_t> set{200};
	std::unordered_map<std::string, point> names{{"origin", {0, 0}}};
	show(first, n, kept, text, numbers, set, &names);
	n.reset(); kept.reset(); text.reset(); numbers.clear(); set.clear(); names.clear();
	for (int i = 0; i < 8; i++) set.insert(i);
	show(*first.next, n, kept, text, numbers, set, &names);
}
`

// TestLiveOwners shows the targets of smart pointers and the elements of hashed containers.
func TestLiveOwners(t *testing.T) {
	for _, flags := range [][]string{{"-O2"}} {
		live(t, compiled.Program(t, cplusplusOwners, append(flags, "-x", "c++", "-g", "-Wl,--push-state,--no-as-needed,-lstdc++,--pop-state")...), `
probe PROBED.function("show") { println($p$, $p$$, $n$, $kept$, $text$, $numbers$, $set$, $names$) }
`,
			`{.at=&{...}, .next=&{...}, .id=1} {.at=&{.x=3, .y=1.500000}, .next=&{.at=nullptr, .next=nullptr, .id=2}, .id=1} &-7 &{.x=5, .y=0.250000} &"shared" [1: 0.500000] [200] ["origin": {...}]`,
			`{.at=nullptr, .next=nullptr, .id=2} {.at=nullptr, .next=nullptr, .id=2} nullptr nullptr nullptr [] [7, 6, 5, 4, 3, ...] []`)
	}
}

const cplusplusParts = `
#include <array>
#include <list>
#include <optional>
#include <string>
#include <tuple>
enum class colour : signed char { red = -1, green = 3 };
enum plain { none, many = 70000 };
struct point { int x; double y; };
struct empty {};
__attribute__((noipa)) int show(std::array<point, 2> &a, std::pair<int, std::string> &p, std::optional<point> &o, std::optional<int> &gone, std::list<std::string> &l,
	std::tuple<int, const char *, std::pair<char, int>> &t, const std::tuple<int &, colour> &refs, colour c, plain e, std::array<char, 4> &text) {
	asm volatile("" ::: "memory"); return a[0].x; }
int main() {
	std::array<point, 2> a{{{1, 2}, {3, 4}}}; std::pair<int, std::string> p{4, "five"}; std::optional<point> o{{5, 6}}; std::optional<int> gone;
	std::list<std::string> l{"seven", "eight"}; std::tuple<int, const char *, std::pair<char, int>> t{9, "ten", {'a', 11}};
	int n = 12; std::array<char, 4> text{'a', 'b', 'c', 0};
	show(a, p, o, gone, l, t, {n, colour::red}, colour::green, many, text);
}
`

// TestLiveParts shows containers and tuples of the standard library, and constants of enumerations.
func TestLiveParts(t *testing.T) {
	for _, optimized := range []string{"-O2", "-O0"} {
		live(t, compiled.Program(t, cplusplusParts, "-x", "c++", "-std=c++17", optimized, "-g", "-Wl,--push-state,--no-as-needed,-lstdc++,--pop-state"), `
probe PROBED.function("show") { println($a$$, $p$, $o$, $gone$, $l$, $t$$, $t$, $refs$, $c$, $e$, $text$) }
`,
			`[{.x=1, .y=2.000000}, {.x=3, .y=4.000000}] (4, "five") {.x=5, .y=6.000000} nullopt ["seven", "eight"] (9, "ten", (97, 11)) (9, "ten", (...)) (12, red) green many "abc"`)
	}
}

const cplusplusBlocks = `
#include <deque>
#include <forward_list>
#include <queue>
#include <stack>
#include <string>
#include <variant>
struct point { int x; double y; };
struct large { char text[600]; int n; };
using any = std::variant<std::monostate, int, std::string, point, std::variant<char *, double>>;
struct throws { throws() = default; throws(const throws &) { throw 1; } };
__attribute__((noipa)) int show(const std::deque<int> &d, std::deque<std::string> *texts, std::deque<large> &l, const std::forward_list<point> &f, std::forward_list<std::string> &none,
	std::stack<int> &s, std::queue<std::string> &q, std::priority_queue<int> &p) { asm volatile("" ::: "memory"); return d.size(); }
__attribute__((noipa)) int choose(const any &a, any *b, std::variant<int, throws> &gone) { asm volatile("" ::: "memory"); return a.index(); }
int main() {
	std::deque<int> d{-1, 2, 3};
	std::deque<std::string> texts{"one", "two"}; std::deque<large> l(2); l[0].n = 5; l[1].n = 6; l[0].text[0] = 'a'; l[1].text[0] = 'b'; l[0].text[1] = l[1].text[1] = 0;
	std::forward_list<point> f{{1, 2.5}, {3, 4}}; std::forward_list<std::string> none;
	std::stack<int> s; s.push(7); s.push(8); std::queue<std::string> q; q.push("first"); std::priority_queue<int> p; p.push(3); p.push(9);
	show(d, &texts, l, f, none, s, q, p);
	for (int i = 0; i < 515; i++) { d.push_back(i); if (i >= 7) d.pop_front(); } // the first five lie in two blocks of 128
	texts.clear(); l.clear(); f.clear(); none = {"a", "b", "c", "d", "e", "f"}; s.pop(); s.pop(); q.pop(); p.pop();
	show(d, &texts, l, f, none, s, q, p);
	any v[] = {{}, 5, "text", point{6, 0.5}, std::variant<char *, double>(1.25), 7};
	std::variant<int, throws> gone(8);
	for (int i = 0; i < 5; i++) {
		choose(v[i], &v[i + 1], gone);
		try { throws from; gone = from; gone.emplace<throws>(from); } catch (int) {}
	}
}
`

// TestLiveBlocks shows containers that are made of others' parts, and what a variant holds.
func TestLiveBlocks(t *testing.T) {
	for _, optimized := range []string{"-O2", "-O0"} {
		live(t, compiled.Program(t, cplusplusBlocks, "-x", "c++", "-std=c++17", optimized, "-g", "-Wl,--push-state,--no-as-needed,-lstdc++,--pop-state"), `
probe PROBED.function("show") { println($d$, $texts$, $l$$, $l$, $f$$, $none$, $s$, $q$, $p$) }
probe PROBED.function("choose") { println($a$, $b$$, $gone$) }
`,
			`[-1, 2, 3] ["one", "two"] [{.text="a", .n=5}, {.text="b", .n=6}] [{...}, {...}] [{.x=1, .y=2.500000}, {.x=3, .y=4.000000}] [] [7, 8] ["first"] [9, 3]`,
			`[505, 506, 507, 508, 509, ...] [] [] [] [] ["a", "b", "c", "d", "e", ...] [] [] [3]`,
			`{} 5 8`,
			`5 "text" valueless`,
			`"text" {.x=6, .y=0.500000} valueless`,
			`{.x=6, .y=0.500000} 1.250000 valueless`,
			`1.250000 7 valueless`)
	}
}

const faults = `
#include <memory>
#include <string>
#include <vector>
struct point { int x; double y; };
__attribute__((noipa)) int show(std::vector<std::string> &strings, std::vector<point *> &points, std::vector<std::vector<int>> &lists, std::unique_ptr<point> &owned,
	point *p, int *n, std::string &text, const char *c, point *good, int &i) { asm volatile("" ::: "memory"); return good->x; }
int main() {
	std::vector<std::string> strings{"one"}; std::vector<point *> points{(point *)16, nullptr};
	std::vector<std::vector<int>> lists(3, std::vector<int>{1, 2});
	std::unique_ptr<point> owned((point *)32);
	long *inner = (long *)&lists[1]; inner[0] = 64; inner[1] = 72; // the elements of the second are not there
	long *outer = (long *)&strings; outer[0] = 128; outer[1] = 128 + sizeof(std::string);
	point good{1, 2.5};
	show(strings, points, lists, owned, (point *)48, (int *)80, *(std::string *)96, (char *)112, &good, *(int *)144);
	_exit(0);
}
`

// TestLiveFaults shows ? for what can't be read, and the rest.
func TestLiveFaults(t *testing.T) {
	live(t, compiled.Program(t, faults, "-include", "unistd.h", "-x", "c++", "-O2", "-g", "-Wl,--push-state,--no-as-needed,-lstdc++,--pop-state"), `
probe PROBED.function("show") { println($$parms$, " ", $p$, " ", $lists$$, " ", $i$) }
`,
		`strings=[?] points=[0x10, 0x0] lists=[[...], [...], [...]] owned=&? p=? n=0x50 text=? c="?" good={.x=1, .y=2.500000} i=0x90 ? [[1, 2], [?, ?], [1, 2]] ?`)
}

const rust = `
use std::{rc::Rc, sync::Arc};
fn black_box<T>(x: T) -> T { unsafe { std::arch::asm!("/* {0} */", in(reg) &x) }; x }
enum Shape { Circle { r: f64 }, Rect(i32, i32), Named(String), Unit }
#[inline(never)]
fn show(s: &str, owned: &String, v: &Vec<i32>, sl: &[u16], sh: &Shape, o: Option<&i32>, oi: &Option<u32>, t: &(i32, &str)) {
    black_box((s, owned, v, sl, sh, &o, &oi, t));
}
struct Point { x: i32, y: f64 }
struct List { n: u8, next: Option<Box<List>> }
#[inline(never)]
fn own(b: &Box<Point>, n: &Box<i32>, r: &Rc<Point>, a: &Arc<String>, l: &List) { black_box((b, n, r, a, l)); }
fn main() {
    let v = vec![1, -2, 3];
    for sh in [Shape::Circle { r: 1.5 }, Shape::Rect(3, -4), Shape::Named("box".to_string())] {
        show("text", &"owned".to_string(), &v, &[7, 8], &sh, black_box(Some(&9)), &black_box(Some(4)), &(1, "in"));
    }
    own(&Box::new(Point { x: 1, y: 2.5 }), &Box::new(-3), &Rc::new(Point { x: 4, y: 0.5 }), &Arc::new("arc".to_string()),
        &List { n: 1, next: Some(Box::new(List { n: 2, next: None })) });
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
probe PROBED.function("prog::own") { println($$parms$$) }
`,
		`text 2 s="text" owned="owned" v=[1, -2, 3] sl=[7, 8] sh=Circle{.r=1.500000} o=Some(ADDRESS) oi=Some(4) t=(1, "in")`,
		`text 2 s="text" owned="owned" v=[1, -2, 3] sl=[7, 8] sh=Rect(3, -4) o=Some(ADDRESS) oi=Some(4) t=(1, "in")`,
		`text 2 s="text" owned="owned" v=[1, -2, 3] sl=[7, 8] sh=Named("box") o=Some(ADDRESS) oi=Some(4) t=(1, "in")`,
		`b=&{.x=1, .y=2.500000} n=&-3 r=&{.x=4, .y=0.500000} a=&"arc" l={.n=1, .next=Some(&{.n=2, .next=None})}`,
		` 0 s="" owned="" v=[] sl=[] sh=Unit o=None oi=None t=(2, "")`)
}
