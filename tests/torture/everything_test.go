// SPDX-License-Identifier: GPL-2.0-or-later

package torture

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gostap/tests/guest"
	"gostap/tests/session"
)

const (
	// recursion probes what the runtime and the consumer call, with handlers that use everything that
	// handlers can, and code that interrupts and NMIs run, so that they hit while the CPU is in a
	// handler.
	recursion = `global n, events, by, a%
		probe kernel.function("ktime_get*")?, kernel.function("sched_clock*")?, kernel.function("relay_*")?,
			kernel.function("copy_from_kernel_nofault*")?, kernel.function("unwind_*")?, kernel.function("__orc_find")?,
			kernel.function("orc_find*")?, kernel.function("kernel_text_address")?, kernel.function("__kernel_text_address")?,
			kernel.function("stack_trace_*")?, kernel.function("kallsyms_*")?, kernel.function("irq_work_*")?,
			kernel.function("queue_work_on")?, kernel.function("queue_delayed_work_on")?, kernel.function("__queue_work")?,
			kernel.function("_raw_spin_*")?, kernel.function("_raw_read_*")?, kernel.function("__local_bh_*")?,
			kernel.function("hrtimer_*")?, kernel.function("__hrtimer_*")?, kernel.function("tick_*")?,
			kernel.function("update_process_times")?, kernel.function("scheduler_tick")?, kernel.function("sched_tick")?,
			kernel.function("*_softirq*")?, kernel.function("run_timer_*")?, kernel.function("rcu_*")?,
			kernel.function("genl_*")?, kernel.function("netlink_*")?, kernel.function("__netlink_*")?, kernel.function("nla_*")?,
			kernel.function("vfs_*")?, kernel.function("ioctl*")?, kernel.function("*_poll")?,
			kernel.function("nmi_*")?, kernel.function("*_nmi*")?, kernel.function("arch_trigger_*")?, kernel.function("show_regs*")?,
			kernel.function("printk*")?, kernel.function("vprintk*")?, kernel.function("try_to_wake_up")?, kernel.function("schedule")?
		{
			n++
			by[probefunc()] <<< 1
			a[tid(), execname()] = sprintf("%d", n)
			if (n % 64 == 0) { printf("event %s %d\n", probefunc(), events++) print_backtrace() }
			if (n % 64 == 32) { print_backtrace() warn_seldom() }
		}
		probe kernel.function("vfs_read").return, kernel.function("hrtimer_interrupt").return?, kernel.function("ktime_get").return? { n++ }
		probe timer.ms(1) { a[0, "timer"] = execname() }
		function warn_seldom() { if (n % 4096 == 32) warn("still there") }
		probe end {
			printf("produced %d\nhits %d\n", events, n)
			foreach (f in by- limit 400) printf("%s %d\n", f, @count(by[f]))
		}`
	// everything counts the calls of every function that can be probed; in the short form, of a third
	// of them.
	everything = `global n
		probe kernel.function("%s") { n++ }
		probe end { printf("hits %%d\n", n) }`
)

var hitsLine = regexp.MustCompile(`(?m)^hits (\d+)$`)

// summary is the messages at the end of a session, without repetitions.
func summary(s *session.Session) string {
	var list []string
	for _, line := range strings.Split(strings.TrimSpace(s.Err.String()), "\n") {
		if !strings.Contains(line, "still there") && !strings.Contains(line, "can't be probed") {
			list = append(list, line)
		}
	}
	return strings.Join(list[max(len(list)-12, 0):], "\n") // lost and skipped events are reported last
}

// overloaded reports whether a session ended because its probes took too much CPU time.
func overloaded(s *session.Session) bool {
	return strings.Contains(s.Err.String(), "STP_OVERLOAD_THRESHOLD exceeded")
}

// alive does something ordinary, to check that the system works: a new process, a file.
func alive(t *testing.T) {
	t.Helper()
	if out, err := exec.Command("sh", "-c", "cat /proc/self/comm; ls / >/dev/null; date >/dev/null").CombinedOutput(); err != nil || string(out) != "cat\n" {
		t.Errorf("the machine does not answer: %v, %q", err, out)
	}
}

// testRecursion probes the functions that the runtime itself calls, with NMIs at the same time.
func testRecursion(t *testing.T) {
	stop := session.Busy(t)
	s := session.Launch(t, &session.Session{Out: session.Output{WithoutStacks: true}}, "run", session.Module("recursion"))
	session.Armed(t)
	for end := time.Now().Add(session.Choose(4*time.Second, 15*time.Second)); time.Now().Before(end); time.Sleep(500 * time.Millisecond) {
		os.WriteFile("/proc/sysrq-trigger", []byte("l"), 0) // an NMI for each CPU, for its backtrace
		alive(t)
	}
	stop()
	s.Process.Signal(syscall.SIGINT)
	code := s.End()
	m := hitsLine.FindSubmatch(s.Out.Bytes())
	switch {
	case overloaded(s):
	case code != 0 || m == nil:
		t.Errorf("exit code %d\n%s", code, summary(s))
	case string(m[1]) == "0":
		t.Errorf("there were no hits")
	}
	if m != nil {
		t.Logf("%s hits in %d functions", m[1], strings.Count(s.Out.String()[hitsLine.FindStringIndex(s.Out.String())[1]:], "\n"))
	}
	t.Logf("exit code %d; it says:\n%s", code, summary(s))
	if m := producedLine.FindSubmatch(s.Out.Bytes()); m != nil {
		produced, _ := strconv.Atoi(string(m[1]))
		// Losses are counted in records, which include backtraces.
		if n := printed(s); n > produced || produced-n > s.Lost() {
			t.Errorf("%d events were produced, %d printed, %d records lost", produced, n, s.Lost())
		}
	}
	log, err := exec.Command("dmesg").Output()
	if nmis := strings.Count(string(log), "NMI backtrace for cpu"); err != nil || nmis == 0 {
		t.Errorf("no NMI came (%v)", err)
	} else {
		t.Logf("%d NMIs came in between", nmis)
	}
	// The requested backtraces are not harm.
	if err := guest.HarmBut(regexp.MustCompile(`Call Trace|NMI backtrace`)); err != nil {
		t.Error(err)
	}
}

// testEverything probes every function of the kernel.
func testEverything(t *testing.T) {
	stop := session.Busy(t)
	s := session.Start(t, "run", session.Module("everything"))
	ended := make(chan int, 1)
	go func() { ended <- s.End() }()
	began := time.Now()
	session.Await(t, "probes are armed", func() bool { return len(ended) > 0 || session.Probes(t) != "" })
	t.Logf("armed after %s", time.Since(began).Round(time.Millisecond))
	most := 0
	wanted := traceable(t) / session.Choose(6, 2)
	end := time.Now().Add(session.Choose(4*time.Second, time.Minute))
	patience := end.Add(2 * time.Minute) // 5.10 takes milliseconds for each function
	for len(ended) == 0 && (time.Now().Before(end) || most < wanted && time.Now().Before(patience)) {
		alive(t)
		most = max(most, strings.Count(session.Probes(t), "\n"))
	}
	stop()
	s.Process.Signal(syscall.SIGINT)
	code := <-ended
	t.Logf("%d functions were probed", most)
	m := hitsLine.FindSubmatch(s.Out.Bytes())
	n := 0
	if m != nil {
		n, _ = strconv.Atoi(string(m[1]))
	}
	switch {
	case overloaded(s):
		t.Log("the session ended by overload protection")
	case code != 0 || n == 0 || most < wanted:
		t.Errorf("exit code %d, %d hits in %d functions of %d\n%s", code, n, most, traceable(t), summary(s))
	}
	t.Logf("%d hits; it says:\n%s", n, summary(s))
	alive(t)
}

// traceable returns the number of functions that ftrace can trace.
func traceable(t *testing.T) int {
	list, err := os.ReadFile("/sys/kernel/tracing/available_filter_functions")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(list), "\n")
}
