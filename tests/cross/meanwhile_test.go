// SPDX-License-Identifier: GPL-2.0-or-later

package cross

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"gostap/tests/guest"
	"gostap/tests/session"
)

const beside = "another session probes the same"

// A meanwhile is an event during a session.
type meanwhile struct {
	name     string
	ready    func() bool // prepares it; false: the kernel does not support it
	as       []string    // a command that runs gostap
	options  []string    // options of gostap
	do       func(r *running)
	starting bool // it occurs from the start on: the session may fail to start
	kills    bool // gostap may be killed by it
}

var meanwhiles = []meanwhile{
	{name: "nothing happens"},
	{name: "processors go and come", do: hotplug},
	{name: "ftrace is switched off and on", do: switchFtrace},
	{name: "its module goes and comes", do: reload},
	{name: "memory is short at the start", ready: failing, as: []string{"sh", "-c", `echo 1 >/proc/self/make-it-fail; exec "$@"`, "sh"},
		do: failSometimes, starting: true, kills: true},
	{name: "memory is short", ready: failing, do: failOften, kills: true},
	{name: "its cgroup is full at the start", ready: makeGroup, as: []string{"sh", "-c", `echo $$ >` + group + `/cgroup.procs; exec "$@"`, "sh"},
		do: fillBefore, starting: true, kills: true},
	{name: "its cgroup gets full", ready: makeGroup, do: fill, kills: true},
	{name: "its reader is stopped", options: []string{"-s1", "-G", "most=1000000"}, do: stopReader},
	{name: "it is told to stop as it starts", do: stopEarly, starting: true},
	{name: beside},
}

// put writes to one of the kernel's files.
func put(file string, value any) error { return os.WriteFile(file, fmt.Append(nil, value), 0) }

func (r *running) must(err error) {
	r.Helper()
	if err != nil {
		r.Errorf("%s: %v", r, err)
	}
}

func hotplug(r *running) {
	const file = "/sys/devices/system/cpu/cpu1/online"
	for range session.Choose(1, 3) {
		r.must(put(file, 0))
		r.work(100 * time.Millisecond)
		r.must(put(file, 1))
		r.work(100 * time.Millisecond)
	}
}

// switchFtrace switches ftrace off and on; the kernel may refuse that while ftrace is in use.
func switchFtrace(r *running) {
	const file = "/proc/sys/kernel/ftrace_enabled"
	for range session.Choose(1, 3) {
		put(file, 0)
		r.work(100 * time.Millisecond)
		r.must(put(file, 1))
	}
}

func reload(r *running) {
	for range session.Choose(1, 3) {
		session.Removed(r, "gs_cross")
		r.work(50 * time.Millisecond)
		guest.Command(r, "/", "insmod", session.Module("gs_cross"))
		r.work(100 * time.Millisecond)
	}
}

var injections = []string{"/sys/kernel/debug/failslab", "/sys/kernel/debug/fail_page_alloc"}

// failing reports whether the kernel supports fault injection for allocations.
func failing() bool {
	_, err := os.Stat(injections[0])
	return err == nil
}

// inject makes allocations fail in tasks that are marked for it.
func inject(r *running, percent int) {
	for _, dir := range injections {
		for _, f := range []struct {
			name  string
			value any
		}{{"task-filter", "Y"}, {"verbose", 0}, {"interval", 1}, {"times", -1}, {"ignore-gfp-wait", "N"}, {"probability", percent}} {
			r.must(put(filepath.Join(dir, f.name), f.value))
		}
	}
	put(filepath.Join(injections[1], "min-order"), 0)
	put(filepath.Join(injections[1], "ignore-gfp-highmem"), "N")
}

// failSometimes makes one allocation in a hundred fail from the start on.
func failSometimes(r *running) {
	inject(r, 1)
	defer inject(r, 0)
	r.work(500 * time.Millisecond)
}

// failOften makes every fifth allocation fail from now on.
func failOften(r *running) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/make-it-fail", r.sessions[0].Process.Pid))
	for _, task := range tasks {
		put(task, 1)
	}
	inject(r, 20)
	defer inject(r, 0)
	r.work(300 * time.Millisecond)
	r.sessions[0].stop()
	session.Within(time.Second, r.sessions[0].gone)
}

const group = "/sys/fs/cgroup/gs_cross"

// fillBefore reduces the memory for the whole session.
func fillBefore(r *running) {
	r.work(time.Second)
}

// fill takes memory away from a session, temporarily: meanwhile gostap can only read its own pages
// again.
func fill(r *running) {
	r.must(put(group+"/memory.max", "max"))
	r.must(put(group+"/cgroup.procs", r.sessions[0].Process.Pid))
	r.must(put(group+"/memory.max", 4<<20))
	r.work(session.Choose(300*time.Millisecond, 10*time.Second))
	r.must(put(group+"/memory.max", "max"))
}

func stopReader(r *running) {
	stop := session.Busy(r)
	r.sessions[0].Process.Signal(syscall.SIGSTOP)
	time.Sleep(session.Choose(500*time.Millisecond, 2*time.Second))
	stop()
	r.sessions[0].Process.Signal(syscall.SIGCONT)
}

// stopEarly stops a session between the loading of its module and a moment after its start; sometimes
// before.
func stopEarly(r *running) {
	if rand.N(4) > 0 {
		session.Within(limit(), func() bool { return session.Loaded(r.planned.Module) || r.sessions[0].gone() })
	}
	time.Sleep(rand.N(200 * time.Millisecond))
	r.sessions[0].stop()
}

// makeGroup makes the cgroup; false if the kernel has no memory controller.
func makeGroup() bool {
	os.MkdirAll("/sys/fs/cgroup", 0o755)
	unix.Mount("cgroup2", "/sys/fs/cgroup", "cgroup2", 0, "")
	put("/sys/fs/cgroup/cgroup.subtree_control", "+memory")
	os.Mkdir(group, 0o755)
	return put(group+"/memory.max", 24<<20) == nil
}
