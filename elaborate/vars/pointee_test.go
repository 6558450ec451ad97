// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gostap/elaborate/btf"
	"gostap/elaborate/dwarf"
	"gostap/elaborate/image"
	"gostap/elaborate/internal/exprtext"
	"gostap/elaborate/internal/testkernel"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// pointersInfo returns the debuginfo of pointers.c.
func pointersInfo(t *testing.T) *dwarf.Info {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "pointers")
	if out, err := exec.Command("gcc", "-O2", "-g", "-o", path, "../dwarf/testdata/pointers.c").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	info, err := (&dwarf.Finder{}).Load(filepath.Join(dir, "index"), func() (string, error) { return path, nil }, func(int64, int64) {})
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// TestPointees reads the targets of pointers that the compiler has optimized out.
func TestPointees(t *testing.T) {
	info := pointersInfo(t)
	in := info.Lookup("sum")[0].Instances()[0]
	found, err := info.Scope(in, in.Entry)
	if err != nil {
		t.Fatal(err)
	}
	s := &scope{Scope: found, Source: &image.Source{Image: namedImage{}, Info: info}}
	member := func(name string) syntax.Access { return syntax.Access{Member: name} }
	first := syntax.Access{Index: &syntax.NumberLit{}}
	for _, c := range []struct {
		name   string
		access []syntax.Access
		want   string
	}{
		{"p", []syntax.Access{member("a")}, "s4((reg5 & 4294967295))"},
		{"p", []syntax.Access{member("b")}, "reg0"},
		{"p", []syntax.Access{first, member("b")}, "reg0"},
		{"pp", []syntax.Access{first, member("b")}, "reg0"},
		{"n", []syntax.Access{first}, "reg2"},
		{"n", []syntax.Access{{Index: &syntax.NumberLit{Value: 1}}}, "$n[1] lies outside of the registers that the variable is in"},
		{"text", []syntax.Access{{Index: &syntax.NumberLit{Value: 1}}}, "s1((1954047348 >>> 8))"},
		{"p", nil, "$p has no number: what it points to is not in memory (what it points to can be read, part by part: $p->a)"},
		{"pp", []syntax.Access{first}, "$pp[0] has no number: what it points to is not in memory (what it points to can be read, part by part: $pp[0]->a)"},
		{"n", nil, "$n has no number: what it points to is not in memory (what it points to can be read, part by part: $n[0])"},
	} {
		got, d := read(s, c.name, c.access)
		if d != nil {
			got = d.Error()
		}
		if !strings.HasSuffix(got, c.want) {
			t.Errorf("$%s, %d accesses: %s, want %s", c.name, len(c.access), got, c.want)
		}
	}
}

// read returns the value of a variable, or of a part of it, as text.
func read(s *scope, name string, access []syntax.Access) (string, *syntax.Diagnostic) {
	r := &resolution{x: &syntax.TargetVar{Name: name}}
	l, d := r.sourceVariable(s, name)
	if d == nil {
		l, d = r.follow(l, access)
	}
	if d != nil {
		return "", d
	}
	x, d := l.value()
	if d != nil {
		return "", d
	}
	return exprtext.Spell(x), nil
}

// TestPointeeOfAnotherTable follows a pointer whose type is in the kernel's BTF to a variable in
// debuginfo.
func TestPointeeOfAnotherTable(t *testing.T) {
	types, err := image.NewTarget(testkernel.Releases(t)[0], false).Types()
	if err != nil {
		t.Fatal(err)
	}
	pointer, ok := types.PointerTo(types.Find("list_head", btf.Struct)[0])
	if !ok {
		t.Fatal("there are no pointers to struct list_head")
	}
	info := pointersInfo(t)
	l := &location{types: types, typ: pointer, what: "$p", regs: make([]program.Expr, 1), pointees: map[int64]pointee{
		0: func() (*location, error) {
			return &location{types: info.Types(), regs: []program.Expr{&program.Register{}, &program.Register{Number: 1}}}, nil
		},
	}}
	in, d := l.member(syntax.Access{Member: "prev"})
	if d != nil {
		t.Fatal(d)
	}
	if x, d := in.value(); d != nil || exprtext.Spell(x) != "reg1" {
		t.Errorf("%v, %v", x, d)
	}
}

// namedImage is an image that has only a name.
type namedImage struct {
	image.Image
	name string
}

func (im namedImage) Name() string { return im.name }
func (im namedImage) User() bool   { return false }

func (im namedImage) Types() (btf.Named, error) { return dwarf.NoTypes(), nil }

// TestKeys: sites in two modules are distinguished if everything else is the same.
func TestKeys(t *testing.T) {
	info := pointersInfo(t)
	in := info.Lookup("pointers")[0].Instances()[0]
	env := &Env{Target: image.NewTarget("", false)}
	byDebuginfo := func(module string) string {
		return env.Statement(Statement{Source: &image.Source{Image: namedImage{name: module}, Info: info}, Instance: in, Addr: in.Entry}, nil).Key()
	}
	if a, b := byDebuginfo("a"), byDebuginfo("b"); a == b {
		t.Errorf("by debuginfo both are %q", a)
	}
	byBTF := func(module string, proto btf.ID) string {
		f := &function{Function: Function{Image: namedImage{name: module}, Name: "f"}, searched: true, proto: &btf.Proto{ID: proto}}
		return (&Resolver{env: env, site: f}).Key()
	}
	if a, b := byBTF("m1", 23), byBTF("m12", 3); a == b {
		t.Errorf("by BTF both are %q", a)
	}
}
