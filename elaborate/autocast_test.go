// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate_test

import (
	"strings"
	"testing"

	"gostap/elaborate/internal/elaborated"
	"gostap/elaborate/internal/exprtext"
	"gostap/elaborate/internal/testkernel"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// lastArgument returns how the first argument of the script's last println was resolved.
func lastArgument(t *testing.T, release, script string) string {
	t.Helper()
	e, diags := elaborated.OnKernel(t, release, script)
	if err := diags.Err(); err != nil {
		return err.Error()
	}
	var last syntax.Expr
	for _, d := range e.Files[0].Decls {
		var body *syntax.Block
		switch d := d.(type) {
		case *syntax.ProbeDecl:
			body = d.Body
		case *syntax.FunctionDecl:
			body = d.Body
		default:
			continue
		}
		syntax.Inspect(body, func(n syntax.Node) bool {
			if p, ok := n.(*syntax.PrintExpr); ok && p.Name == "println" {
				last = p.Args[0]
			}
			return true
		})
	}
	values := []map[syntax.Expr]*program.Value{e.Values}
	for _, p := range e.Probes {
		values = append(values, p.Values)
	}
	for _, list := range values {
		if v := list[last]; v != nil && v.Err != nil {
			return v.Err.Error()
		} else if v != nil {
			return exprtext.Spell(v.X)
		}
	}
	return "no target variable"
}

func TestAutocast(t *testing.T) {
	const read, back = `probe kernel.function("vfs_read") `, `probe kernel.function("vfs_read").return `
	release := testkernel.Releases(t)[0]
	for _, c := range []struct{ script, want string }{
		{read + `{ x = $file println(x->f_pos) }`, "s8[({x} + 104)]"},
		{read + `{ println(x->f_pos) x = $file }`, "s8[({x} + 104)]"}, // may be in a loop
		{read + `{ x = y = $file println(x->f_pos) }`, "s8[({x} + 104)]"},
		{read + `{ x = $file d = x->f_path->dentry n = d->d_name println(n->len) }`, "u4[({n} + 4)]"},
		{read + `{ x = $pos println(x[2]) }`, "s8[({x} + 16)]"},
		{read + `{ x = $pos println(x[i]) }`, "s8[({x} + ({i} * 8))]"},
		{read + `{ x = &$file->f_path println(x->dentry) }`, "u8[({x} + 8)]"},
		{read + `{ x = $file println(&x->f_path) }`, "({x} + 16)"},
		{read + `{ println((&$file->f_path)->dentry) }`, "u8[({&$file->f_path} + 8)]"},
		{read + `{ x = $file->f_path println((x)$) }`, `sprintf("{.mnt=%p, .dentry=%p}", u8[{x}], u8[({x} + 8)]) or "?"`},
		{read + `{ x = @cast(1, "struct file") println(x->f_pos) }`, "s8[({x} + 104)]"},
		{read + `{ x = 0; x = $file; x += 8 println(x->f_pos) }`, "s8[({x} + 104)]"},
		{read + `{ println((1 ? $file : 0)->f_pos) }`, "s8[({1 ? $file : 0} + 104)]"},
		{read + `{ println((x = $file)->f_pos) }`, "s8[({x = $file} + 104)]"},
		{read + `{ x = task_current() println(x->pid) }`, "s4[({x} + 2416)]"},
		{read + `{ x = $file println(@defined(x->f_pos)) }`, "1"},
		{read + `{ x = $file println(@defined(x->nosuch)) }`, "0"},
		{read + `{ println(@defined(x->f_pos)) }`, "0"},
		{`global g ` + read + `{ g = $file } ` + back + `{ println(g->f_pos) }`, "s8[({g} + 104)]"},
		{`global a ` + read + `{ a[tid()] = $file } ` + back + `{ println(a[tid()]->f_pos) }`, "s8[({a[tid()]} + 104)]"},
		{`global a ` + read + `{ a[1, $file] = 2 } ` + back + `{ foreach ([n, f] in a) println(f->f_pos) }`, "s8[({f} + 104)]"},
		{`global a ` + read + `{ a[1] = $file } ` + back + `{ foreach (v = k in a) println(v->f_pos) }`, "s8[({v} + 104)]"},
		{back + `{ x = @entry($file) println(x->f_pos) }`, "s8[({x} + 104)]"},
		{back + `{ x = $file println(x->f_pos) }`, "s8[({x} + 104)]"},
		{`function f(x) { println(x->f_pos) } ` + read + `{ f($file) }`, "s8[({x} + 104)]"},
		{`function f(x) { return x->f_inode } ` + read + `{ println(f($file)->i_ino) }`, "u8[({f($file)} + 64)]"},
		{`function f(x) { y = x return g(y) } function g(x) { return x->f_inode } ` + read + `{ z = f($file) println(z->i_ino) }`, "u8[({z} + 64)]"},
		{read + `{ x = $file x = $pos println(x->f_pos) }`,
			`test.stp:1:64: what this points to is not known: x is a pointer to struct file, and to loff_t elsewhere (say it: @cast(x, "struct name")->member)`},
		{read + `{ x = $count println(x->f_pos) }`, `test.stp:1:56: what this points to is not known (say it: @cast(x, "struct name")->member)`},
		{read + `{ x = $file println(&x) }`, "test.stp:1:55: x is a variable of the script: it has no address"},
	} {
		if got := lastArgument(t, release, c.script); strings.TrimSpace(got) != c.want {
			t.Errorf("%s\n got  %s\n want %s", c.script, got, c.want)
		}
	}
}
