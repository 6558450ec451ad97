// SPDX-License-Identifier: GPL-2.0-or-later

package elaborate

import (
	"fmt"

	"gostap/elaborate/vars"
	"gostap/translator/program"
	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

// inProcess are the families whose handlers run in tasks of processes: they may read perf's counters.
var inProcess = map[string]bool{"uprobe": true, "uretprobe": true, "process": true, "step": true}

// A counterRead is a @perf("NAME"). The probe that declares the counter may come later in the script.
type counterRead struct {
	at    *syntax.AtExpr
	name  string
	value *program.Value
}

// counter resolves @perf("NAME").
func (el *elaboration) counter(at *syntax.AtExpr) *program.Value {
	if el.handler == nil || !el.inProcess {
		return vars.Refused(at.At, "@perf reads a counter of the current process, in a handler of a process(…) probe alone")
	}
	name, ok := at.Args[0].(*syntax.StringLit)
	if !ok {
		return vars.Refused(at.At, "@perf takes the name of a counter in quotes")
	}
	v := &program.Value{X: &program.PerfCount{At: at.At, Counter: name.Value}}
	el.reads = append(el.reads, counterRead{at, name.Value, v})
	return v
}

// resolveCounters checks that the counters exist that @perf reads.
func (el *elaboration) resolveCounters() {
	if len(el.reads) == 0 {
		return
	}
	counters := map[string]bool{}
	var names []string
	for _, p := range el.out.Probes {
		for _, pt := range p.Points {
			if pt.IsCounter() && !counters[pt.File] {
				counters[pt.File] = true
				names = append(names, pt.File)
			}
		}
	}
	for _, r := range el.reads {
		if counters[r.name] {
			continue
		}
		d := syntax.Errorf(r.at.At, "no probe names a counter %q", r.name)
		if d.Hint = suggest.Hint(r.name, names); d.Hint == "" {
			d.Hint = fmt.Sprintf("there has to be one: probe perf.type(N).config(M).counter(%q) { }", r.name)
		}
		*r.value = program.Value{Err: d}
	}
}
