// SPDX-License-Identifier: GPL-2.0-or-later

package generate

// An Item is a piece of a handler: a function's call, or a construct. Its code may use k, the number of
// the run, which selects arguments, the sums v and t, which keep results in use, and the functions and
// globals of script.go.
type Item struct {
	Name     string
	Function bool
	Globals  string // declarations
	Code     string
	Records  int // maximal number of records of its output
	// Ends is set if the item ends the handler: it is not in a try block.
	Ends bool
	// Requirements for the context.
	Variables, Return, Handler bool
}

// fits reports whether an item can be in the handlers of a context.
func (it *Item) fits(c *Context) bool {
	return (!it.Variables || c.Variables) && (!it.Return || c.Return) && (!it.Handler || c.Name != "condition")
}
