// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

// A Node is any part of the tree.
type Node interface {
	Pos() Pos // the node's first character, but for infix operators: the operator's
}

// A File is one preprocessed and parsed Source.
type File struct {
	Source *Source
	Decls  []Decl
}

// A Decl is a top-level declaration.
type Decl interface {
	Node
	decl()
}

type (
	// GlobalDecl: [private] global Name[MaxSize]% = Init
	// One node for each name of a comma-separated list.
	GlobalDecl struct {
		At      Pos
		Name    string
		Private bool
		Wrap    bool  // the % after the name: overwrite the oldest element when full
		MaxSize int64 // 0 if not given
		Init    Expr  // *NumberLit, *StringLit or nil
	}

	// FunctionDecl: [private] function Name:Result (Params) :Priority { Body }
	// or with %{ Code %} instead of the body.
	FunctionDecl struct {
		At       Pos
		Name     string
		Private  bool
		Params   []*Param
		Result   TypeName // "" if not given
		Priority *int64   // nil if not given
		Body     *Block   // nil for embedded C
		Code     *EmbeddedC
	}

	// AliasDecl: probe Name = Points { Body }, or += for an epilogue, or
	// probe Name = Points { Body }, { After } for both.
	// One node for each name of probe Name1 = Name2 = Points { Body }.
	AliasDecl struct {
		At       Pos
		Name     *ProbePoint // without condition or marks
		Epilogue bool
		Points   []*ProbePoint
		Body     *Block
		After    *Block // the epilogue that follows a prologue; nil if not given
	}

	// ProbeDecl: probe Points { Body }
	ProbeDecl struct {
		At     Pos
		Points []*ProbePoint
		Body   *Block
	}

	// EmbeddedDecl: %{ Code %} at the top level.
	EmbeddedDecl struct {
		Code *EmbeddedC
	}
)

func (*GlobalDecl) decl()   {}
func (*FunctionDecl) decl() {}
func (*AliasDecl) decl()    {}
func (*ProbeDecl) decl()    {}
func (*EmbeddedDecl) decl() {}

func (d *GlobalDecl) Pos() Pos   { return d.At }
func (d *FunctionDecl) Pos() Pos { return d.At }
func (d *AliasDecl) Pos() Pos    { return d.At }
func (d *ProbeDecl) Pos() Pos    { return d.At }
func (d *EmbeddedDecl) Pos() Pos { return d.Code.At }

// A TypeName is a written type: "long", "string", or "" where it is inferred.
type TypeName string

// Param: Name:Type
type Param struct {
	At   Pos
	Name string
	Type TypeName
}

// EmbeddedC: %{ Text %}
type EmbeddedC struct {
	At   Pos
	Text string // what stands between %{ and %}, to the letter
}

// ProbePoint: Components ? or ! if (Cond). Braces are expanded by the parser;
// the points that one brace expands to share their Components' elements.
type ProbePoint struct {
	At         Pos
	Components []*Component
	Optional   bool // ? or !
	Sufficient bool // !
	Cond       Expr // nil if not given
}

// Component: Name or Name(Arg). Name may hold the wildcards * and **.
type Component struct {
	At   Pos
	Name string
	Arg  Expr // *NumberLit, *StringLit or nil
}

func (p *ProbePoint) Pos() Pos { return p.At }
func (c *Component) Pos() Pos  { return c.At }

// A Stmt is a statement.
type Stmt interface {
	Node
	stmt()
}

type (
	// Block: { Stmts }
	Block struct {
		At    Pos
		Stmts []Stmt
	}

	// EmptyStmt: ;
	EmptyStmt struct{ At Pos }

	// ExprStmt: X
	ExprStmt struct{ X Expr }

	// IfStmt: if (Cond) Then else Else
	IfStmt struct {
		At   Pos
		Cond Expr
		Then Stmt
		Else Stmt // nil if not given
	}

	// ForStmt: for (Init; Cond; Post) Body, or while (Cond) Body
	ForStmt struct {
		At               Pos
		Init, Cond, Post Expr // each may be nil
		Body             Stmt
	}

	// ForeachStmt: foreach (Value = [Keys] in Array[Slice] Sort limit Limit) Body
	ForeachStmt struct {
		At       Pos
		Value    *Ident   // nil if not captured
		Keys     []*Ident // one or more; none only over a histogram's value capture
		Array    Expr     // *Ident or *StatOp of a histogram (@hist_log(x), @hist_log(a[k]))
		Slice    []Expr   // nil if not given; an element is nil where * stands
		SortDir  int      // +1 ascending, -1 descending, 0 unsorted
		SortKey  int      // 1.. the key's place; 0 the value
		SortStat string   // with SortKey 0 on statistics: "count", "sum", "min", "max", "avg"; "" if none was given
		Limit    Expr     // nil if not given
		Body     Stmt
	}

	// BreakStmt: break
	BreakStmt struct{ At Pos }

	// ContinueStmt: continue
	ContinueStmt struct{ At Pos }

	// NextStmt: next
	NextStmt struct{ At Pos }

	// ReturnStmt: return X
	ReturnStmt struct {
		At Pos
		X  Expr // nil if not given
	}

	// DeleteStmt: delete X
	DeleteStmt struct {
		At Pos
		X  Expr // *Ident or *IndexExpr, whose Index may hold nil for *
	}

	// TryStmt: try { Body } catch (Msg) { Catch }
	TryStmt struct {
		At    Pos
		Body  *Block
		Msg   *Ident // nil if not given
		Catch *Block
	}
)

func (*Block) stmt()        {}
func (*EmptyStmt) stmt()    {}
func (*ExprStmt) stmt()     {}
func (*IfStmt) stmt()       {}
func (*ForStmt) stmt()      {}
func (*ForeachStmt) stmt()  {}
func (*BreakStmt) stmt()    {}
func (*ContinueStmt) stmt() {}
func (*NextStmt) stmt()     {}
func (*ReturnStmt) stmt()   {}
func (*DeleteStmt) stmt()   {}
func (*TryStmt) stmt()      {}

func (s *Block) Pos() Pos        { return s.At }
func (s *EmptyStmt) Pos() Pos    { return s.At }
func (s *ExprStmt) Pos() Pos     { return s.X.Pos() }
func (s *IfStmt) Pos() Pos       { return s.At }
func (s *ForStmt) Pos() Pos      { return s.At }
func (s *ForeachStmt) Pos() Pos  { return s.At }
func (s *BreakStmt) Pos() Pos    { return s.At }
func (s *ContinueStmt) Pos() Pos { return s.At }
func (s *NextStmt) Pos() Pos     { return s.At }
func (s *ReturnStmt) Pos() Pos   { return s.At }
func (s *DeleteStmt) Pos() Pos   { return s.At }
func (s *TryStmt) Pos() Pos      { return s.At }

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

	// IndexExpr: X[Index]. X is an *Ident (an array) or a *StatOp (a histogram,
	// one index). An element of Index is nil where * stands.
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

	// InExpr: Index in Array; [a, b] in Array. An element is nil where * stands.
	InExpr struct {
		At    Pos
		Index []Expr
		Array *Ident
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

	// TargetVar: $name, $$name, @var("name", "module"), @cast(X, "type", "module")
	// or any other expression X that -> or [ ] follows (but not name[…]) or that &
	// precedes. Each with Access, and with & before it or $ or $$ behind it.
	TargetVar struct {
		At     Pos
		Kind   TargetKind
		Name   string // with one leading $ for $$vars and family; the type for @cast; the variable for @var
		Module string // @var's and @cast's last argument; "" if not given
		X      Expr   // @cast's operand; that of an AutoCast
		Access []Access
		Addr   bool // & before it
		Pretty int  // the number of $ behind it: 0, 1 or 2
	}

	// AtExpr: @Op(Args): @defined, @entry, @probewrite, @perf, @const, @enum,
	// @enumname, @module, @choose_defined and every @word( that is none of the others.
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

// TargetKind tells the forms of a TargetVar apart.
type TargetKind uint8

const (
	DollarVar TargetKind = iota // $name
	AtVar                       // @var("name", "module")
	AtCast                      // @cast(X, "type", "module")
	AutoCast                    // X with Access, where X's type is known from what was assigned to it
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
