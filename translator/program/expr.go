// SPDX-License-Identifier: GPL-2.0-or-later

package program

import "gostap/translator/syntax"

// An Expr is a typed expression. Operands are evaluated from left to right.
type Expr interface {
	Type() Type
	Pos() syntax.Pos
}

type (
	// Number is a literal of type Long.
	Number struct {
		At    syntax.Pos
		Value int64
	}

	// Text is a literal of type String.
	Text struct {
		At    syntax.Pos
		Value string
	}

	// LocalRef is the value of a local, or an lvalue.
	LocalRef struct {
		At    syntax.Pos
		Local *Local
	}

	// GlobalRef is the value of a scalar global, or an lvalue.
	GlobalRef struct {
		At     syntax.Pos
		Global *Global
	}

	// Element is an array's element. A key is nil for * (a slice), which only StatRead, In and Delete
	// allow.
	Element struct {
		At    syntax.Pos
		Array *Global
		Keys  []Expr
	}

	// Call calls Fn; if Fn has a Next, `next` in it calls that with the same arguments.
	Call struct {
		At   syntax.Pos
		Fn   *Function
		Args []Expr
	}

	// Unary: Op is one of - ! ~
	Unary struct {
		At syntax.Pos
		Op string
		X  Expr
	}

	// Binary, on Longs: Op is one of * / % + - >> >>> << & ^ |, or of /u and %u, which are unsigned
	Binary struct {
		At   syntax.Pos
		Op   string
		X, Y Expr
	}

	// Compare, on two Longs or two Strings: Op is one of < > <= >= == !=
	Compare struct {
		At   syntax.Pos
		Op   string
		X, Y Expr
	}

	// Logical: Op is && or ||; Y is evaluated only if X does not determine the result.
	Logical struct {
		At   syntax.Pos
		Op   string
		X, Y Expr
	}

	// Concat joins two Strings.
	Concat struct {
		At   syntax.Pos
		X, Y Expr
	}

	// Cond: If ? Then : Else, of Then's type
	Cond struct {
		At             syntax.Pos
		If, Then, Else Expr
	}

	// Assign: X Op= Y; its value is X's new value. X is a *LocalRef, *GlobalRef,
	// *Element, *Deref, *Register, *Argument or *FileValue. Op is "" for plain assignment,
	// an operator of Binary, or "." on Strings.
	Assign struct {
		At   syntax.Pos
		Op   string
		X, Y Expr
	}

	// IncDec adds Delta to X (an lvalue of type Long); its value is X's old one if Post, else the new.
	IncDec struct {
		At    syntax.Pos
		X     Expr
		Delta int64 // +1 or -1
		Post  bool
	}

	// Aggregate: X <<< Y; its value is Y's.
	Aggregate struct {
		At syntax.Pos
		X  Expr // *GlobalRef or *Element of type Stat
		Y  Expr
	}

	// StatRead: @Op(X). Op is count, sum, min, max, avg or variance. The latter four
	// raise an error if X is empty, or are 0 if EmptyIsZero.
	StatRead struct {
		At          syntax.Pos
		Op          string
		X           Expr // *GlobalRef or *Element of type Stat, or *StatCursor
		EmptyIsZero bool
	}

	// Bucket: @hist_…(X)[Index], the count in one bucket, or as Exists
	// Index in @hist_…(X): whether there is such a bucket.
	Bucket struct {
		At     syntax.Pos
		X      Expr
		Hist   *Hist
		Index  Expr
		Exists bool
	}

	// In: [Keys] in Array. A key is nil for *.
	In struct {
		At    syntax.Pos
		Array *Global
		Keys  []Expr
	}

	// Match: X =~ Regex, or !~ if Not
	Match struct {
		At    syntax.Pos
		Not   bool
		X     Expr
		Regex string
		Keep  bool // the program calls matched(), so the groups are to be kept
	}

	// Print writes to the output (Void) or, as Sprint, into a String; if Else is not "", errors of the
	// arguments are caught, and the String is Else.
	Print struct {
		At     syntax.Pos
		Format string // printf's; print's, println's and printd's are turned into one
		Args   []Expr // Longs and Strings
		Sprint bool
		Else   string
	}

	// PrintHist prints a histogram: print(@hist_…(X)); as Sprint it writes it into a String, with one
	// more newline at the end if Newline.
	PrintHist struct {
		At      syntax.Pos
		X       Expr
		Hist    *Hist
		Sprint  bool
		Newline bool
	}

	// Embedded is %{ Code %} as an expression. Args are the parameters of the surrounding function that
	// Code reads as STAP_ARG_name, each a LocalRef.
	Embedded struct {
		Code   *syntax.EmbeddedC
		Args   []Expr
		Result Type
		Pure   bool
	}

	// Argument is the Index-th (from 0) integer or pointer argument of the probed function, as it was
	// passed: 64 bits, the upper ones undefined if the parameter is narrower. Valid at a function's
	// entry.
	Argument struct {
		At    syntax.Pos
		Index int
	}

	// ReturnValue is the probed function's result, 64 bits.
	ReturnValue struct{ At syntax.Pos }

	// Register is a register by its DWARF number.
	Register struct {
		At     syntax.Pos
		Number int
	}

	// SavedValue is the value of Probe.Saved[Index] at the function's entry.
	SavedValue struct {
		At    syntax.Pos
		Index int
		Kind  Type
	}

	// SymbolAddr is the address of a symbol of the kernel or a module, which the consumer resolves when
	// the session starts.
	SymbolAddr struct {
		At     syntax.Pos
		Image  Image
		Symbol string
	}

	// ProbedAddr is the address of the probed instruction in the process that hit it; in a return
	// probe, that of the function's entry.
	ProbedAddr struct{ At syntax.Pos }

	// ThreadPointer is the current thread's base address of thread-local storage.
	ThreadPointer struct{ At syntax.Pos }

	// LoadBias is the difference between the addresses of a program or library in the current process
	// and those that it is linked at; First is the link address of its file's first page. It is an
	// error of the handler if the process has not mapped the file.
	LoadBias struct {
		At    syntax.Pos
		Image Image
		First uint64
	}

	// SyscallNumber is the number of a process's current system call.
	SyscallNumber struct{ At syntax.Pos }

	// PerfCount is the value of a perf counter for the current task: that of the points of the family
	// perftask whose File is Counter.
	PerfCount struct {
		At      syntax.Pos
		Counter string
	}

	// FileValue is $value of a procfs probe, a String: the text that is written to the file or, as an
	// lvalue, the text that is read from it.
	FileValue struct{ At syntax.Pos }

	// Deref loads Size bytes (1, 2, 4 or 8) from Addr. A bad address is an
	// error of the handler.
	Deref struct {
		At     syntax.Pos
		Addr   Expr
		Size   int
		Signed bool
		User   bool // a user-space address
		// A bit field, as an lvalue: Bits bits from bit Low on. 0: all bits.
		Low, Bits int
	}

	// Cast truncates X to Size bytes (1, 2 or 4) and extends it to 64 bits.
	Cast struct {
		At     syntax.Pos
		X      Expr
		Size   int
		Signed bool
	}

	// ScriptExpr is, in a Value, an expression of the script that the checker has not lowered yet: an
	// index in a target variable, or @cast's operand.
	ScriptExpr struct {
		X syntax.Expr
	}
)

func (e *Number) Type() Type        { return Long }
func (e *Text) Type() Type          { return String }
func (e *LocalRef) Type() Type      { return e.Local.Type }
func (e *GlobalRef) Type() Type     { return e.Global.Type }
func (e *Element) Type() Type       { return e.Array.Type }
func (e *Call) Type() Type          { return e.Fn.Result }
func (e *Unary) Type() Type         { return Long }
func (e *Binary) Type() Type        { return Long }
func (e *Compare) Type() Type       { return Long }
func (e *Logical) Type() Type       { return Long }
func (e *Concat) Type() Type        { return String }
func (e *Cond) Type() Type          { return e.Then.Type() }
func (e *Assign) Type() Type        { return e.X.Type() }
func (e *IncDec) Type() Type        { return Long }
func (e *Aggregate) Type() Type     { return Long }
func (e *StatRead) Type() Type      { return Long }
func (e *Bucket) Type() Type        { return Long }
func (e *In) Type() Type            { return Long }
func (e *Match) Type() Type         { return Long }
func (e *Embedded) Type() Type      { return e.Result }
func (e *Argument) Type() Type      { return Long }
func (e *ReturnValue) Type() Type   { return Long }
func (e *Register) Type() Type      { return Long }
func (e *SavedValue) Type() Type    { return e.Kind }
func (e *SymbolAddr) Type() Type    { return Long }
func (e *ProbedAddr) Type() Type    { return Long }
func (e *ThreadPointer) Type() Type { return Long }
func (e *LoadBias) Type() Type      { return Long }
func (e *SyscallNumber) Type() Type { return Long }
func (e *PerfCount) Type() Type     { return Long }
func (e *FileValue) Type() Type     { return String }
func (e *Deref) Type() Type         { return Long }
func (e *Cast) Type() Type          { return Long }
func (e *ScriptExpr) Type() Type    { return Long }

// Type is String for the sprint family.
func (e *Print) Type() Type {
	if e.Sprint {
		return String
	}
	return Void
}

// Type is String for sprint and sprintln.
func (e *PrintHist) Type() Type {
	if e.Sprint {
		return String
	}
	return Void
}

func (e *Number) Pos() syntax.Pos        { return e.At }
func (e *Text) Pos() syntax.Pos          { return e.At }
func (e *LocalRef) Pos() syntax.Pos      { return e.At }
func (e *GlobalRef) Pos() syntax.Pos     { return e.At }
func (e *Element) Pos() syntax.Pos       { return e.At }
func (e *Call) Pos() syntax.Pos          { return e.At }
func (e *Unary) Pos() syntax.Pos         { return e.At }
func (e *Binary) Pos() syntax.Pos        { return e.At }
func (e *Compare) Pos() syntax.Pos       { return e.At }
func (e *Logical) Pos() syntax.Pos       { return e.At }
func (e *Concat) Pos() syntax.Pos        { return e.At }
func (e *Cond) Pos() syntax.Pos          { return e.At }
func (e *Assign) Pos() syntax.Pos        { return e.At }
func (e *IncDec) Pos() syntax.Pos        { return e.At }
func (e *Aggregate) Pos() syntax.Pos     { return e.At }
func (e *StatRead) Pos() syntax.Pos      { return e.At }
func (e *Bucket) Pos() syntax.Pos        { return e.At }
func (e *In) Pos() syntax.Pos            { return e.At }
func (e *Match) Pos() syntax.Pos         { return e.At }
func (e *Print) Pos() syntax.Pos         { return e.At }
func (e *PrintHist) Pos() syntax.Pos     { return e.At }
func (e *Embedded) Pos() syntax.Pos      { return e.Code.At }
func (e *Argument) Pos() syntax.Pos      { return e.At }
func (e *ReturnValue) Pos() syntax.Pos   { return e.At }
func (e *Register) Pos() syntax.Pos      { return e.At }
func (e *SavedValue) Pos() syntax.Pos    { return e.At }
func (e *SymbolAddr) Pos() syntax.Pos    { return e.At }
func (e *ProbedAddr) Pos() syntax.Pos    { return e.At }
func (e *ThreadPointer) Pos() syntax.Pos { return e.At }
func (e *LoadBias) Pos() syntax.Pos      { return e.At }
func (e *SyscallNumber) Pos() syntax.Pos { return e.At }
func (e *PerfCount) Pos() syntax.Pos     { return e.At }
func (e *FileValue) Pos() syntax.Pos     { return e.At }
func (e *Deref) Pos() syntax.Pos         { return e.At }
func (e *Cast) Pos() syntax.Pos          { return e.At }
func (e *ScriptExpr) Pos() syntax.Pos    { return e.X.Pos() }

// Plus is x + n; x if n is 0.
func Plus(at syntax.Pos, x Expr, n int64) Expr {
	if n == 0 {
		return x
	}
	return &Binary{At: at, Op: "+", X: x, Y: &Number{At: at, Value: n}}
}
