// SPDX-License-Identifier: GPL-2.0-or-later

package program

import "gostap/translator/syntax"

// A Stmt is a statement.
type Stmt interface {
	Pos() syntax.Pos
}

type (
	// Eval evaluates X for its effects.
	Eval struct{ X Expr }

	// Block runs Stmts in order.
	Block struct {
		At    syntax.Pos
		Stmts []Stmt
	}

	// If: if (Cond) Then else Else
	If struct {
		At   syntax.Pos
		Cond Expr // Long
		Then Stmt
		Else Stmt // nil if there is none
	}

	// For: for (Init; Cond; Post) Body; while loops have only a Cond.
	For struct {
		At               syntax.Pos
		Init, Cond, Post Expr // each may be nil
		Body             Stmt
	}

	// Foreach iterates over Array's elements that match Slice: in the order of their insertion, or
	// sorted. Elements that the body deletes are not visited; the body may read the array, but does not
	// add elements.
	Foreach struct {
		At    syntax.Pos
		Array *Global
		Slice []Expr   // nil if none; an element is nil for *
		Keys  []*Local // one for each of the array's keys
		Value *Local   // nil if not captured, or if the array holds statistics
		// Cursor is set if the array holds statistics and the value is
		// captured: StatRead's X may then be a StatCursor on it.
		Cursor  *Cursor
		SortDir int    // +1 ascending, -1 descending, 0 unsorted
		SortKey int    // the number of the key, from 1; 0: the value
		SortOp  string // for statistics by value: count, sum, min, max, avg, variance
		Limit   Expr   // Long; nil if none
		Body    Stmt
	}

	// ForeachBucket iterates over all buckets of a histogram, empty ones too.
	ForeachBucket struct {
		At      syntax.Pos
		X       Expr // *GlobalRef or *Element of type Stat
		Hist    *Hist
		Key     *Local // the bucket's index, as in @hist_…(x)[index]; nil if not captured
		Value   *Local // its count, nil if not captured
		SortDir int
		SortKey int // 1: the index, 0: the count
		Limit   Expr
		Body    Stmt
	}

	// Break leaves the innermost loop.
	Break struct{ At syntax.Pos }

	// Continue begins the next iteration of the innermost loop.
	Continue struct{ At syntax.Pos }

	// Next ends a probe's handler, or makes a function fall through to its Next.
	Next struct{ At syntax.Pos }

	// Return ends a function with X as its result.
	Return struct {
		At syntax.Pos
		X  Expr // nil in functions of type Void
	}

	// Delete deletes X: an element, a slice (some of its keys nil), all elements of an array (a
	// *GlobalRef); a scalar or statistic is cleared.
	Delete struct {
		At syntax.Pos
		X  Expr // *GlobalRef or *Element
	}

	// Try runs Body; an error in it is caught: its text goes to Msg and Catch runs.
	Try struct {
		At    syntax.Pos
		Body  Stmt
		Msg   Expr // *LocalRef or *GlobalRef of type String, nil if not given
		Catch Stmt
	}
)

// A Cursor is the current element of a Foreach over statistics.
type Cursor struct {
	Array *Global
	Name  string
}

// A StatCursor is the statistic at a Cursor.
type StatCursor struct {
	At     syntax.Pos
	Cursor *Cursor
}

func (e *StatCursor) Type() Type      { return Stat }
func (e *StatCursor) Pos() syntax.Pos { return e.At }

func (s *Eval) Pos() syntax.Pos          { return s.X.Pos() }
func (s *Block) Pos() syntax.Pos         { return s.At }
func (s *If) Pos() syntax.Pos            { return s.At }
func (s *For) Pos() syntax.Pos           { return s.At }
func (s *Foreach) Pos() syntax.Pos       { return s.At }
func (s *ForeachBucket) Pos() syntax.Pos { return s.At }
func (s *Break) Pos() syntax.Pos         { return s.At }
func (s *Continue) Pos() syntax.Pos      { return s.At }
func (s *Next) Pos() syntax.Pos          { return s.At }
func (s *Return) Pos() syntax.Pos        { return s.At }
func (s *Delete) Pos() syntax.Pos        { return s.At }
func (s *Try) Pos() syntax.Pos           { return s.At }
