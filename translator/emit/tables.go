// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"

	"gostap/manifest"
	"gostap/translator/program"
)

// assemble writes the C file.
func (g *gen) assemble(parts int) []byte {
	g.fillManifest()
	if g.opts.Monitor {
		g.describeViews()
	}
	var points writer
	g.pointTable(&points)
	w := &writer{}
	w.line("/* SPDX-License-Identifier: GPL-2.0-or-later */")
	w.line("/* Made by gostap from a script; changes will be lost. */")
	w.line("#include \"gostap.h\"")
	w.line("")
	w.line("#pragma GCC diagnostic ignored \"-Wdeclaration-after-statement\"")
	w.line("")
	linkage(w, parts)
	g.limitTexts(w)
	g.frames(w)
	g.declareArrays(w)
	g.dataTypes(w)
	w.line("")
	g.globals(w)
	g.drains(w)
	w.line("")
	w.Write(g.protos.Bytes())
	w.Write(g.helpers.Bytes())
	g.code(w, parts)
	w.Write(g.aliases.Bytes())
	w.line("")
	w.line("#line %d %s", lines(w)+2, cString(g.fileName()))
	g.arrayTable(w)
	w.Write(points.Bytes())
	if g.timed() {
		g.timing(w)
	}
	if g.opts.Monitor {
		g.viewTable(w)
	}
	g.programTable(w)
	if parts > 1 {
		w.line("#endif")
	}
	return w.Bytes()
}

func lines(w *writer) int { return strings.Count(w.String(), "\n") }

func (g *gen) fileName() string {
	if g.opts.Module == "" {
		return "script.c"
	}
	return g.opts.Module + ".c"
}

// errorText is an error's message: with AsStap only its name, as SystemTap prints it.
func (g *gen) errorText(error, more string) string {
	if g.opts.AsStap {
		return error
	}
	return error + ": " + more
}

func (g *gen) limitTexts(w *writer) {
	l := &g.opts.Limits
	text := func(name, attributes, error, more string) {
		w.line("SHARED const char %s[]%s%s;", name, attributes, initial(cString(g.errorText(error, more))))
	}
	text("too_many_actions", " "+unused, "MAXACTION exceeded", fmt.Sprintf("more than %d loop iterations and calls, or %d in begin, end and error probes%s",
		l.hot(), l.cold(), raised("MAXACTION", l.MaxAction, maxLimit)))
	text("too_many_steps", "", "MAXARRAYSTEPS exceeded", fmt.Sprintf("sorting, joining and clearing arrays takes more than %d steps in a probe that others wait for; do it in an end probe, or give foreach a limit%s",
		l.steps(), raised("MAXARRAYSTEPS", l.steps(), maxHotSteps)))
	text("too_long", "", "MAXACTION exceeded", "the handler takes more than two seconds, while nothing else runs on its processor; let it do less, or do it in an end probe")
	text("too_deep", " "+unused, "MAXNESTING exceeded", fmt.Sprintf("more than %d nested function calls; raise it with -DMAXNESTING=%d", g.nesting, 2*g.nesting))
	w.line("")
	w.line("/* What no catch block gets: the limits of a handler as a whole, and abort(), which is no error. */")
	w.line("static inline %s int is_final(const char *error)", unused)
	w.open("{")
	w.line("return error == gs_aborted || error == too_many_actions || error == too_many_steps || error == too_long || error == too_deep;")
	w.close("}")
}

// frames writes the size of each function's own strings, behind which the frames of its callees begin.
func (g *gen) frames(w *writer) {
	w.line("")
	w.open("enum {")
	written := map[string]bool{}
	for _, f := range slices.Concat(g.roots, g.queue) {
		if !written[f.name] {
			written[f.name] = true
			w.line("FRAME_%s = %d,", f.name, f.frame)
		}
	}
	w.close("};")
}

// frameSize is the frame size, in bytes, of the deepest chain of calls: a recursive function counts as
// often as the nesting limit allows. The last MAXSTRINGLEN bytes are for embedded C.
func (g *gen) frameSize() int {
	frames := chains(g.roots, (*cFunc).called, func(f *cFunc) int {
		if f.fn != nil && g.a.recursive[f.fn] {
			return (f.frame + 8) * int(g.nesting+1)
		}
		return f.frame
	})
	deepest := 0
	for _, f := range g.roots {
		deepest = max(deepest, frames[f])
	}
	return deepest + int(g.opts.Limits.MaxStringLen)
}

// programTable writes gs_program, and the tables that it refers to and that are not written elsewhere.
func (g *gen) programTable(w *writer) {
	nprobes := g.probeTable(w)
	settable := g.settable()
	g.globalTable(w, settable)
	g.imageTable(w)
	inModules := g.moduleSymbols(w)
	w.line("const volatile gs_u32 gs_stack_use[%d] __attribute__((section(\".data\"))) = { 0 };", nprobes) // see Output.StackUse
	w.line("")
	w.open("const struct gs_program gs_program = {")
	w.line(".abi = GS_ABI,")
	w.line(".nprobes = %d,", nprobes)
	w.line(".npoints = %d,", len(g.manifest.Points))
	w.line(".nsymbols = %d,", len(g.manifest.Symbols))
	w.line(".probes = probes,")
	w.line(".points = points,")
	table := func(n int, name string) {
		if n > 0 {
			w.line(".n%s = %d,", name, n)
			w.line(".%s = %s,", name, name)
		}
	}
	table(len(g.manifest.Images), "images")
	table(len(settable), "globals")
	table(inModules, "module_symbols")
	table(len(g.arrays()), "arrays")
	table(len(g.shards()), "shards")
	table(len(g.manifest.Views), "views")
	if g.opts.Monitor {
		w.line(".ntimings = sizeof(timings) / sizeof(timings[0]),")
		w.line(".timings = timings,")
	}
	flag := func(set bool, name string) {
		if set {
			w.line(".%s = 1,", name)
		}
	}
	flag(g.manifest.UserStacks, "user_stacks")
	flag(g.manifest.Tasks, "tasks")
	flag(g.opts.Unprivileged, "unprivileged")
	flag(g.manifest.KernelLines, "kernel_lines")
	w.line(".frame_size = %d,", g.frameSize())
	g.programLimits(w)
	w.close("};")
}

func (g *gen) programLimits(w *writer) {
	l := &g.opts.Limits
	w.open(".limits = {")
	w.line(".maxerrors = %du,", l.MaxErrors)
	w.line(".maxmapentries = %du,", l.MaxMapEntries)
	w.line(".maxskipped = %du,", l.MaxSkipped)
	w.line(".maxtrylock = %du,", l.tryLock())
	w.line(".trylockdelay = %du,", l.tryLockDelay())
	w.line(".minstackspace = %du,", l.MinStackSpace)
	w.line(".suppress_errors = %s,", boolText(l.SuppressErrors))
	w.line(".first_error = %s,", boolText(l.FirstError))
	w.line(".overload_threshold = %dull,", l.overload())
	w.line(".overload_interval = %dull,", l.OverloadInterval)
	w.line(".maxmemory = %dull,", l.MaxMemory<<10)
	w.line(".procfs_bufsize = %dull,", cmp.Or(l.ProcfsBufsize, l.MaxStringLen))
	w.line(".too_many_steps = too_many_steps,")
	w.line(".too_long = too_long,")
	w.close("},")
}

// probeTable writes the probes' handlers, and returns their number.
func (g *gen) probeTable(w *writer) int {
	touches := make([]struct{ body, entry string }, len(g.p.Probes))
	for i, pr := range g.p.Probes {
		touches[i].body, touches[i].entry = touchBody(w, i, pr), touchEntry(w, i, pr)
	}
	w.line("")
	w.open("static const struct gs_probe probes[] = {")
	for i, pr := range g.p.Probes {
		_, saved := g.savedLayout(pr)
		entry, cond := "NULL", "NULL"
		if saved > 0 {
			entry = fmt.Sprintf("entry_%d", i)
		}
		if disarmable(pr) {
			cond = fmt.Sprintf("cond_%d", i)
		}
		w.line("{ %s, %s, %s, %s, %s, %d, %s },", g.handlerName(i), entry, cond, touches[i].body, touches[i].entry,
			saved, g.probeFlags(pr))
	}
	nprobes := len(g.p.Probes)
	if g.opts.Timing {
		w.line("{ timing_report, NULL, NULL, NULL, NULL, 0, 0 },")
		nprobes++
	}
	w.close("};")
	return nprobes
}

// globalTable writes the globals that -G can set.
func (g *gen) globalTable(w *writer, settable []*program.Global) {
	w.line("")
	if len(settable) == 0 {
		return
	}
	w.open("static const struct gs_global globals[] = {")
	for _, gl := range settable {
		w.line("{ %s, %s, &%s },", cString(gl.Name), boolText(gl.Type == program.String), g.mainInstance(gl))
	}
	w.close("};")
	w.line("")
}

func (g *gen) imageTable(w *writer) {
	w.open("static const struct gs_image images[] = {")
	for _, im := range g.manifest.Images {
		w.line("{ %s, %s, %s, %d, %d },", cString(im.Module), cString(im.Path), boolText(im.Go), im.GoID, im.GoCurg)
	}
	w.close("};")
	w.line("")
}

// moduleSymbols writes the symbols that are in modules, sorted by image and name, and returns their number.
func (g *gen) moduleSymbols(w *writer) int {
	all := g.manifest.Symbols
	var in []int
	for i, s := range all {
		if g.manifest.Images[s.Image].Module != "" {
			in = append(in, i)
		}
	}
	if in == nil {
		return 0
	}
	slices.SortFunc(in, func(i, j int) int {
		return cmp.Or(cmp.Compare(all[i].Image, all[j].Image), strings.Compare(all[i].Name, all[j].Name))
	})
	w.open("static const struct gs_module_symbol module_symbols[] = {")
	for _, i := range in {
		w.line("{ %d, %s, %d },", all[i].Image, cString(all[i].Name), i)
	}
	w.close("};")
	w.line("")
	return len(in)
}

func (g *gen) probeFlags(pr *program.Probe) string {
	var flags []string
	if g.wantsRegisters(pr) {
		flags = append(flags, "GS_PROBE_REGISTERS")
	}
	if g.writesConds(pr) {
		flags = append(flags, "GS_PROBE_CONDS")
	}
	if flags == nil {
		return "0"
	}
	return strings.Join(flags, " | ")
}

func (g *gen) wantsRegisters(pr *program.Probe) bool {
	for _, h := range g.handlers {
		if h.probe == pr && h.part == bodyPart && h.sum.registers {
			return true
		}
	}
	return slices.ContainsFunc(pr.Points, func(pt *program.Point) bool { return pt.Registers })
}

// writesConds reports whether pr's handler may change a global that a condition reads.
func (g *gen) writesConds(pr *program.Probe) bool {
	for _, cond := range g.handlers {
		if cond.part != condPart {
			continue
		}
		for _, h := range g.handlers {
			if h.probe != pr || h.part == condPart {
				continue
			}
			for gl := range cond.sum.usage {
				if h.sum.usage[gl].exclusive() {
					return true
				}
			}
		}
	}
	return false
}

// settable are the globals that -G can set: the scalars.
func (g *gen) settable() []*program.Global {
	var list []*program.Global
	for _, gl := range g.p.Globals {
		if gl.Keys == nil && (gl.Type == program.Long || gl.Type == program.String) {
			list = append(list, gl)
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

func (g *gen) fillManifest() {
	g.manifest.Version = manifest.Version
	g.manifest.Name = g.opts.Module
	g.manifest.Release = g.opts.Release
	g.manifest.Tasks = g.opts.Tasks
	for _, gl := range g.settable() {
		g.manifest.Globals = append(g.manifest.Globals, manifest.Global{Name: gl.Name, String: gl.Type == program.String})
	}
	for _, fn := range g.p.Functions {
		if fn.Code != nil {
			for mark, asked := range map[string]*bool{
				"/* user_stack */":    &g.manifest.UserStacks,
				"/* user_symbols */":  &g.manifest.UserSymbols,
				"/* user_lines */":    &g.manifest.UserLines,
				"/* kernel_lines */":  &g.manifest.KernelLines,
				"/* printed_lines */": &g.manifest.PrintedLines,
			} {
				*asked = *asked || strings.Contains(fn.Code.Text, mark)
			}
		}
	}
}

// ManifestC returns C text that puts m into a section of the object that the linker copies into the
// module, and that the kernel does not load. It may be appended to Output.C.
func ManifestC(m *manifest.Manifest) ([]byte, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	w := &writer{}
	w.line("")
	w.line("__asm__(\".pushsection %s,\\\"\\\",@progbits\\n\"", manifest.Section)
	for len(text) > 0 {
		n := min(len(text), 80)
		w.line("\t%s", cString(fmt.Sprintf("\t.ascii %s\n", cString(string(text[:n])))))
		text = text[n:]
	}
	w.line("\t\"\\t.popsection\\n\");")
	return w.Bytes(), nil
}
