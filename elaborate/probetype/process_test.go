// SPDX-License-Identifier: GPL-2.0-or-later

package probetype_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gostap/elaborate/internal/compiled"
	"gostap/elaborate/internal/elaborated"
	"gostap/elaborate/internal/exprtext"
	"gostap/translator/program"
)

// traced is a program with functions of all kinds.
const traced = `
#include <stdio.h>
enum color { RED, GREEN = 7 };
struct point { int x, y; struct point *next; char name[8]; unsigned bits : 3, more : 5; };
struct opaque;
static int counter = 3;
int shown = 4;
static inline __attribute__((always_inline)) int twice(int n) { counter += n; return 2 * n; }
__attribute__((noinline)) int area(struct point *p, const char *label, enum color c)
{
	int sum = p->x + p->y;
	if (sum > 1000)
		goto out;
	sum = twice(sum) + c;
	puts(label);
out:
	return sum + (label != NULL);
}
__attribute__((noinline)) static long level2(long n) { asm volatile(""); return n * 3 + shown; }
__attribute__((noinline)) long level1(long n) { asm volatile(""); return level2(n) + 1; }
int main(int argc, char **argv)
{
	struct point two = { 3, 4, NULL, "two" }, one = { 1, 2, &two, "one", 5, 9 };
	printf("%d %ld\n", area(&one, argv[0], GREEN), level1(argc));
	return 0;
}
`

// points lists the sites of a probe point in a program: the family, the name, and the position in the
// file as a function and an offset.
func points(t *testing.T, path, point string) (list []string) {
	t.Helper()
	e, diags := elaborated.OnProgram(t, fmt.Sprintf("probe process(%q).%s { }", path, point))
	if len(diags) > 0 {
		return []string{diags.Error()}
	}
	for _, p := range e.Probes {
		for _, pt := range p.Points {
			if pt.Image.Path != path || len(pt.Image.BuildID) != 40 || pt.Symbol != "" {
				t.Errorf("%s: the site is %+v", point, pt.Site)
			}
			name := strings.ReplaceAll(pt.Name, filepath.Dir(path), "DIR")
			list = append(list, fmt.Sprintf("%s %s %s", pt.Family, name, place(t, path, pt.FileOffset)))
		}
	}
	slices.Sort(list)
	return list
}

// segmentsOf and symbolsOf are the outputs of readelf and nm for a program's file, which are needed for
// every point.
var segmentsOf, symbolsOf = onceEach("readelf", "-lW"), onceEach("nm")

// onceEach returns a function that runs a command once for each path.
func onceEach(name string, args ...string) func(t *testing.T, path string) string {
	printed := map[string]string{}
	return func(t *testing.T, path string) string {
		text, ok := printed[path]
		if !ok {
			text = compiled.Run(t, name, append(slices.Clone(args), path)...)
			printed[path] = text
		}
		return text
	}
}

// place describes an offset in a program's file, by readelf's segments and nm's symbols.
func place(t *testing.T, path string, offset uint64) string {
	t.Helper()
	load := regexp.MustCompile(`LOAD +0x([0-9a-f]+) 0x([0-9a-f]+) 0x[0-9a-f]+ 0x([0-9a-f]+) `)
	number := func(s string) uint64 {
		n, err := strconv.ParseUint(s, 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	addr := uint64(0)
	for _, m := range load.FindAllStringSubmatch(segmentsOf(t, path), -1) {
		if from := number(m[1]); offset >= from && offset-from < number(m[3]) {
			addr = offset - from + number(m[2])
		}
	}
	best, name := uint64(0), "nowhere"
	for _, line := range strings.Split(symbolsOf(t, path), "\n") {
		words := strings.Fields(line)
		if len(words) == 3 && strings.Contains("tT", words[1]) {
			if at := number(words[0]); at <= addr && at > best {
				best, name = at, words[2]
			}
		}
	}
	if addr == best {
		return name
	}
	return name + "+"
}

func TestProcessFunctions(t *testing.T) {
	for _, flags := range [][]string{{"-O2"}, {"-O0"}, {"-O2", "-gdwarf-4", "-no-pie"}, {"-O0", "-gdwarf-4"}, {"-O2", "-static"}, {"-O2", "-static-pie"}} {
		path := compiled.Program(t, traced, append(flags, "-g")...)
		for point, want := range map[string]string{
			`function("area")`:                           `uprobe process("DIR/prog").function("area@DIR/prog.c:9") area`,
			`function("area@prog.c")`:                    `uprobe process("DIR/prog").function("area@DIR/prog.c:9") area`,
			`function("*@prog.c:22")`:                    `uprobe process("DIR/prog").function("main@DIR/prog.c:21") main`,
			`function("level[12]").call`:                 `uprobe process("DIR/prog").function("level1@DIR/prog.c:20").call level1, uprobe process("DIR/prog").function("level2@DIR/prog.c:19").call level2`,
			`function("level1").return`:                  `uretprobe process("DIR/prog").function("level1@DIR/prog.c:20").return level1`,
			`function("twice")`:                          `uprobe process("DIR/prog").function("twice@DIR/prog.c:8") area+`,
			`function("twice").inline`:                   `uprobe process("DIR/prog").function("twice@DIR/prog.c:8").inline area+`,
			`function("area").label("out")`:              `uprobe process("DIR/prog").function("area@DIR/prog.c:16").label("out") area+`,
			`function("level1").callee("level2")`:        `uprobe process("DIR/prog").function("level1@DIR/prog.c:20").callee("level2@DIR/prog.c:19") level2`,
			`function("level1").callee("level2").return`: `uretprobe process("DIR/prog").function("level1@DIR/prog.c:20").callee("level2@DIR/prog.c:19").return level2`,
			`statement("area@prog.c:11")`:                `uprobe process("DIR/prog").statement("area@DIR/prog.c:11") area+`,
			`statement("level1@prog.c")`:                 `uprobe process("DIR/prog").statement("level1@DIR/prog.c:20") level1`,
		} {
			got := strings.Join(points(t, path, point), ", ")
			if slices.Contains(flags, "-O0") && strings.Contains(point, "callee") {
				want = got // gcc records calls only if it optimizes
			}
			if strings.Contains(point, "statement(\"area") && strings.HasSuffix(got, " area") {
				got += "+" // the line may be the function's first
			}
			if got != want {
				t.Errorf("%v: %s\n got  %s\n want %s", flags, point, got, want)
			}
		}
	}
}

func TestProcessErrors(t *testing.T) {
	path := compiled.Program(t, traced, "-O2", "-g")
	for point, want := range map[string]string{
		`function("aera")`:                   `matches "aera" (did you mean "area"?)`,
		`function("main.(*item).take")`:      `no function of ` + path + ` matches "main.(*item).take"`,
		`function("aera@prog.c")`:            `matches "aera" in `,
		`function("twice").return`:           "an inlined function has no return",
		`function("area").label("in")`:       `has no label with code behind it that matches`,
		`statement("area@prog.c:900")`:       "no code begins at that line",
		`statement(1)`:                       "0x1: ",
		`statement(1).absolute`:              "0x1 can't be probed: it is in no code of ",
		`mark("m")`:                          "has no static marks",
		`plt("qqqqq")`:                       "it calls ",
		`library("libd.so").function("f")`:   `loads no library "libd.so"`,
		`function("f").return.maxactive(-1)`: "maxactive(-1) must be from 0",
		`mark`:                               "is written mark(string) here",
	} {
		if got := strings.Join(points(t, path, point), ", "); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %q", point, got, want)
		}
	}
	for script, want := range map[string]string{
		// What the program begins with has argc where a return address would be.
		fmt.Sprintf(`probe process(%q).function("_start").return {}`, path): `"_start" can't be probed: it is not called, so that it does not return`,
		`probe process("no-such-program").plt {}`:                           `there is no program "no-such-program" in $PATH`,
		`probe process.function("main") {}`:                                 "process without a name is what -c CMD starts",
		`probe process(999999999).function("f") {}`:                         "there is no process 999999999",
		`probe process(0).function("f") {}`:                                 "cannot probe pid 0: Invalid pid",
		`probe process(-1).begin {}`:                                        "cannot probe pid -1: Invalid pid",
	} {
		if _, diags := elaborated.OnProgram(t, script); diags == nil || !strings.Contains(diags.Error(), want) {
			t.Errorf("%s: %v, want %q", script, diags, want)
		}
	}
}

// TestStripped probes programs without debuginfo, and with debuginfo in a file of its own.
func TestStripped(t *testing.T) {
	path := compiled.Program(t, traced, "-O2", "-g")
	compiled.Run(t, "objcopy", "--only-keep-debug", path, path+".debug")
	compiled.Run(t, "strip", "--strip-debug", path)
	if got := points(t, path, `function("level*")`); len(got) != 2 || !strings.HasSuffix(got[1], `.function("level2") level2`) {
		t.Errorf("without debuginfo: %v", got)
	}
	if got := points(t, path, `function("level1@prog.c")`); !strings.Contains(got[0], "known only from debuginfo of "+path+", which is not installed") {
		t.Errorf("without debuginfo: %v", got)
	}
	_, diags := elaborated.OnProgram(t, fmt.Sprintf(`probe process(%q).function("level1") { println($n) }`, path))
	if diags != nil { // errors of values are reported by the checker, which is not run here
		t.Error(diags)
	}
	e, _ := elaborated.OnProgram(t, fmt.Sprintf(`probe process(%q).function("level*") { println($$parms, $n) }`, path))
	values := elaborated.Values(e.Probes[0])
	if len(values) != 2 || values[0] != `sprintf("")` || !strings.Contains(values[1], "int_arg(1)") {
		t.Errorf("without debuginfo: %v", values)
	}
	e, _ = elaborated.OnProgram(t, fmt.Sprintf(`probe process(%q).function("level1") { println($arg2, $arg8) $arg1 = 3 } probe process(%q).function("level1").return { println($arg1) }`, path, path))
	if got := elaborated.Values(e.Probes[0]); !slices.Equal(got, []string{"arg1", "u8[user (reg7 + 16)]", "arg0"}) {
		t.Errorf("arguments by number: %v", got)
	}
	if got := e.Probes[1].Saved; len(got) != 1 || exprtext.Spell(got[0]) != "arg0" {
		t.Errorf("an argument by number in a return probe: %v", got)
	}
	compiled.Run(t, "objcopy", "--add-gnu-debuglink="+path+".debug", path)
	// The debuginfo of another program is not used.
	other := compiled.Program(t, "int main(void) { return 1; }", "-g")
	compiled.Run(t, "cp", path+".debug", path+".kept")
	compiled.Run(t, "objcopy", "--only-keep-debug", other, path+".debug")
	if _, diags := elaborated.OnProgram(t, fmt.Sprintf(`probe process(%q).function("level1") { }`, path)); !strings.Contains(fmt.Sprint(diags), "is of another build") {
		t.Errorf("the debuginfo of another program: %v", diags)
	}
	compiled.Run(t, "mv", path+".kept", path+".debug")
	// At -O2 main's frame is described by .eh_frame, which only the program has.
	e, diags = elaborated.OnProgram(t, fmt.Sprintf(`probe process(%q).function("level1") { println($n) } probe process(%q).statement("main@prog.c:24") { println($one->x) }`, path, path))
	if diags != nil {
		t.Fatal(diags)
	}
	if got := elaborated.Values(e.Probes[0]); got[0] != "arg0" {
		t.Errorf("by .gnu_debuglink: %v", got)
	}
	if got := elaborated.Values(e.Probes[1]); !strings.HasPrefix(got[0], "s4[user (reg7 + ") {
		t.Errorf("by .gnu_debuglink: %v", got)
	}
}

// TestProcessNumber probes a running process.
func TestProcessNumber(t *testing.T) {
	sleeping := compiled.Program(t, "#include <unistd.h>\nint wait_here(int n) { return pause() + n; } int main(void) { return wait_here(4); }", "-O0", "-g")
	cmd := exec.Command(sleeping)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	pid := cmd.Process.Pid
	e, diags := elaborated.OnProgram(t, fmt.Sprintf(`probe process(%d).function("wait_here") { }`, pid))
	if diags != nil {
		t.Fatal(diags)
	}
	pt := e.Probes[0].Points[0]
	if pt.Args != [2]int64{0, int64(pid)} || pt.Image.Path != sleeping || !strings.HasPrefix(pt.Name, fmt.Sprintf(`process(%d).function("wait_here@`, pid)) {
		t.Errorf("%+v", pt)
	}
	// The same by the address in the process.
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(maps), "\n") {
		var low, high, offset uint64
		var rights string
		fmt.Sscanf(line, "%x-%x %s %x", &low, &high, &rights, &offset)
		if !strings.HasSuffix(line, sleeping) || rights != "r-xp" {
			continue
		}
		addr := low + pt.FileOffset - offset
		e, diags := elaborated.OnProgram(t, fmt.Sprintf(`probe process(%d).statement(%#x).absolute { println($n) }`, pid, addr))
		if diags != nil {
			t.Fatal(diags)
		}
		if got := elaborated.Values(e.Probes[0]); got[0] != "s4(arg0)" {
			t.Errorf("by its address: $n is %s", got[0])
		}
		if at := e.Probes[0].Points[0]; at.FileOffset != pt.FileOffset || at.Image != pt.Image || at.Func != "wait_here" {
			t.Errorf("by its address: %+v", at)
		}
	}
	// Its program is not there any more, but still runs.
	if err := os.Remove(sleeping); err != nil {
		t.Fatal(err)
	}
	e, diags = elaborated.OnProgram(t, fmt.Sprintf(`probe process(%d).function("wait_here") { println($n) }`, pid))
	if diags != nil {
		t.Fatal(diags)
	}
	if got := e.Probes[0].Points[0]; got.FileOffset != pt.FileOffset || got.Image.BuildID != pt.Image.BuildID || got.Image.Path != fmt.Sprintf("/proc/%d/exe", pid) {
		t.Errorf("removed: %+v", got)
	}

}

func TestLibraryFunctions(t *testing.T) {
	path := compiled.Program(t, traced)
	e, diags := elaborated.OnProgram(t, fmt.Sprintf(`probe process(%q).library("libc.so.*").function("puts").return.maxactive(5) { }`, path))
	if diags != nil {
		t.Fatal(diags)
	}
	pt := e.Probes[0].Points[0]
	if pt.Family != "uretprobe" || pt.Args[0] != 5 || pt.Program != path || !strings.HasPrefix(filepath.Base(pt.Image.Path), "libc.so") ||
		!strings.HasPrefix(pt.Name, fmt.Sprintf("process(%q).library(%q).function(", path, pt.Image.Path)) {
		t.Errorf("%+v", pt)
	}
}

func TestProcessEvents(t *testing.T) {
	path := compiled.Program(t, "int main(void) { return 0; }")
	for point, want := range map[string]struct {
		event, pid int64
		path       string
	}{
		"process.begin":  {program.ProcessBegin, 0, ""},
		"process(1).end": {program.ProcessEnd, 1, ""},
		fmt.Sprintf("process(%q).thread.begin", path):   {program.ThreadBegin, 0, path},
		"process.thread.end":                            {program.ThreadEnd, 0, ""},
		"process.syscall":                               {program.SyscallEntry, 0, ""},
		fmt.Sprintf("process(%q).syscall.return", path): {program.SyscallReturn, 0, path},
	} {
		e, diags := elaborated.OnProgram(t, "probe "+point+" { }")
		if diags != nil {
			t.Fatal(diags)
		}
		pt := e.Probes[0].Points[0]
		if pt.Family != "process" || pt.Args != [2]int64{want.event, want.pid} || pt.Image.Path != want.path || pt.Name != point {
			t.Errorf("%s: %+v", point, pt)
		}
	}
	for point, want := range map[string][2]int64{
		"process(1).insn": {program.StepInsn, 1},
		fmt.Sprintf("process(%q).insn.block", path): {program.StepBlock, 0},
	} {
		e, diags := elaborated.OnProgram(t, "probe "+point+" { }")
		if diags != nil {
			t.Fatal(diags)
		}
		if pt := e.Probes[0].Points[0]; pt.Family != "step" || pt.Args != want || pt.Name != point {
			t.Errorf("%s: %+v", point, pt)
		}
	}
	for _, missing := range []string{"/nosuch/program", "nosuchprogram"} {
		e, diags := elaborated.OnProgram(t, fmt.Sprintf("probe process(%q).begin, process(%q).insn? { }", missing, missing))
		if diags != nil || len(e.Probes[0].Points) != 2 || e.Probes[0].Points[0].Image.Path != missing {
			t.Errorf("%s: %v", missing, diags)
		}
	}
	e, diags := elaborated.OnProgram(t, `probe process.syscall { println($syscall, $arg1, $arg4, $$vars) } probe process.syscall.return { println($syscall, $return) }`)
	if diags != nil {
		t.Fatal(diags)
	}
	if got := strings.Join(elaborated.Values(e.Probes[0])[:3], " "); got != "nr reg5 reg10" || !e.Probes[0].Points[0].Registers {
		t.Errorf("system calls: %s", got)
	}
	if got := strings.Join(elaborated.Values(e.Probes[1]), " "); got != "nr reg0" {
		t.Errorf("their returns: %s", got)
	}
}

// TestSeveralPrograms: a wildcard matches the programs that have the function, and .exported the
// functions that are not static.
func TestSeveralPrograms(t *testing.T) {
	one := compiled.Program(t, traced, "-O2", "-g", "-rdynamic")
	dir := filepath.Dir(one)
	compiled.Run(t, "cp", one, filepath.Join(dir, "second"))
	compiled.Run(t, "strip", filepath.Join(dir, "second"))
	compiled.Run(t, "cp", compiled.Program(t, "int main(void) { return 0; }"), filepath.Join(dir, "third"))
	for point, want := range map[string]string{
		`function("level1")`:                    `prog level1@DIR/prog.c:20, second level1`,
		`function("level?").exported`:           `prog level1@DIR/prog.c:20, second level1`,
		`function("main").exported`:             `prog main@DIR/prog.c:21, second main, third main`,
		`function("frame_dummy").exported`:      `none of the 3 programs and libraries that match has it; for one, `,
		`function("level2")`:                    `prog level2@DIR/prog.c:19`,
		`function("main@prog.c").return`:        `prog main@DIR/prog.c:21`,
		`library("libc.so.6").function("puts")`: `prog puts, second puts, third puts`,
		`function("nowhere")`:                   `none of the 3 programs and libraries that match has it; for one, no function of `,
	} {
		e, diags := elaborated.OnProgram(t, fmt.Sprintf("probe process(%q).%s { }", dir+"/*", point))
		if diags != nil {
			if !strings.Contains(diags.Error(), want) {
				t.Errorf("%s: %v, want %s", point, diags, want)
			}
			continue
		}
		var got []string
		for _, p := range e.Probes {
			for _, pt := range p.Points {
				name := regexp.MustCompile(`\.function\("_?_?(?:IO_)?([^"]*)"\)`).FindStringSubmatch(strings.ReplaceAll(pt.Name, dir, "DIR"))
				program := pt.Program
				if program == "" {
					program = pt.Image.Path
				} else {
					name[1], _, _ = strings.Cut(name[1], "@")
				}
				got = append(got, filepath.Base(program)+" "+name[1])
			}
		}
		slices.Sort(got)
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("%s: %s, want %s", point, text, want)
		}
	}
}
