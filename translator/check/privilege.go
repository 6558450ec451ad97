// SPDX-License-Identifier: GPL-2.0-or-later

package check

import "gostap/translator/program"

// checkPrivilege rejects what Options.Unprivileged does not allow: functions of embedded C that are not
// marked as harmless, and reads of kernel memory.
func (c *checker) checkPrivilege(prog *program.Program) {
	if !c.opts.Unprivileged {
		return
	}
	for _, p := range prog.Probes {
		for _, s := range append(evaluated(p), p.Body...) {
			c.refuseKernelMemory(s, nil)
		}
	}
	for _, f := range prog.Functions {
		if f.Code != nil && !hasMarker(f.Code, "unprivileged") && !hasMarker(f.Code, "myproc-unprivileged") {
			c.refuseFunction(f)
		}
		for _, s := range f.Body {
			c.refuseKernelMemory(s, f)
		}
	}
}

// evaluated lists what a probe evaluates outside of its handler.
func evaluated(p *program.Probe) (list []program.Stmt) {
	for _, x := range append([]program.Expr{p.Cond}, p.Saved...) {
		if x != nil {
			list = append(list, &program.Eval{X: x})
		}
	}
	return list
}

func (c *checker) refuseKernelMemory(s program.Stmt, in *program.Function) {
	eachExpr(s, func(x program.Expr) {
		d, ok := x.(*program.Deref)
		switch {
		case !ok || d.User:
		case in != nil && !isUser(in.At):
			c.refuseFunction(in)
		default:
			c.errorf(d.At, "the kernel's memory can't be read with --privilege=stapusr")
		}
	})
}

func (c *checker) refuseFunction(f *program.Function) {
	c.errorf(f.At, "function %s() may not be used with --privilege=stapusr", f.Script).
		InStap("function may not be used when --privilege=stapusr is specified")
}
