// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"

	"gostap/internal/arch"
	"gostap/translator/program"
)

// machine is the instruction set that the module is built for.
var machine = arch.X86_64

// contextual evaluates an expression that depends on the probe site.
func (b *body) contextual(e program.Expr) value {
	switch e := e.(type) {
	case *program.Argument:
		if onStack := e.Index - len(machine.Arguments); onStack >= 0 {
			return b.load(fmt.Sprintf("%s + %d", field(machine.StackPointer), machine.ReturnAddress+int64(onStack)*machine.WordSize),
				&program.Deref{At: e.At, Size: int(machine.WordSize)})
		}
		return value{"(gs_s64)" + b.register(e), volatile}
	case *program.Register:
		if machine.Vector(int64(e.Number)) {
			t := b.temp()
			b.line("gs_s64 %s = (gs_s64)gs_vector_register(%d);", t, e.Number-machine.FirstVector)
			return temporaryValue(t)
		}
		return value{"(gs_s64)" + b.register(e), volatile}
	case *program.ReturnValue:
		return value{"(gs_s64)" + b.register(e), volatile}
	case *program.SavedValue:
		off := b.saved[e.Index]
		if e.Kind == program.String {
			return temporaryValue("((struct gs_str){ (char *)&c->saved[%d], c->saved[%d] })", off+1, off)
		}
		return temporaryValue("(gs_s64)c->saved[%d]", off)
	case *program.SymbolAddr:
		return temporaryValue("(gs_s64)gs_symbols[%d]", b.g.symbol(e.Image, e.Symbol, 0))
	case *program.ProbedAddr:
		return temporaryValue("(gs_s64)c->ip")
	case *program.FileValue:
		return temporaryValue("((struct gs_str){ c->value->text, c->value->len })")
	case *program.ThreadPointer:
		return temporaryValue("(gs_s64)gs_thread_pointer()")
	case *program.LoadBias:
		t := b.temp()
		b.line("gs_s64 %s = (gs_s64)gs_load_bias(c, %d, %#xULL, %s);", t, b.g.image(e.Image), e.First, b.g.near("a variable", e.At))
		b.check()
		return temporaryValue(t)
	case *program.SyscallNumber:
		return temporaryValue("(gs_s64)c->regs->orig_ax")
	case *program.PerfCount:
		t := b.temp()
		b.line("gs_s64 %s = gs_perf_count(%d);", t, b.g.counter(e))
		return temporaryValue(t)
	case *program.Deref:
		return b.load(b.expr(e.Addr).c, e)
	}
	panic(fmt.Sprintf("emit: unexpected expression %T", e))
}

// counter returns the index of the first point that is the counter that e reads.
func (g *gen) counter(e *program.PerfCount) int {
	n := 0
	for _, pr := range g.p.Probes {
		for _, pt := range pr.Points {
			if pt.IsCounter() && pt.File == e.Counter {
				return n
			}
			n++
		}
	}
	g.diags.Errorf(e.At, "the probe of the counter %q is left out", e.Counter)
	return 0
}

// requireMyproc raises an error in processes of other users, which --privilege=stapusr does not allow
// to read.
func (b *body) requireMyproc(near string) {
	if !b.g.opts.Unprivileged {
		return
	}
	b.line("if (!gs_is_myproc())")
	b.line("\tgs_raise(c, \"myproc-unprivileged tapset function called without is_myproc checking\", %s);", near)
	b.check()
}

func (b *body) load(addr string, e *program.Deref) value {
	if e.User {
		b.requireMyproc(b.g.near("a pointer", e.At))
	}
	t := b.temp()
	b.line("gs_s64 %s = (%s)gs_load(c, %s, %d, %s, %s);", t, intType(e.Size, e.Signed), addr, e.Size, boolText(e.User), b.g.near("a pointer", e.At))
	if b.g.opts.SkipBadVars {
		b.open("if (gs_unlikely(c->error)) {")
		b.line("c->error = NULL;")
		b.line("%s = 0;", t)
		b.close("}")
	} else {
		b.check()
	}
	return temporaryValue(t)
}

// register returns the C text of a register at the probe site.
func (b *body) register(e program.Expr) string {
	switch e := e.(type) {
	case *program.Argument:
		if e.Index < len(machine.Arguments) {
			return field(machine.Arguments[e.Index])
		}
	case *program.ReturnValue:
		return field(machine.Results[0])
	case *program.Register:
		if machine.Visible(int64(e.Number)) {
			return field(e.Number)
		}
	}
	b.g.diags.Errorf(e.Pos(), "no such register or place on %s", machine.Name)
	return field(machine.Results[0])
}

// field returns the C text of the register with a DWARF number, as handlers see it.
func field(register int) string { return "c->regs->" + machine.Registers[register] }
