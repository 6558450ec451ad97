// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"
	"strings"

	"gostap/manifest"
	"gostap/translator/program"
)

// --monitor: a table tells the runtime how to write each global's value for readers while the script
// runs (runtime-c/kernel/view.c), and the manifest tells the consumer the layout.

// viewed are the globals that users see: not the library's internal ones.
func (g *gen) viewed() []*program.Global {
	var list []*program.Global
	for _, gl := range g.p.Globals {
		if !strings.HasPrefix(gl.Name, "__") {
			list = append(list, gl)
		}
	}
	return list
}

// describeViews fills in the manifest's descriptions of globals and probes.
func (g *gen) describeViews() {
	for _, gl := range g.viewed() {
		v := manifest.View{Name: gl.Name, Value: letter(gl.Type)}
		for _, k := range gl.Keys {
			v.Keys += letter(k)
		}
		if gl.Type == program.Stat {
			v.Min, v.Max = gl.Stat.Min, gl.Stat.Max
			for _, h := range gl.Stat.Hists {
				v.Hists = append(v.Hists, manifest.Hist{Linear: h.Linear, Low: h.Low, High: h.High, Interval: h.Interval})
			}
		}
		g.manifest.Views = append(g.manifest.Views, v)
	}
	rows, _ := g.timingRows()
	for _, r := range rows {
		g.manifest.Probes = append(g.manifest.Probes, manifest.Probe{Name: r.probe, At: scriptPos(r.at).String(), Points: len(r.points)})
	}
}

func letter(t program.Type) string {
	switch t {
	case program.Stat:
		return ""
	case program.String:
		return "s"
	}
	return "l"
}

// viewTable writes the table and the functions that it refers to.
func (g *gen) viewTable(w *writer) {
	viewed := g.viewed()
	for _, gl := range viewed {
		g.packFunc(w, gl)
		if gl.Keys == nil {
			w.line("static __typeof__(%s) first_%s;", g.mainInstance(gl), g.names[gl])
		}
		if gl.Keys == nil && g.isSharded(gl) {
			g.joinScalar(w, gl)
		}
	}
	if len(viewed) == 0 {
		return
	}
	w.line("")
	w.open("static const struct gs_view views[] = {")
	for _, gl := range viewed {
		g.viewRow(w, gl)
	}
	w.close("};")
}

func (g *gen) viewRow(w *writer, gl *program.Global) {
	name, place, gr := g.names[gl], g.mainInstance(gl), g.groupOf[gl]
	fields := []string{fmt.Sprintf(".pack = pack_%s, .row = %d", name, g.rowSize(gl))}
	if gl.Keys != nil {
		fields = append(fields, fmt.Sprintf(".array = &arrays[%d]", g.arrayIndex(gl)))
	} else {
		fields = append(fields, fmt.Sprintf(".place = &%[1]s, .size = sizeof(%[1]s), .first = &first_%[2]s", place, name))
	}
	switch {
	case !gr.sharded:
		fields = append(fields, fmt.Sprintf(".lock = &lock%d", gr.n))
	case gl.Keys != nil:
		fields = append(fields, fmt.Sprintf(".shards = &shards%d", gr.n))
	default:
		fields = append(fields, fmt.Sprintf(".shards = &shards%[1]d, .offset = __builtin_offsetof(struct group%[1]d, g_%[2]s), .join = join_%[2]s", gr.n, name))
	}
	w.line("{ %s },", strings.Join(fields, ", "))
}

// packFunc writes the function that writes a row.
func (g *gen) packFunc(w *writer, gl *program.Global) {
	name := g.names[gl]
	w.line("")
	w.line("static char *pack_%s(char *to, const void *from)", name)
	w.open("{")
	value := "*v"
	if gl.Keys != nil {
		w.line("const struct node_%s *n = from;", name)
		w.line("")
		for i, k := range gl.Keys {
			packValue(w, k, fmt.Sprintf("n->k%d", i+1))
		}
		value = "n->v"
	} else {
		w.line("const __typeof__(%s) *v = from;", g.mainInstance(gl))
		w.line("")
	}
	if gl.Type == program.Stat {
		packStat(w, gl.Stat, "("+value+")")
	} else {
		packValue(w, gl.Type, "("+value+")")
	}
	w.line("return to;")
	w.close("}")
}

func packValue(w *writer, t program.Type, value string) {
	if t == program.String {
		w.line("to = gs_pack_str(to, GS_STR(%s));", value)
	} else {
		w.line("to = gs_pack_long(to, %s);", value)
	}
}

func packStat(w *writer, spec *program.StatSpec, value string) {
	fields := []string{"count", "sum"}
	if spec.Min {
		fields = append(fields, "min")
	}
	if spec.Max {
		fields = append(fields, "max")
	}
	for _, f := range fields {
		w.line("to = gs_pack_long(to, %s.%s);", value, f)
	}
	for i, h := range spec.Hists {
		w.line("for (int i = 0; i < %d; i++)", bucketCount(h))
		w.line("\tto = gs_pack_long(to, %s.hist%d[i]);", value, i)
	}
}

// joinScalar writes the function that moves a CPU's part of a scalar to the sum.
func (g *gen) joinScalar(w *writer, gl *program.Global) {
	name := g.names[gl]
	w.line("")
	w.line("static void join_%s(void *to, void *from)", name)
	w.open("{")
	w.line("__typeof__(%s) *x = to, *y = from;", g.mainInstance(gl))
	w.line("")
	if gl.Type == program.Stat {
		w.line("merge_%s(x, y);", name)
	} else {
		w.line("*x += *y;")
	}
	w.line("__builtin_memset(y, 0, sizeof(*y));")
	w.close("}")
}

// rowSize is the maximal size of a row in bytes.
func (g *gen) rowSize(gl *program.Global) int {
	size := 0
	for i, k := range gl.Keys {
		size += g.packedSize(k, g.bounds.key[gl][i])
	}
	if gl.Type == program.Stat {
		return size + statSize(gl.Stat)
	}
	if gl.Keys == nil {
		return size + g.packedSize(gl.Type, g.bounds.maxLen)
	}
	return size + g.packedSize(gl.Type, g.bounds.value[gl])
}

func (g *gen) packedSize(t program.Type, bound int) int {
	if t == program.String {
		return 2 + g.textSize(bound)
	}
	return 8
}
