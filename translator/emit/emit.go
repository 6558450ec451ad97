// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"
	"slices"

	"gostap/internal/panics"
	"gostap/manifest"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// Options are the parameters of a program's translation.
type Options struct {
	Module  string // the kernel module's name; "" on the host
	Release string // of the target kernel; "" on the host
	Limits  Limits
	Timing  bool // -t: count each probe's hits and cycles, and print them at the end
	Monitor bool // --monitor, --output=html: globals, hits and cycles can be read, and probes be switched off
	Tasks   bool // --output=perfetto: record in which thread a handler runs

	AsStap       bool // errors and the report of -t have SystemTap's wording
	Unprivileged bool // --privilege=stapusr: only processes of the session's user are probed and read
	SkipBadVars  bool // --skip-badvars: memory that can't be read is 0, not an error
	// Defines are NAME=VALUE or NAME, of -D, for the script's embedded C.
	Defines []string
	// Compatible is the version of SystemTap that the script is written for, such as "4.8"; "" for the
	// latest.
	Compatible string
}

// Output is a program as C.
type Output struct {
	// C is the freestanding file.
	C []byte
	// Parts is the number of parts that C can be compiled in, each by itself: those with the bits of GS_PARTS, all
	// of them if it is not defined.
	Parts int
	// EmbeddedC is the guru code that includes the platform's headers; nil
	// if there is none.
	EmbeddedC []byte
	// Manifest goes into the module: see ManifestC.
	Manifest manifest.Manifest
	// StackUse returns, for each probe, the bytes of stack that the deepest chain of calls within the C
	// takes. frame returns the stack frame of a C function, in bytes. The result is to be stored in
	// gs_stack_use.
	StackUse func(frame func(function string) int) []int
}

// Emit writes p as C. An error means that the program exceeds what can be translated, such as a regular
// expression that is too large; it is a syntax.Diagnostics if it concerns a position in the script.
func Emit(p *program.Program, opts Options) (*Output, error) {
	p, split := splitTails(guardFirst(p))
	a, err := analyse(p, split.tails)
	if err != nil {
		return nil, err
	}
	named := namedInC(p)
	g := &gen{
		named:    named,
		p:        p,
		opts:     opts,
		a:        a,
		split:    split,
		bounds:   findBounds(p, named, int(opts.Limits.MaxStringLen)-1),
		nesting:  opts.Limits.MaxNesting,
		groupOf:  map[*program.Global]*group{},
		names:    map[*program.Global]string{},
		variants: map[variant]*cFunc{},
		cmps:     map[string]string{},
		symbols:  map[manifest.Symbol]int{},
		images:   map[manifest.Image]int{},
		formats:  map[manifest.Format]int{},
		hists:    map[manifest.Hist]int{},
		regexes:  map[string]regexTables{},
		raises:   map[*program.Function]bool{},
		shared:   map[string]*cFunc{},
		headed:   map[string]*head{},
		rows:     map[*program.Probe]string{},
	}
	defer panics.At(&g.pos)
	if g.nesting == 0 {
		g.nesting = int64(a.depth) + 10
	}
	g.keeps = keepsMatches(p)
	g.tokenizes = tokenizes(p)
	g.image(program.Image{}) // the kernel itself is the first
	g.nameGlobals()
	g.findHandlers()
	for _, h := range g.handlers {
		g.emitHandler(h)
	}
	for i := 0; i < len(g.queue); i++ {
		if f := g.queue[i]; g.tails[f.fn] {
			g.emitTail(f)
		} else {
			g.emitFunction(f)
		}
	}
	if err := g.diags.Err(); err != nil {
		return nil, err
	}
	g.pos = syntax.Pos{} // the rest concerns the whole script
	embedded := g.embeddedFile()
	parts := 1
	if embedded == nil { // what that names is one file's
		parts = g.divide()
	}
	return &Output{
		C:         g.assemble(parts),
		Parts:     parts,
		EmbeddedC: embedded,
		Manifest:  g.manifest,
		StackUse:  g.stackUse,
	}, nil
}

// stackUse is Output.StackUse. Recursive functions count once: the runtime checks what is left before
// each call of them.
func (g *gen) stackUse(frame func(string) int) []int {
	frames := chains(g.roots, (*cFunc).called, func(f *cFunc) int {
		size := frame(f.name)
		if f.fn != nil && f.fn.Code != nil {
			size += frame(embeddedName(f.fn))
		}
		return size
	})
	use := make([]int, len(g.p.Probes))
	for i, h := range g.handlers {
		at := slices.Index(g.p.Probes, h.probe)
		use[at] = max(use[at], frames[g.roots[i]])
	}
	if g.opts.Timing {
		use = append(use, frame(timingName))
	}
	return use
}

// gen is the state of one run of Emit.
type gen struct {
	split
	p        *program.Program
	opts     Options
	a        *analysis
	bounds   *bounds
	nesting  int64
	handlers []*handler
	groups   []*group
	groupOf  map[*program.Global]*group
	names    map[*program.Global]string
	diags    syntax.Diagnostics
	pos      syntax.Pos // of the code being translated

	variants map[variant]*cFunc // C functions of script functions that are called
	queue    []*cFunc           // the same, in the order of their first call

	protos   writer // of functions
	helpers  writer // comparators, regular expressions
	bodies   writer // of functions and handlers
	pieces   []piece
	aliases  writer // names of handlers that have the code of another one
	cmps     map[string]string
	regexes  map[string]regexTables
	embedded []*program.Embedded

	manifest manifest.Manifest
	symbols  map[manifest.Symbol]int
	images   map[manifest.Image]int
	formats  map[manifest.Format]int
	hists    map[manifest.Hist]int

	roots     []*cFunc         // handlers
	headed    map[string]*head // by their C, with @ for the name
	headList  []*head
	rows      map[*program.Probe]string // the C text of the row's address; see splitHead
	shared    map[string]*cFunc         // the same by their C, with @ for the name
	named     map[*program.Global]bool  // globals that guru code names
	keeps     bool                      // the script reads the groups that a regular expression matched
	tokenizes bool                      // handlers leave a string for tokenize() to continue with
	inLoops   map[*program.Global]bool
	keys      []*keySet // see keySets

	counting map[*program.Function]bool // see countsWithin
	raises   map[*program.Function]bool // see mayRaise
}

// A variant is a function in one of its forms: called by hot handlers, it adds to their CPU's instance
// of sharded globals.
type variant struct {
	fn    *program.Function
	hot   bool
	locks bool // a tail that takes the locks itself
}

// A cFunc is one C function to be written.
type cFunc struct {
	variant
	name  string // of the C function
	frame int    // size of its own strings, in bytes
	calls []*cFunc
}

func (f *cFunc) called() []*cFunc { return f.calls }

func (g *gen) nameGlobals() {
	taken := map[string]bool{}
	for _, gl := range g.p.Globals {
		name := cName(gl.Name)
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s_%d", cName(gl.Name), n)
		}
		taken[name] = true
		g.names[gl] = name
	}
}

func (g *gen) findHandlers() {
	for i, pr := range g.p.Probes {
		ph, cold := phaseOf(pr), isCold(pr)
		add := func(part part, name string, body []program.Stmt, exprs []program.Expr) {
			g.handlers = append(g.handlers, &handler{
				probe: pr, part: part, name: fmt.Sprintf("%s_%d", name, i), phase: ph, cold: cold,
				sum: g.a.code(body, exprs, g.p),
			})
		}
		add(bodyPart, "probe", pr.Body, []program.Expr{pr.Cond})
		if len(pr.Saved) > 0 {
			add(entryPart, "entry", nil, pr.Saved)
		}
		if disarmable(pr) {
			add(condPart, "cond", nil, []program.Expr{pr.Cond})
			last := g.handlers[len(g.handlers)-1]
			last.cold, last.phase = true, running
		}
	}
	g.groups = findGroups(g.p.Globals, g.handlers, g.opts.Monitor)
	for _, gr := range g.groups {
		for _, gl := range gr.globals {
			g.groupOf[gl] = gr
		}
	}
}

// call returns the C function of fn for calls by handlers that are hot or not.
func (g *gen) call(fn *program.Function, hot bool) *cFunc {
	if hot {
		hot = g.touchesShards(fn)
	}
	name := "fn_" + cName(fn.Name)
	if hot {
		name += "_hot"
	}
	return g.variant(variant{fn: fn, hot: hot}, name)
}

func (g *gen) variant(key variant, name string) *cFunc {
	f := g.variants[key]
	if f == nil {
		f = &cFunc{variant: key, name: name}
		g.variants[key] = f
		g.queue = append(g.queue, f)
	}
	return f
}

func (g *gen) touchesShards(fn *program.Function) bool {
	for gl := range g.a.fns[fn].usage {
		if g.isSharded(gl) {
			return true
		}
	}
	return false
}

// direct reports whether fn's embedded C is called directly, without a C function around it.
func direct(fn *program.Function) bool {
	return fn.Code != nil && !callsNext(fn)
}
