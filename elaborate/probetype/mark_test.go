// SPDX-License-Identifier: GPL-2.0-or-later

package probetype_test

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"gostap/elaborate/internal/compiled"
	"gostap/elaborate/internal/elaborated"
)

var marked = `
#include <stdio.h>
__extension__ unsigned short app_done_semaphore __attribute__((unused)) __attribute__((section(".probes"))) = 0;
long total = 5;
int main(int argc, char **argv) {` +
	compiled.Mark("first", "app", "start", "0", "-4@%edi 8@%rsi -1@%ah 2@$65535 8@-16(%rbp,%rcx,4) -8@total+8(%rip) 3@%eax 4@-4(%rsp) 8@what(%rip)") +
	compiled.Mark("again", "other", "start", "0", "") +
	compiled.Mark("second", "app", "done", "app_done_semaphore", "-4@$-5") +
	compiled.Mark("third", "app", "float", "0", "8f@%xmm0 4f@%xmm9 4f@-4(%rbp) 8f@%rdx 4f@%eax -8@%xmm1 16f@(%rsp)") + `
	puts(argv[0]);
	return total;
}
`

func TestMarks(t *testing.T) {
	for _, flags := range [][]string{{"-g"}, {"-no-pie"}} {
		path := compiled.Program(t, marked, flags...)
		for point, want := range map[string]string{
			`mark("start")`:                  `again start, first start`,
			`provider("app").mark("*")`:      `first start, second done, third float`,
			`provider("o*").mark("start")`:   `again start`,
			`mark("d?ne")`:                   `second done`,
			`mark("dome")`:                   `did you mean "done"?`,
			`provider("app").mark("nosuch")`: `there is start, done, float`,
		} {
			component := strings.Split(point, ".")
			e, diags := elaborated.OnProgram(t, fmt.Sprintf("probe process(%q).%s { println($$name) }", path, point))
			if diags != nil {
				if !strings.Contains(diags.Error(), want) {
					t.Errorf("%v: %s: %v, want %s", flags, point, diags, want)
				}
				continue
			}
			var got []string
			for _, p := range e.Probes {
				for _, pt := range p.Points {
					name := strings.Trim(elaborated.Values(p)[0], `"`)
					at := place(t, path, pt.FileOffset)
					got = append(got, at+" "+name)
					if !strings.Contains(pt.Name, fmt.Sprintf(".mark(%q)", name)) || strings.Contains(pt.Name, "provider") != (len(component) > 1) || pt.Family != "uprobe" {
						t.Errorf("%s: %+v", point, pt)
					}
					if (pt.RefCounter != 0) != (at == "second") {
						t.Errorf("%s: the reference counter of %s is at %#x", point, at, pt.RefCounter)
					}
				}
			}
			sort.Strings(got)
			if text := strings.Join(got, ", "); text != want {
				t.Errorf("%v: %s: %s, want %s", flags, point, text, want)
			}
		}
		symbols := map[string]int64{}
		for _, line := range strings.Split(compiled.Run(t, "nm", path), "\n") {
			var addr int64
			var kind, name string
			fmt.Sscanf(line, "%x %s %s", &addr, &kind, &name)
			symbols[name] = addr
		}
		e, diags := elaborated.OnProgram(t, fmt.Sprintf(`probe process(%q).provider("app").mark("start") { println(
			$arg1, $arg2, $arg3, $arg4, $arg5, $arg6, $arg8, &$arg5, $$provider, $arg7, $arg9, $arg10, $arg1->x, $$parms) }`, path))
		if diags != nil {
			t.Fatal(diags)
		}
		total := symbols["total"] + 8 - symbols["first"]
		for i, want := range []string{
			"s4(reg5)", "reg4", "s1((reg0 >>> 8))", "u2(65535)", "u8[user (reg6 + ((reg2 * 4) + -16))]", fmt.Sprintf("s8[user (probed + %d)]", total),
			"u4[user (reg7 + -4)]", "(reg6 + ((reg2 * 4) + -16))", `"app"`,
			"its operand \"3@%eax\" is of a form that is not known", "counts from a symbol that " + path + " does not have", "no $arg10: the mark \"start\" has $arg1",
			"of what type $arg1 is, the mark \"start\" does not tell", `sprintf("arg1=%#x arg2=%#x arg3=%#x arg4=%#x arg5=%#x arg6=%#x arg7=? arg8=%#x arg9=?", s4(reg5), reg4`,
		} {
			if got := elaborated.Values(e.Probes[0])[i]; !strings.Contains(got, want) || i < 8 && got != want {
				t.Errorf("%v: value %d is %s, want %s", flags, i+1, got, want)
			}
		}
	}
}

func TestFloatMarks(t *testing.T) {
	path := compiled.Program(t, marked, "-g")
	e, diags := elaborated.OnProgram(t, fmt.Sprintf(`probe process(%q).mark("float") { println($arg1, $arg2, $arg3, $arg4, $arg5, $arg6, &$arg3, $$vars, $arg7) }
		probe process(%q).mark("float") { $arg1 = 0; $arg3 = 0 }`, path, path))
	if diags != nil {
		t.Fatal(diags)
	}
	values := elaborated.Values(e.Probes[0])
	for i, want := range []string{
		"reg17", "{fp32_to_fp64($operand)}", "{fp32_to_fp64($operand)}", "reg1", "{fp32_to_fp64($operand)}", "reg18", "(reg6 + -4)",
		`sprintf("arg1=%s arg2=%s arg3=%s arg4=%s arg5=%s arg6=%s arg7=?", {fp_to_string($operand, 6)}, {`,
		`its operand "16f@(%rsp)" is of a form that is not known`,
	} {
		if got := values[i]; !strings.Contains(got, want) || i < 7 && got != want {
			t.Errorf("value %d is %s, want %s", i+1, got, want)
		}
	}
	for _, v := range e.Probes[1].Values {
		if v.Store != nil {
			t.Errorf("%v can be assigned to", v.Store)
		}
	}
}

func TestPLT(t *testing.T) {
	path := compiled.Program(t, marked, "-Wl,-z,lazy", "-fcf-protection=none")
	e, diags := elaborated.OnProgram(t, fmt.Sprintf(`probe process(%q).plt("put?") { println($$name) } probe process(%q).plt("puts").return { println($return) }`, path, path))
	if diags != nil {
		t.Fatal(diags)
	}
	for i, want := range []string{"uprobe " + `.plt("puts")`, "uretprobe " + `.plt("puts").return`} {
		pt := e.Probes[i].Points[0]
		dump := compiled.Run(t, "objdump", "-d", "--start-address", fmt.Sprint(pt.FileOffset), "--stop-address", fmt.Sprint(pt.FileOffset+6), path)
		if got := pt.Family + " " + strings.TrimPrefix(pt.Name, fmt.Sprintf("process(%q)", path)); got != want || !strings.Contains(dump, "<puts@plt>:") {
			t.Errorf("%s, want %s\n%s", got, want, dump)
		}
	}
	if got := elaborated.Values(e.Probes[0])[0]; got != `"puts"` {
		t.Errorf("$$name is %s", got)
	}
	if got := elaborated.Values(e.Probes[1])[0]; got != "ret" {
		t.Errorf("$return is %s", got)
	}
}
