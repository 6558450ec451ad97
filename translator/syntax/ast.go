// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

// A Node is any part of the tree.
type Node interface {
	Pos() Pos // of the node's first character, but for infix operators of the operator
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

// A TypeName is a written type: "long", "string", or "" if it is to be inferred.
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
	Text string // the text between %{ and %}, unchanged
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
		Keys     []*Ident // one or more; none only for a histogram whose value is captured
		Array    Expr     // *Ident or *StatOp of a histogram (@hist_log(x), @hist_log(a[k]))
		Slice    []Expr   // nil if not given; an element is nil for *
		SortDir  int      // +1 ascending, -1 descending, 0 unsorted
		SortKey  int      // the number of the key, from 1; 0: the value
		SortStat string   // with SortKey 0 on statistics: "count", "sum", "min", "max", "avg", "variance"; "" if none was given
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
		X  Expr // *Ident or *IndexExpr, whose Index may contain nil for *
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
