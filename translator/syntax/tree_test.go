// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import (
	"fmt"
	"strings"
	"testing"
)

// sexpr writes an expression with all its parentheses.
func sexpr(x Expr) string {
	switch x := x.(type) {
	case nil:
		return "*"
	case *UnaryExpr:
		return fmt.Sprintf("(%s %s)", x.Op, sexpr(x.X))
	case *IncDecExpr:
		if x.Post {
			return fmt.Sprintf("(%s %s)", sexpr(x.X), x.Op)
		}
		return fmt.Sprintf("(%s %s)", x.Op, sexpr(x.X))
	case *BinaryExpr:
		return fmt.Sprintf("(%s %s %s)", sexpr(x.X), x.Op, sexpr(x.Y))
	case *AssignExpr:
		return fmt.Sprintf("(%s %s %s)", sexpr(x.X), x.Op, sexpr(x.Y))
	case *MatchExpr:
		op := "=~"
		if x.Not {
			op = "!~"
		}
		return fmt.Sprintf("(%s %s %q)", sexpr(x.X), op, x.Regex.Value)
	case *InExpr:
		return fmt.Sprintf("(%s in %s)", sexprs(x.Index), x.Array.(*Ident).Name)
	case *CondExpr:
		return fmt.Sprintf("(%s ? %s : %s)", sexpr(x.Cond), sexpr(x.Then), sexpr(x.Else))
	case *CallExpr:
		return fmt.Sprintf("%s(%s)", x.Name, sexprs(x.Args))
	case *IndexExpr:
		return fmt.Sprintf("%s[%s]", sexpr(x.X), sexprs(x.Index))
	case *TargetVar:
		return target(x)
	case *NumberLit:
		return fmt.Sprint(x.Value)
	}
	return ExprString(x)
}

func sexprs(list []Expr) string {
	var parts []string
	for _, x := range list {
		parts = append(parts, sexpr(x))
	}
	return strings.Join(parts, ", ")
}

func target(x *TargetVar) string {
	var b strings.Builder
	if x.Addr {
		b.WriteString("&")
	}
	switch x.Kind {
	case DollarVar:
		fmt.Fprintf(&b, "{%s}", x.Name)
	case AtVar:
		fmt.Fprintf(&b, "{var %q %q}", x.Name, x.Module)
	case AtCast:
		fmt.Fprintf(&b, "{cast %s %q %q}", sexpr(x.X), x.Name, x.Module)
	case AutoCast:
		fmt.Fprintf(&b, "{auto %s}", sexpr(x.X))
	}
	for _, a := range x.Access {
		if a.Index != nil {
			fmt.Fprintf(&b, "[%s]", sexpr(a.Index))
		} else {
			fmt.Fprintf(&b, "->%s", a.Member)
		}
	}
	b.WriteString(strings.Repeat("$", x.Pretty))
	return b.String()
}

// TestExpressions checks the precedence of operators. The expectations are what Debian's stap 4.8 shows
// with -p1, if it accepts the expression.
func TestExpressions(t *testing.T) {
	for _, tt := range []struct{ script, want string }{
		{`a . b + c . d`, `((a . (b + c)) . d)`},
		{`a + b . c - d`, `((a + b) . (c - d))`},
		{`a * b . c`, `((a * b) . c)`},
		{`a . b * c`, `(a . (b * c))`},
		{`a << b . c`, `(a << (b . c))`},
		{`a - b * c << d >>> 3`, `(((a - (b * c)) << d) >>> 3)`},
		{`a << b << c`, `((a << b) << c)`},
		{`a < b << c`, `(a < (b << c))`},
		{`a - b - c`, `((a - b) - c)`},
		{`a < b == c`, `((a < b) == c)`},
		{`a == b < c`, `((a == b) < c)`},
		{`a == b & c`, `((a == b) & c)`},
		{`a & b == c`, `(a & (b == c))`},
		{`a < b in c`, `((a < b) in c)`},
		{`a & b in c`, `(a & (b in c))`},
		{`a in b & c`, `((a in b) & c)`},
		{`[a, *] in b && [*, c] in d`, `((a, * in b) && (*, c in d))`},
		{`!a in b`, `((! a) in b)`},
		{`a | b ^ c & d`, `(a | (b ^ (c & d)))`},
		{`a && b || c && d`, `((a && b) || (c && d))`},
		{`a = b += c`, `(a = (b += c))`},
		{`a <<< b <<< c`, `(a <<< (b <<< c))`},
		{`s = a ? b : c ? d : e`, `(s = (a ? b : (c ? d : e)))`},
		{`a ? b : c = 4`, `((a ? b : c) = 4)`},
		{`a ? b = 1 : c`, `(a ? (b = 1) : c)`},
		{`-a . b`, `((- a) . b)`},
		{`-a++`, `(- (a ++))`},
		{`~a++ + ++b`, `((~ (a ++)) + (++ b))`},
		{`- -a`, `(- (- a))`},
		{`!a->b`, `(! {auto a}->b)`},
		{`1.5`, `(1 . 5)`},
		{`a =~ "b" "c"`, `(a =~ "bc")`},
		{`a . b !~ "c" && d`, `(((a . b) !~ "c") && d)`},
		{`-9223372036854775808`, `(- -9223372036854775808)`},
		{`18446744073709551615`, `-1`},
		{`0777 + 0xff`, `(511 + 255)`},
		{`$a->b[c + 1]->d$$`, `{a}->b[(c + 1)]->d$$`},
		{`&$a[1]`, `&{a}[1]`},
		{`& $a->b & &c`, `(&{a}->b & &{auto c})`},
		{`@var("x")$`, `{var "x" ""}$`},
		{`@cast(a, "b" "c", "d")->c[3]$`, `{cast a "bc" "d"}->c[3]$`},
		{`(a)->b`, `{auto a}->b`},
		{`(a)[1]`, `{auto a}[1]`},
		{`a[1][2]`, `{auto a[1]}[2]`},
		{`a[1]->b`, `{auto a[1]}->b`},
		{`foo(1)->next[3]$$`, `{auto foo(1)}->next[3]$$`},
		{`foo(b)[1]`, `{auto foo(b)}[1]`},
		{`&x->y`, `&{auto x}->y`},
		{`&(a)->b`, `&{auto a}->b`},
		{`&(a ? $b : $c)`, `&{auto (a ? {b} : {c})}`},
		{`&f(2)`, `&{auto f(2)}`},
		{`($a)->b`, `{auto {a}}->b`},
		{`($a)`, `{a}`},
		{`$$vars`, `{$vars}`},
		{`$$parms$`, `{$parms}$`},
		{`$$$arg`, `{$$arg}`},
		{`$x->$`, `{x}$`},
		{`$x$$`, `{x}$$`},
		{`$a[1]$`, `{a}[1]$`},
		{`++$a->b`, `(++ {a}->b)`},
		{`a[*, 1]`, `a[*, 1]`},
	} {
		f, diags := Parse(&Source{Path: "x", Text: []byte("function f() { return " + tt.script + " }")}, testEnv())
		if err := diags.Err(); err != nil {
			t.Errorf("%s: %s", tt.script, err)
			continue
		}
		stmts := f.Decls[0].(*FunctionDecl).Body.Stmts
		if len(stmts) != 1 {
			t.Errorf("%s: got %d statements", tt.script, len(stmts))
			continue
		}
		if got := sexpr(stmts[0].(*ReturnStmt).X); got != tt.want {
			t.Errorf("%s\n\tgot  %s\n\twant %s", tt.script, got, tt.want)
		}
	}
}

// TestPrinted checks scripts after preprocessing and parsing.
func TestPrinted(t *testing.T) {
	for _, tt := range []struct{ script, want string }{
		{`probe syscall.{a,b.{c,d}}?, {x,y}.foo!, {a?,b! , c if (d)} {}`,
			"probe syscall.a?, syscall.b.c?, syscall.b.d?, x.foo!, y.foo!, a?, b!, c if (d) {}\n"},
		{`probe {a,b}.{c,d} {}`, "probe a.c, a.d, b.c, b.d {}\n"},
		{`probe a(-3).b(0x10).return.*, sys*foo*.**, a.*64_x {}`, "probe a(-3).b(16).return.*, sys*foo*.**, a.*64_x {}\n"},
		{`global c%[10], d=-3, e="x" private g=1 private global h`,
			"global c%[10]\n\nglobal d = -3\n\nglobal e = \"x\"\n\nprivate global g = 1\n\nprivate global h\n"},
		{`probe a = b = c {x}, {y}`, "probe a = c {\n    x;\n}, {\n    y;\n}\n\nprobe b = c {\n    x;\n}, {\n    y;\n}\n"},
		{`function f:long(a:string, b):3 {return}`, "function f:long(a:string, b):3 {\n    return;\n}\n"},
		{`probe begin { foreach (v- = [a,b] in c[*, 1]) foreach (x in d @avg+ limit 2) y }`,
			"probe begin {\n    foreach (v = [a, b] in c[*, 1]-)\n        foreach ([x] in d @avg+ limit 2)\n            y;\n}\n"},
		{`probe begin { print($#, @#, $1, @1, @2 "y", $3) }`, "probe begin {\n    print(3, \"3\", 5 + 5, \"5+5\", \"a\\\"\\\\ny\", x . y);\n}\n"},
		{`@define a(x) %( @x @y %) @define y %( z %) probe begin { b=@a(@y) }`, "probe begin {\n    b = z;\n    z;\n}\n"},
	} {
		env := testEnv()
		env.Args = []string{"5+5", `a"\n`, "x . y"}
		f, diags := Parse(&Source{Path: "x", Text: []byte(tt.script)}, env)
		if err := diags.Err(); err != nil {
			t.Errorf("%s: %s", tt.script, err)
			continue
		}
		var b strings.Builder
		if err := Print(&b, f); err != nil {
			t.Fatal(err)
		}
		if b.String() != tt.want {
			t.Errorf("%s\ngot:\n%s\nwant:\n%s", tt.script, b.String(), tt.want)
		}
	}
}

func TestParseProbePoint(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`kernel.function("vfs_*")`, `kernel.function("vfs_*")`},
		{`syscall.{read,write}.return, timer.ms(5)?`, `syscall.read.return syscall.write.return timer.ms(5)?`},
		{`*.**`, `*.**`},
		{`kernel.function("x`, `error`},
		{`kernel.function("x") {`, `error`},
		{``, `error`},
	} {
		points, diags := ParseProbePoint(tt.text, testEnv())
		var parts []string
		for _, p := range points {
			parts = append(parts, p.String())
		}
		got := strings.Join(parts, " ")
		if diags.Err() != nil {
			got = "error"
		}
		if got != tt.want {
			t.Errorf("%s: got %s, want %s (%v)", tt.text, got, tt.want, diags)
		}
	}
}

func TestEscapes(t *testing.T) {
	for in, want := range map[string]string{
		`a\n\t\\\"`: "a\n\t\\\"", `\x41\x4\x414`: "A\x04A4", `\101\18\0\1234`: "A\x018\x00S4", `\q\?\'`: `q?'`,
		"a\\\nb": "ab", "a\\\r\nb": "ab", "a\\\rb": "a\rb", `\xg`: "xg", `\377\xff`: "\xff\xff",
	} {
		if got := unquote(in); got != want {
			t.Errorf("unquote(%q) = %q, want %q", in, got, want)
		}
		quoted := quote(want)
		if back := unquote(quoted[1 : len(quoted)-1]); back != want {
			t.Errorf("unquote(quote(%q)) = %q", want, back)
		}
	}
}
