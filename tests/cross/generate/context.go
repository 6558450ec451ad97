// SPDX-License-Identifier: GPL-2.0-or-later

package generate

import (
	"fmt"
	"strings"
)

// A Rate is the frequency of a context's handlers, which determines the work of each run.
type Rate int

const (
	Often  Rate = iota // one item
	Seldom             // all items, with one choice of arguments
	Once               // all items with all arguments
)

// A Context is a context in which handlers run.
type Context struct {
	Name  string
	Point string // the probe point; those of Places are placeholders
	Rate  Rate
	// Whether $$vars and the like, a return value and registers are available.
	Variables, Return, Registers bool
	NMI                          bool // the probe point is reached by NMIs only, which have to be triggered
	// With is another probe of the script, so that probes are combined.
	With string
	// Long is set for contexts of the long form only.
	Long bool
}

// Contexts are the contexts in which handlers run.
var Contexts = []Context{
	{Name: "function", Point: `kernel.function("vfs_read")`, Variables: true, Registers: true},
	{Name: "functions", Point: `kernel.function("vfs_*")`, Registers: true},
	{Name: "return", Point: `kernel.function("vfs_write").return`, Variables: true, Return: true, Registers: true},
	{Name: "returns", Point: `kernel.function("vfs_*").return`, Return: true, Registers: true},
	{Name: "joint", Point: `kernel.function("vfs_read")`, Variables: true, Registers: true, With: many(""), Long: true},
	{Name: "joint-return", Point: `kernel.function("vfs_write").return`, Variables: true, Return: true, Registers: true,
		With: many("") + many(".return"), Long: true},
	{Name: "kprobe", Point: `kprobe.function("vfs_open")`, Registers: true},
	{Name: "kprobe-return", Point: `kprobe.function("vfs_open").return`, Return: true, Registers: true},
	{Name: "statement", Point: `kernel.statement(%STATEMENT%).absolute`, Registers: true},
	{Name: "statement-in-ftrace", Point: `kernel.statement(%STATEMENT%).absolute`, Registers: true,
		With: `probe kernel.function("vfs_read"), kernel.function("vfs_read").return { beats <<< 1 }`},
	{Name: "module", Point: `module("gs_cross").function("gs_cross_task")`, Variables: true, Registers: true},
	{Name: "module-return", Point: `module("gs_cross").function("gs_cross_task").return`, Variables: true, Return: true, Registers: true},
	{Name: "module-softirq", Point: `module("gs_cross").function("gs_cross_softirq")`, Variables: true, Registers: true},
	{Name: "module-hardirq", Point: `module("gs_cross").function("gs_cross_hardirq")`, Variables: true, Registers: true},
	{Name: "module-hardirq-return", Point: `module("gs_cross").function("gs_cross_hardirq").return`, Variables: true, Return: true, Registers: true},
	{Name: "module-tracepoint", Point: `kernel.trace("gs_cross:gs_cross_event")`, Variables: true},
	{Name: "softirq", Point: `kernel.function("run_timer_softirq")`, Registers: true},
	{Name: "hardirq", Point: `kernel.function("update_process_times")`, Variables: true, Registers: true},
	{Name: "watched", Point: `kernel.data("panic_timeout").write`, Registers: true},
	{Name: "watched-rw", Point: `kernel.data("panic_timeout").rw`, Registers: true},
	{Name: "watched-jiffies", Point: `kernel.data("jiffies_64").write`, Registers: true},
	{Name: "perf-clock", Point: `perf.sw.cpu_clock.hz(200)`, Registers: true, Long: true},
	{Name: "perf-switch", Point: `perf.sw.context_switches.sample(3)`, Registers: true, Long: true},
	{Name: "process", Point: `process("%BEAT%").function("beat")`, Registers: true, Long: true},
	{Name: "process-return", Point: `process("%BEAT%").function("beat").return`, Return: true, Registers: true, Long: true},
	{Name: "process-syscall", Point: `process("%BEAT%").syscall`, Registers: true, Long: true},
	{Name: "procfs", Point: `procfs.read`, Long: true},
	{Name: "begin", Point: `begin`, Rate: Once},
	{Name: "oneshot", Point: `oneshot`, Rate: Once},
	{Name: "end", Point: `end`, Rate: Once},
	{Name: "error", Point: `error`, Rate: Once},
	{Name: "timer.s", Point: `timer.s(1)`, Rate: Seldom},
	{Name: "timer.ms", Point: `timer.ms(10)`},
	{Name: "timer.us", Point: `timer.us(2000)`},
	{Name: "timer.jiffies", Point: `timer.jiffies(2)`},
	{Name: "timer.hz", Point: `timer.hz(50)`},
	{Name: "timer.randomize", Point: `timer.ms(15).randomize(10)`},
	{Name: "timer.profile", Point: `timer.profile`, Registers: true},
	{Name: "timer.profile.freq", Point: `timer.profile.freq.hz(200)`, Registers: true},
	{Name: "sys_enter", Point: `kernel.trace("sys_enter")`, Variables: true},
	{Name: "sys_exit", Point: `kernel.trace("sys_exit")`, Variables: true},
	{Name: "sched_switch", Point: `kernel.trace("sched_switch")`, Variables: true},
	{Name: "sched_wakeup", Point: `kernel.trace("sched_wakeup")`, Variables: true},
	{Name: "irq_handler_entry", Point: `kernel.trace("irq_handler_entry")`, Variables: true},
	{Name: "softirq_entry", Point: `kernel.trace("softirq_entry")`, Variables: true},
	{Name: "hrtimer_expire_entry", Point: `kernel.trace("hrtimer_expire_entry")`, Variables: true},
	{Name: "nmi", Point: `kernel.trace("nmi_handler")`, Rate: Seldom, Variables: true, NMI: true},
	{Name: "condition", Point: `kernel.function("vfs_read")`},
}

// Places are the parts of contexts' probe points that depend on the kernel or the machine.
type Places struct {
	Statement string // %STATEMENT%: the address of an instruction of vfs_read behind its entry
	Beat      string // %BEAT%: the path of tests/load/beat.c's program
}

func (p *Places) in(point string) string {
	return strings.NewReplacer("%STATEMENT%", p.Statement, "%BEAT%", p.Beat).Replace(point)
}

// called are functions that are called occasionally on all kernels.
var called = strings.Fields(`vfs_open vfs_getattr vfs_statx filp_close fput dput path_get path_put kfree
	kmem_cache_free do_filp_open do_sys_openat2 security_file_permission security_file_open mutex_lock mutex_unlock
	try_to_wake_up schedule_timeout hrtimer_start_range_ns hrtimer_cancel wake_up_process free_pages unlock_page
	handle_mm_fault do_exit copy_process dup_mm mmput security_inode_permission touch_atime`)

// many are handlers of the entries or returns of many functions, all different: enough for them to
// share one ftrace_ops.
func many(ending string) string {
	var b strings.Builder
	for i, name := range called {
		fmt.Fprintf(&b, "probe kernel.function(%q)%s? { beats <<< %d }\n", name, ending, i)
	}
	return b.String()
}
