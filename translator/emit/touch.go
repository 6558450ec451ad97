// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"
	"strings"

	"gostap/translator/program"
)

// Handlers can't fault in memory, but at probes in programs the kernel can before the handler runs:
// touch_N loads what the handler of probe N will load from the program's memory, as far as the
// addresses are known beforehand, from registers and from other such loads.

// A toucher writes the loads, without duplicates.
type toucher struct {
	w     writer
	temps map[string]string // variables by the load's text
}

// userFamilies are the families whose handlers run where page faults may be taken beforehand.
var userFamilies = map[string]bool{"uprobe": true, "uretprobe": true, "step": true}

// touch writes the function that touches the memory that a part of a probe, which visit walks over,
// will load. It returns the function's name; NULL if there is nothing to touch.
func touch(w *writer, name string, pr *program.Probe, visit func(v *visitor)) string {
	if len(pr.Points) == 0 || !userFamilies[pr.Points[0].Family] {
		return "NULL"
	}
	t := &toucher{w: writer{indent: 1}, temps: map[string]string{}}
	visit(&visitor{expr: func(e program.Expr, _ bool) { t.expr(e) }})
	if len(t.w.Bytes()) == 0 {
		return "NULL"
	}
	w.line("")
	w.line("static void %s(const struct gs_regs *regs, gs_u64 ip)", name)
	w.line("{")
	w.Write(t.w.Bytes())
	w.line("}")
	return name
}

// touchBody and touchEntry write the function for a probe's handler, and for the values that it saves
// at a function's entry.
func touchBody(w *writer, i int, pr *program.Probe) string {
	return touch(w, fmt.Sprintf("touch_%d", i), pr, func(v *visitor) {
		v.walk(pr.Cond, true)
		v.stmts(pr.Body)
	})
}

func touchEntry(w *writer, i int, pr *program.Probe) string {
	return touch(w, fmt.Sprintf("touch_entry_%d", i), pr, func(v *visitor) {
		for _, x := range pr.Saved {
			v.walk(x, true)
		}
	})
}

// expr touches the memory that e loads, if it is a program's.
func (t *toucher) expr(e program.Expr) {
	switch e := e.(type) {
	case *program.Deref:
		t.value(e)
	case *program.Call:
		if !strings.HasPrefix(e.Fn.Script, "user_string") || len(e.Args) == 0 {
			return
		}
		if addr, ok := t.value(e.Args[0]); ok && t.temps[addr+" string"] == "" {
			t.temps[addr+" string"] = addr
			t.w.line("gs_touch_string(%s);", addr)
		}
	}
}

// value returns the C text of e, if it can be evaluated before the handler runs.
func (t *toucher) value(e program.Expr) (c string, ok bool) {
	switch e := e.(type) {
	case *program.Number:
		return number(e.Value), true
	case *program.Argument:
		if e.Index < len(machine.Arguments) {
			return "regs->" + machine.Registers[machine.Arguments[e.Index]], true
		}
	case *program.ReturnValue:
		return "regs->" + machine.Registers[machine.Results[0]], true
	case *program.Register:
		if machine.Visible(int64(e.Number)) {
			return "regs->" + machine.Registers[e.Number], true
		}
	case *program.ProbedAddr:
		return "ip", true
	case *program.ThreadPointer:
		return "gs_thread_pointer()", true
	case *program.Binary:
		return t.binary(e)
	case *program.Cast:
		if x, ok := t.value(e.X); ok {
			return fmt.Sprintf("(gs_u64)(%s)(%s)", intType(e.Size, e.Signed), x), true
		}
	case *program.Deref:
		return t.load(e)
	}
	return "", false
}

func (t *toucher) binary(e *program.Binary) (string, bool) {
	x, ok := t.value(e.X)
	y, also := t.value(e.Y)
	if !ok || !also || !strings.Contains("+-*&|^", e.Op) {
		return "", false
	}
	return fmt.Sprintf("((gs_u64)%s %s (gs_u64)%s)", x, e.Op, y), true
}

func (t *toucher) load(e *program.Deref) (string, bool) {
	addr, ok := t.value(e.Addr)
	if !ok || !e.User {
		return "", false
	}
	text := fmt.Sprintf("gs_touch(%s, %d)", addr, e.Size)
	name := t.temps[text]
	if name == "" {
		name = fmt.Sprintf("t%d", len(t.temps))
		t.temps[text] = name
		t.w.line("gs_u64 %s __attribute__((unused)) = (gs_u64)(%s)%s;", name, intType(e.Size, e.Signed), text)
	}
	return name, true
}
