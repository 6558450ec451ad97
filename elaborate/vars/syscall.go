// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"os"
	"regexp"
	"strings"

	"gostap/elaborate/btf"
	"gostap/internal/kernels"
	"gostap/internal/lazyregexp"
	"gostap/translator/syntax"
)

// syscallHeaders declare the functions of system calls with their own parameters, which have been in
// a struct pt_regs since Linux 4.17.
var syscallHeaders = []string{"include/linux/syscalls.h", "include/linux/compat.h"}

var (
	declaration = `\basmlinkage\s+long\s+%s\s*\(([^()]*)\)`
	parameter   = lazyregexp.MustCompile(`^(.*?)(\w+)(\s*\[\])?$`)
	unimportant = lazyregexp.MustCompile(`\b(const|volatile|__user)\b`)
)

// A declared is a parameter as the kernel's headers declare it.
type declared struct {
	name string
	typ  string // without qualifiers: "u32", "struct iovec*"
	user bool   // it points to the program's memory
}

// syscallArgument returns the location of a system call's argument by its name in the headers; nil if the site is no entry of a
// system call's function, or the name is none of its parameters'.
func (r *resolution) syscallArgument(p *btf.Proto) (*location, *syntax.Diagnostic) {
	compat := strings.HasPrefix(r.site.String(), "__ia32_")
	registers := machine.SyscallArguments
	if compat {
		registers = machine.SyscallArguments32
	}
	for i, d := range r.declaredArguments() {
		if d.name != r.x.Name || i >= len(registers) {
			continue
		}
		l, diag := r.site.param(r.types, p, 0, r.x.At).member(syntax.Access{At: r.x.At, Member: registers[i]})
		if diag != nil {
			return nil, diag
		}
		l.what = "$" + r.x.Name
		if ids := typesNamed(r.types, d.typ); len(ids) > 0 && r.types.Size(ids[0]) <= machine.WordSize {
			l.typ = ids[0]
		}
		l.toUser = d.user
		if compat && r.types.Size(l.typ) > 4 { // a 32-bit program's registers have no more
			for _, id := range r.types.Find("unsigned int", btf.Int) {
				if d.user {
					break
				}
				l.typ = id
			}
		}
		return l, nil
	}
	return nil, nil
}

// declaredArguments returns the declared parameters of the system call whose function's entry the site is.
func (r *resolution) declaredArguments() []declared {
	f, ok := r.site.(*function)
	if !ok || syscallPrototype(f.Image, f.Name) == nil {
		return nil
	}
	_, name, _ := strings.Cut(strings.TrimPrefix(f.Name, "__"), "_") // sys_futex, compat_sys_futex
	return r.env.declaredParams(name)
}

// declaredParams reads the parameters of a function from the kernel's headers; none if these are not installed.
func (e *Env) declaredParams(function string) (list []declared) {
	k := kernels.Find(e.Target.Release)
	pattern := regexp.MustCompile(strings.Replace(declaration, "%s", regexp.QuoteMeta(function), 1))
	for _, tree := range []string{"build", "source"} {
		for _, header := range syscallHeaders {
			text, err := os.ReadFile(k.Path("/lib/modules", k.Release, tree, header))
			if err != nil {
				continue
			}
			m := pattern.FindSubmatch(text)
			if m == nil {
				continue
			}
			for _, one := range strings.Split(string(m[1]), ",") {
				list = append(list, declare(one))
			}
			return list
		}
	}
	return nil
}

// declare parses one parameter's declaration.
func declare(text string) (d declared) {
	d.user = strings.Contains(text, "__user")
	text = strings.Join(strings.Fields(unimportant().ReplaceAllString(text, " ")), " ")
	m := parameter().FindStringSubmatch(text)
	if m == nil || strings.TrimSpace(m[1]) == "" {
		return declared{}
	}
	d.name, d.typ = m[2], strings.ReplaceAll(strings.TrimSpace(m[1]), " *", "*")
	if m[3] != "" {
		d.typ += "*"
	}
	return d
}
