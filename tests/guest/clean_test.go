// SPDX-License-Identifier: GPL-2.0-or-later

package guest

import (
	"strings"
	"testing"
)

// Reports of KCSAN about the kernel itself are ignored; those that name a module are not.
func TestKernelRaces(t *testing.T) {
	const line = "[   12.345678] ==================================================================\n"
	report := func(title string) string {
		return line + "[   12.345678] BUG: KCSAN: " + title + "\n[   12.345679]\n" +
			"[   12.345680] write to 0xffffffff of 8 bytes by task 1 on cpu 0:\n[   12.345681]  f+0x1/0x2 [m]\n" + line
	}
	ours := report("data-race in gs_ask [x_condition0] / gs_function_hit [x_condition0]")
	log := "[    1.0] first\n" + report("data-race in tick_sched_do_timer / ktime_get") + ours +
		report("assert: race in rcu_report_qs_rdp") + "[   13.0] last\n"
	if got, want := string(withoutKernelRaces([]byte(log))), "[    1.0] first\n"+ours+"[   13.0] last\n"; got != want {
		t.Errorf("left:\n%s\nwant:\n%s", got, want)
	}
	if !harm.MatchString(ours) || harm.MatchString(strings.ReplaceAll(string(withoutKernelRaces([]byte(report("data-race in a / b")))), " ", "")) {
		t.Error("the wrong ones are harm")
	}
}

// A process that the kernel kills because memory is short is no harm; what else the log reports is.
func TestKills(t *testing.T) {
	kill := "[ 1.0] greedy invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0\n[ 1.0] CPU: 1 PID: 214 Comm: greedy\n[ 1.0] Call Trace:\n[ 1.0]  <TASK>\n"
	for log, harmed := range map[string]bool{
		kill: false, kill + kill: false, kill + "[ 2.0] CPU: 0\n[ 2.0] Call Trace:\n": true,
		"[ 1.0] a invoked oom-killer: b\n[ 1.0] BUG: c\n[ 1.0] Call Trace:\n": true,
	} {
		if harm.Match(withoutKills([]byte(log))) != harmed {
			t.Errorf("harm is not %v:\n%s", harmed, log)
		}
	}
}

// The excerpt of a long log is the report, wherever it is in the log.
func TestAround(t *testing.T) {
	log := strings.Repeat("before\n", 300) + "<1> BUG: here\n" + strings.Repeat("after\n", 300)
	shown := around([]byte(log), strings.Index(log, "BUG"))
	if want := strings.Repeat("before\n", 10) + "<1> BUG: here\n" + strings.Repeat("after\n", 149); shown != want {
		t.Errorf("shown: %q", shown)
	}
}
