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

// A phase tells handlers that can run at the same time as others from those
// that can't: begin probes run one after the other before anything else, end
// and error probes after everything else.
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

// A group is the globals that all handlers use alike, under one lock.
//
// A sharded group has an instance for each CPU besides: hot handlers only add to its globals, so each adds to the
// instance of its CPU, under a lock that is free unless a handler needs the sum. Those handlers, all at Cold points,
// take every CPU's lock and drain the shards first. Apart from the time, the effect is that of one instance under one lock.
type group struct {
	n       int
	globals []*program.Global
	sharded bool
}

// findGroups puts the globals that need a lock into groups, in the order in
// which locks are taken. Globals that no running handler writes need none, unless others write them (written).
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

// signature spells which running handlers read and write g.
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

// uses is how h touches a group: not at all, reading, or writing.
func (gr *group) uses(h *handler) (touches, exclusive bool) {
	for _, g := range gr.globals {
		if a := h.sum.usage[g]; a != 0 {
			touches = true
			exclusive = exclusive || a.exclusive()
		}
	}
	return touches, exclusive
}

// isSharded reports whether each CPU has a gl of its own.
func (g *gen) isSharded(gl *program.Global) bool {
	gr := g.groupOf[gl]
	return gr != nil && gr.sharded
}
