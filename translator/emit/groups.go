// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"fmt"
	"strings"

	"gostap/translator/program"
)

// A handler is one run of a probe's code: its body, what it saves at a
// function's entry, or its condition.
type handler struct {
	probe *program.Probe
	part  part
	name  string // of the C function
	phase phase
	cold  bool
	sum   *summary
}

type part uint8

const (
	bodyPart part = iota
	entryPart
	condPart
)

// A phase distinguishes handlers that can run concurrently from others: begin probes run one after the
// other before all other handlers, end and error probes after them.
type phase uint8

const (
	running phase = iota
	starting
	ending
)

func phaseOf(pr *program.Probe) phase {
	begins, ends := 0, 0
	for _, pt := range pr.Points {
		switch pt.Family {
		case "begin":
			begins++
		case "end", "error":
			ends++
		}
	}
	switch len(pr.Points) {
	case begins:
		return starting
	case ends:
		return ending
	}
	return running
}

func isCold(pr *program.Probe) bool {
	for _, pt := range pr.Points {
		if !pt.Cold {
			return false
		}
	}
	return true
}

// A group is a set of globals that all handlers use in the same way, with one lock.
//
// A sharded group also has an instance for each CPU: hot handlers only add to its globals, so each adds
// to its CPU's instance, under a lock that is free unless a handler needs the sum. Handlers that need
// the sum, all at Cold points, take every CPU's lock and drain the shards first. Apart from the time,
// the effect is that of one instance under one lock.
type group struct {
	n       int
	globals []*program.Global
	sharded bool
}

// findGroups divides the globals that need a lock into groups, in the order in which locks are taken.
// Globals that no running handler writes need no lock, unless something else writes them (written).
func findGroups(globals []*program.Global, handlers []*handler, written bool) []*group {
	var groups []*group
	bySignature := map[string]*group{}
	for _, g := range globals {
		sig, changes := signature(g, handlers)
		if !changes && !written {
			continue
		}
		gr := bySignature[sig]
		if gr == nil {
			gr = &group{n: len(groups), sharded: strings.HasPrefix(sig, "sharded")}
			bySignature[sig] = gr
			groups = append(groups, gr)
		}
		gr.globals = append(gr.globals, g)
	}
	return groups
}

// signature describes which running handlers read and write g.
func signature(g *program.Global, handlers []*handler) (sig string, written bool) {
	var b strings.Builder
	shardable, hot := !g.Wrap && (g.Type == program.Long || g.Type == program.Stat), false
	for i, h := range handlers {
		a := h.sum.usage[g]
		if a == 0 || h.phase != running {
			continue
		}
		fmt.Fprintf(&b, " %d%t", i, a.exclusive())
		written = written || a.exclusive()
		if !h.cold {
			hot = true
			shardable = shardable && a&^modifies == aggregates
		}
	}
	if shardable && hot {
		return "sharded" + b.String(), written
	}
	return b.String(), written
}

// uses returns how h uses a group: at all, and with writes.
func (gr *group) uses(h *handler) (touches, exclusive bool) {
	for _, g := range gr.globals {
		if a := h.sum.usage[g]; a != 0 {
			touches = true
			exclusive = exclusive || a.exclusive()
		}
	}
	return touches, exclusive
}

// isSharded reports whether each CPU has its own instance of gl.
func (g *gen) isSharded(gl *program.Global) bool {
	gr := g.groupOf[gl]
	return gr != nil && gr.sharded
}
