// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"fmt"
	"strings"

	"gostap/elaborate/btf"
	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

// undescribed is the error for a function of which BTF says nothing, or nothing for
// certain, where what is needed and the debuginfo has not told it either.
func (r *resolution) undescribed(what string) *syntax.Diagnostic {
	v := r.vars
	if v.module != nil && v.module.BTFPath() == "" {
		return &syntax.Diagnostic{Pos: r.x.At, Msg: fmt.Sprintf("%s: the module %s has no BTF, which would tell what %s takes and returns", what, v.module.Name, v.name),
			Hint: "it was built without CONFIG_DEBUG_INFO_BTF_MODULES, or where no vmlinux was at hand; int_arg(1), pointer_arg(2) and so on read arguments by their numbers"}
	}
	debuginfo := v.target.debuginfo
	if v.module != nil {
		debuginfo = v.module.debuginfo
	}
	if _, d := debuginfo.need(r.x.At, fmt.Sprintf("%s: BTF does not describe %s; the list of its parameters", what, v.name), nil); d != nil {
		return d
	}
	if v.module != nil {
		base, _, _ := strings.Cut(v.name, ".")
		return &syntax.Diagnostic{Pos: r.x.At, Msg: fmt.Sprintf("%s: BTF does not describe %s", what, v.name),
			Hint: fmt.Sprintf("module(%q).function(%q) asks the debuginfo", v.module.Name, base+"@*")}
	}
	return &syntax.Diagnostic{Pos: r.x.At, Msg: fmt.Sprintf("%s: neither BTF nor the debuginfo describes %s", what, v.name)}
}

// unknown is the error for a variable that is not there.
func (r *resolution) unknown(p *btf.Proto) *syntax.Diagnostic {
	var names, shown []string
	for _, param := range p.Params {
		if param.Name != "" {
			names = append(names, param.Name)
		}
	}
	if r.vars.ret && r.types.Strip(p.Result) != 0 {
		names = append(names, "return")
	}
	for _, n := range names {
		shown = append(shown, "$"+n)
	}
	d := &syntax.Diagnostic{Pos: r.x.At}
	where := r.vars.name
	if r.vars.trace != nil {
		where = r.vars.trace.String()
	}
	if len(names) == 0 {
		d.Msg = fmt.Sprintf("no $%s: %s has no parameters", r.x.Name, where)
	} else {
		d.Msg = fmt.Sprintf("no $%s: %s has %s", r.x.Name, where, strings.Join(shown, ", "))
	}
	if near := suggest.Nearest(r.x.Name, names, 1); len(near) > 0 {
		d.Hint = "did you mean $" + near[0] + "?"
	} else if r.vars.trace == nil {
		d.Hint = "local variables are known only from debuginfo: " + r.vars.target.installDebuginfo()
	}
	return d
}
