// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

// An Expr is an expression.
type Expr interface {
	Node
	expr()
}

type (
	// NumberLit: 42, 0x2a, 052
	NumberLit struct {
		At    Pos
		Value int64
	}

	// StringLit: "text"; adjacent literals are joined, escapes resolved.
	StringLit struct {
		At    Pos
		Value string
	}

	// EmbeddedExpr: %{ Code %} as an expression (guru mode)
	EmbeddedExpr struct {
		Code *EmbeddedC
	}

	// Ident: Name, a local or global variable
	Ident struct {
		At   Pos
		Name string
	}

	// IndexExpr: X[Index]. X is an *Ident (an array) or a *StatOp (a histogram, one index). An element
	// of Index is nil for *.
	IndexExpr struct {
		At    Pos
		X     Expr
		Index []Expr
	}

	// CallExpr: Name(Args)
	CallExpr struct {
		At   Pos
		Name string
		Args []Expr
	}

	// UnaryExpr: Op X. Op is one of + - ! ~
	UnaryExpr struct {
		At Pos
		Op string
		X  Expr
	}

	// IncDecExpr: ++X, --X, X++, X--
	IncDecExpr struct {
		At   Pos
		Op   string // "++" or "--"
		Post bool
		X    Expr
	}

	// BinaryExpr: X Op Y. Op is one of
	//	* / % + - >> >>> << & ^ | . < > <= >= == != && ||
	BinaryExpr struct {
		At   Pos // the operator
		Op   string
		X, Y Expr
	}

	// MatchExpr: X =~ Regex or X !~ Regex
	MatchExpr struct {
		At    Pos
		Not   bool
		X     Expr
		Regex *StringLit
	}

	// InExpr: Index in Array; [a, b] in Array. An element is nil for *.
	InExpr struct {
		At    Pos
		Index []Expr
		Array Expr // *Ident or *StatOp (a histogram, one index)
	}

	// CondExpr: Cond ? Then : Else
	CondExpr struct {
		At               Pos
		Cond, Then, Else Expr
	}

	// AssignExpr: X Op Y. Op is one of = += -= *= /= %= <<= >>= &= ^= |= .= <<<
	AssignExpr struct {
		At   Pos // the operator
		Op   string
		X, Y Expr
	}

	// StatOp: @count(X), @sum(X), @min(X), @max(X), @avg(X),
	// @variance(X, Params), @hist_log(X), @hist_linear(X, Params)
	StatOp struct {
		At     Pos
		Op     string // without @
		X      Expr   // *Ident or *IndexExpr
		Params []int64
	}

	// TargetVar: $name, $$name, @var("name", "module"), @cast(X, "type", "module") or any other
	// expression X that is followed by -> or [ ] (but not name[…]) or preceded by &. Each has Access,
	// and may have & before it or $ or $$ behind it.
	TargetVar struct {
		At     Pos
		Kind   TargetKind
		Name   string // $$vars and its family keep one $; the type for @cast; the variable for @var
		Module string // @var's and @cast's last argument; "" if not given
		X      Expr   // the operand of @cast or of an AutoCast
		Access []Access
		Addr   bool // & before it
		Pretty int  // the number of $ behind it: 0, 1 or 2
	}

	// AtExpr: @Op(Args): @defined, @entry, @probewrite, @perf, @const, @enum, @enumname, @module,
	// @choose_defined and every other @word( .
	AtExpr struct {
		At   Pos
		Op   string // without @
		Args []Expr
	}

	// PrintExpr: print(…), println, printd, printdln, printf, sprint, sprintln,
	// sprintd, sprintdln, sprintf, and print(@hist_…(x)).
	PrintExpr struct {
		At     Pos
		Name   string
		Format string // the literal of printf and sprintf
		Delim  string // the literal of the d forms
		Args   []Expr
	}
)

// TargetKind is the form of a TargetVar.
type TargetKind uint8

const (
	DollarVar TargetKind = iota // $name
	AtVar                       // @var("name", "module")
	AtCast                      // @cast(X, "type", "module")
	AutoCast                    // X with Access, where X's type is inferred from assignments
)

// Access: ->Member or [Index], one step of a TargetVar's chain.
type Access struct {
	At     Pos
	Member string // "" for an index
	Index  Expr
}

func (*NumberLit) expr()    {}
func (*StringLit) expr()    {}
func (*EmbeddedExpr) expr() {}
func (*Ident) expr()        {}
func (*IndexExpr) expr()    {}
func (*CallExpr) expr()     {}
func (*UnaryExpr) expr()    {}
func (*IncDecExpr) expr()   {}
func (*BinaryExpr) expr()   {}
func (*MatchExpr) expr()    {}
func (*InExpr) expr()       {}
func (*CondExpr) expr()     {}
func (*AssignExpr) expr()   {}
func (*StatOp) expr()       {}
func (*TargetVar) expr()    {}
func (*AtExpr) expr()       {}
func (*PrintExpr) expr()    {}

func (e *NumberLit) Pos() Pos    { return e.At }
func (e *StringLit) Pos() Pos    { return e.At }
func (e *EmbeddedExpr) Pos() Pos { return e.Code.At }
func (e *Ident) Pos() Pos        { return e.At }
func (e *IndexExpr) Pos() Pos    { return e.At }
func (e *CallExpr) Pos() Pos     { return e.At }
func (e *UnaryExpr) Pos() Pos    { return e.At }
func (e *IncDecExpr) Pos() Pos   { return e.At }
func (e *BinaryExpr) Pos() Pos   { return e.At }
func (e *MatchExpr) Pos() Pos    { return e.At }
func (e *InExpr) Pos() Pos       { return e.At }
func (e *CondExpr) Pos() Pos     { return e.At }
func (e *AssignExpr) Pos() Pos   { return e.At }
func (e *StatOp) Pos() Pos       { return e.At }
func (e *TargetVar) Pos() Pos    { return e.At }
func (e *AtExpr) Pos() Pos       { return e.At }
func (e *PrintExpr) Pos() Pos    { return e.At }
