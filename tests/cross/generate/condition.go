// SPDX-License-Identifier: GPL-2.0-or-later

package generate

import (
	"fmt"
	"strings"
)

// condition writes the items into a probe's condition, which is evaluated whenever a timer has changed
// what it reads.
func condition(line func(string, ...any), items []*Item, point string) {
	line("global turns\nfunction ask:long() {\n\tk = turns\n\ti = turns %% %d\n\tv = 0\n\tt = \"\"", len(items))
	line("\ttry {")
	choose(line, items, false)
	line("\t} catch { v = 1 }")
	choose(line, items, true)
	line("\treturn turns %% 2 + (v == 42 && t == \"42\")\n}")
	line("probe timer.ms(5) { if (ending) exit() if (!enough) { ran[turns %% %d] <<< 1 turns++ } }", len(items))
	line("probe %s if (ask()) { produced <<< 1 printf(\"[event %%d]\\n\", turns) }", point)
}

// Conditions is a script with a probe for each item, whose condition contains it: gostap rejects those
// that are not allowed, by the calls of ask_NUMBER().
func Conditions(items []Item) string {
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(common, "LAST", "end"))
	for i, it := range items {
		fmt.Fprintf(&b, "%s\nfunction ask_%d:long() { k = enough v = 0 t = \"\" %s return v + (t == \"42\") }\n", it.Globals, i, it.Code)
		fmt.Fprintf(&b, "probe timer.s(1) if (ask_%d()) { enough++ }\n", i)
	}
	return b.String()
}

// Calls is a script with a probe for each item that calls a function: gostap rejects those for which
// the kernel lacks something.
func Calls(items []Item) string {
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(common, "LAST", "end"))
	for _, it := range items {
		if it.Function {
			fmt.Fprintf(&b, "probe timer.s(1) { k = enough v = 0 t = \"\" %s println(v, t) }\n", it.Code)
		}
	}
	return b.String()
}
