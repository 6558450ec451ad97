// SPDX-License-Identifier: GPL-2.0-or-later

package vars_test

import (
	"fmt"
	"strings"
	"testing"

	"gostap/elaborate/internal/elaborated"
	"gostap/elaborate/internal/testkernel"
)

func TestTracepointVariables(t *testing.T) {
	for _, release := range testkernel.Releases(t) {
		for _, c := range []struct{ event, x, want string }{
			{"sched:sched_switch", `$prev->flags`, "u4[(arg2 + 44)]"},
			{"sched:sched_switch", `$preempt`, "u1(arg1)"},
			{"sched_switch", `$prev_state`, "u4(arg4)"},
			{"kmem:kmalloc", `$gfp_flags`, "u4(arg5)"},
			{"kmem:kmalloc", `$node`, "s4[reg7]"}, // the first on the stack
			{"sched_wakeup", `$$parms`, `sprintf("p=%#x", arg1)`},
			{"sched_wakeup", `$$vars`, `sprintf("p=%#x", arg1)`},
			{"sched_wakeup", `$$locals`, `sprintf("")`},
			{"sched_wakeup", `@defined($nosuch)`, "0"},
			{"sched_wakeup", `$pp`, "no $pp: sched:sched_wakeup has $p (did you mean $p?)"},
			{"workqueue:workqueue_queue_work", `$wq_thread`, "no $wq_thread: workqueue:workqueue_queue_work has $req_cpu, $pwq, $work (since Linux 2.6.36 workqueues share their threads: "},
			{"sched_wakeup", `$p->nosuchmember`, `struct task_struct has no member "nosuchmember"`},
			{"sched_wakeup", `$return`, "$return: a tracepoint returns nothing"},
			{"sched_wakeup", `@entry($p)`, "@entry is what was so at a function's entry"},
		} {
			e, diags := elaborated.OnKernel(t, release, fmt.Sprintf("probe kernel.trace(%q) { print(%s) }", c.event, c.x))
			got := diags.Error()
			if len(diags) == 0 {
				got = elaborated.Values(e.Probes[0])[0]
			}
			if !strings.Contains(got, c.want) {
				t.Errorf("%s: %s: %s\n got  %s\n want %s", release, c.event, c.x, got, c.want)
			}
		}
	}
}
