// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gostap/manifest"
	"gostap/translator/program"
)

// pointTable writes the sites of each probe's points.
func (g *gen) pointTable(w *writer) {
	g.returnTable(w)
	g.rowTables(w)
	w.line("")
	n := -1
	same := g.sameProbes()
	asked := slices.ContainsFunc(g.p.Functions, func(f *program.Function) bool { return f.Script == "pn" })
	w.open("static const struct gs_point points[] = {")
	for i, pr := range g.p.Probes {
		for _, pt := range pr.Points {
			symbol := "GS_NO_SYMBOL"
			if pt.Symbol != "" {
				symbol = fmt.Sprint(g.symbol(pt.Image, pt.Symbol, pt.SymbolOffset))
			}
			fn := "NULL"
			if pt.Func != "" {
				fn = cString(pt.Func)
			}
			offset := pt.Offset
			if pt.Image.Path != "" {
				offset = int64(pt.FileOffset)
			}
			returns, of := "NULL", 0
			if n++; len(pt.Returns) > 0 {
				returns = fmt.Sprintf("returns_%d", n)
			}
			if pt.Program != "" {
				of = g.image(program.Image{Path: pt.Program})
			}
			file := "NULL"
			if pt.File != "" {
				file = cString(pt.File)
			}
			script := "NULL"
			if asked && pt.Script != "" {
				script = cString(pt.Script)
			}
			w.line("{ %s, %s, %s, %d, %d, %s, %s, %d, { %s, %s }, %d, %d, %s, %s, %d, %d, %s, %s },", cString(pt.Family), cString(pt.Name), fn,
				same[i], g.image(pt.Image), symbol, number(offset), pt.RefCounter, number(pt.Args[0]), number(pt.Args[1]), of, len(pt.Returns), returns, file,
				min(len(pt.Name), int(g.opts.Limits.MaxStringLen)-1), min(len(pt.Func), int(g.opts.Limits.MaxStringLen)-1), cmp.Or(g.rows[pr], "NULL"), script)
			g.manifest.Points = append(g.manifest.Points, manifest.Point{Name: pt.Name, Probe: pr.Name})
		}
	}
	if g.opts.Timing {
		g.timingPoints(w)
	}
	w.close("};")
}

// returnTable writes the offsets of each point's return instructions.
func (g *gen) returnTable(w *writer) {
	n := 0
	for _, pr := range g.p.Probes {
		for _, pt := range pr.Points {
			if len(pt.Returns) > 0 {
				var list []string
				for _, offset := range pt.Returns {
					list = append(list, fmt.Sprintf("%#x", offset))
				}
				w.line("static const gs_u64 returns_%d[] = { %s };", n, strings.Join(list, ", "))
			}
			n++
		}
	}
}
