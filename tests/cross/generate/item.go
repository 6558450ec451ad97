// SPDX-License-Identifier: GPL-2.0-or-later

package generate

// An Item is a piece of a handler: a function's call, or a construct. Its code
// finds k, which says the how manieth time it is and so what it works with,
// the sums v and t that keep results in use, and the functions and globals of
// script.go.
type Item struct {
	Name     string
	Function bool
	Globals  string // declarations
	Code     string
	Records  int // of the output that it makes at most
	// Ends has the handler end: there is no try block around it.
	Ends bool
	// What it needs of the context.
	Variables, Return, Handler bool
}

// fits says whether an item can be in the handlers of a context.
func (it *Item) fits(c *Context) bool {
	return (!it.Variables || c.Variables) && (!it.Return || c.Return) && (!it.Handler || c.Name != "condition")
}
