// SPDX-License-Identifier: GPL-2.0-or-later

// Package e2e runs gostap on real kernels: the test boots a micro-VM for each kernel and runs itself
// again in it, where the scripts of testdata are run one after the other. GOSTAP_KERNELS, a list of
// releases separated by spaces, selects the kernels; default: all that are installed. GOSTAP_SCRIPTS, a
// regular expression, selects the scripts. With GOSTAP_SPREAD, as in make test, long scripts run on one
// of the kernels each, the one that reaches them first. GOSTAP_GO_CALLS is the number of calls of Go
// functions that are traced, default 20,000.
package e2e

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"gostap/internal/kernels"
	"gostap/internal/vmlinuz"
	"gostap/tests/guest"
	"gostap/tests/receiver"
	"gostap/tests/trace"
	"gostap/translator/syntax"
)

func TestKernels(t *testing.T) {
	if guest.Dir() != "" {
		t.Skip("this is the guest")
	}
	dir := guest.Prepare(t)
	begun := ""
	if os.Getenv("GOSTAP_SPREAD") != "" && os.Getenv("GOSTAP_SCRIPTS") == "" {
		begun = filepath.Join(dir, "begun")
		if err := os.Mkdir(begun, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	bundled := bundle(t, dir, guest.Releases(t))
	for _, release := range guest.Releases(t) {
		built := filepath.Join(dir, "kbuilt-"+release+".ko")
		warm(t, dir, release, os.Getenv("GOSTAP_SCRIPTS"))
		build(t, dir, release, built)
		places := guest.OnlyBTF(t, release, guest.BuildModule(t, release, "tests/e2e/module"))
		values, bare := guest.BuildModule(t, release, "tests/module"), stripImage(t, dir, release)
		t.Run(release, func(t *testing.T) {
			t.Parallel() // a guest runs one script at a time, and leaves a processor idle
			guest.Run(t, guest.Config{
				Release: release,
				Dir:     dir,
				Test:    "TestGuest",
				Run:     os.Getenv("GOSTAP_SCRIPTS"),
				Shared:  begun,
				Env: []string{"BEGUN=" + begun, "KBUILT=" + built, "BUNDLE=" + bundled, "PLACES=" + places, "VALUES=" + values,
					"IMAGE=" + kernels.Find(release).Image(), "NOBTF=" + bare, "GOSTAP_GO_CALLS=" + goCalls(), "LIMIT=" + scriptLimit(t).String()},
				Timeout: timeLeft(t),
			})
		})
	}
}

// scriptLimit is the time limit of a script: all of the test's for those that are selected by name.
func scriptLimit(t *testing.T) time.Duration {
	if os.Getenv("GOSTAP_SCRIPTS") != "" {
		return timeLeft(t)
	}
	return 10 * time.Minute
}

// goCalls is the number of calls that usergomany traces.
func goCalls() string {
	return cmp.Or(os.Getenv("GOSTAP_GO_CALLS"), "20000")
}

// long is the first line of scripts that take long, and whose results hardly depend on the kernel.
const long = "# Long.\n"

// elsewhere reports whether a script is a long one that another kernel's guest has started. The guests
// share folder, in which each makes a folder for what it starts; if folder is "", all run on each
// kernel.
func elsewhere(folder, script string) (bool, error) {
	text, err := os.ReadFile(filepath.Join("testdata", script+".txtar"))
	if err != nil || folder == "" || !strings.HasPrefix(string(text), long) {
		return false, err
	}
	err = os.Mkdir(filepath.Join(folder, script), 0o777)
	if os.IsExist(err) {
		return true, nil
	}
	return false, err
}

// timeLeft is the time limit of a guest: a little less than the rest of go test's, so that the console
// is shown if it hangs; an hour where that has none.
func timeLeft(t *testing.T) time.Duration {
	end, ok := t.Deadline()
	if !ok {
		return time.Hour
	}
	return time.Until(end) - time.Minute
}

// build builds one module by kbuild.
func build(t *testing.T, dir, release, built string) {
	gostap, root := filepath.Join(dir, "gostap"), guest.Root(t)
	guest.Command(t, dir, gostap, "-p4", "-r", release, "--kbuild", "-m", "kbuilt", filepath.Join(root, "examples/vfs-reads.stp"))
	if err := os.Rename(filepath.Join(dir, "kbuilt.ko"), built); err != nil {
		t.Fatal(err)
	}
}

// bundle makes one bundle of testdata/bundle.stp for all kernels, on the host.
func bundle(t *testing.T, dir string, releases []string) string {
	path := filepath.Join(dir, "bundled")
	guest.Command(t, dir, filepath.Join(dir, "gostap"), "bundle", "-k", strings.Join(releases, ","), "-o", path,
		filepath.Join(guest.Root(t), "tests/e2e/testdata/bundle.stp"), "dd")
	return path
}

// stripImage makes an uncompressed image of the kernel without BTF.
func stripImage(t *testing.T, dir, release string) string {
	file, err := os.ReadFile(kernels.Find(release).Image())
	if err != nil {
		t.Fatal(err)
	}
	image, err := vmlinuz.Unpack(file)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "nobtf-"+release)
	if err := os.WriteFile(path, image, 0o644); err != nil {
		t.Fatal(err)
	}
	guest.Command(t, dir, "objcopy", "--remove-section=.BTF", path)
	return path
}

// TestGuest runs the scripts, inside the VM.
func TestGuest(t *testing.T) {
	dir := guest.Dir()
	if dir == "" {
		t.Skip("TestKernels runs this in a VM")
	}
	limit, err := time.ParseDuration(os.Getenv("LIMIT"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		params := scriptParams(t, dir)
		params.Files, params.Deadline = []string{file}, time.Now().Add(limit)
		testscript.RunT(oneByOne{t}, params)
	}
}

// oneByOne runs scripts at once, so that each has its own deadline.
type oneByOne struct{ *testing.T }

func (t oneByOne) Parallel()     {}
func (t oneByOne) Verbose() bool { return testing.Verbose() }

func (t oneByOne) Run(name string, f func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { f(oneByOne{t}) })
}

// scriptParams is how a script runs in the guest; gostap and the programs that the scripts run are in dir.
func scriptParams(t *testing.T, dir string) testscript.Params {
	return testscript.Params{
		Setup: func(env *testscript.Env) error {
			name := strings.TrimPrefix(filepath.Base(env.WorkDir), "script-")
			if skip, err := elsewhere(os.Getenv("BEGUN"), name); err != nil {
				return err
			} else if skip {
				env.T().Skip("another kernel runs it")
			}
			path := dir + ":" + os.Getenv("PATH")
			if os.Getenv("LOCKED") != "" {
				path = dir + "/signing:" + path
			}
			env.Setenv("PATH", path)
			env.Setenv("GOSTAPDIR", dir)
			env.Setenv("EXAMPLES", filepath.Join(guest.Root(t), "examples"))
			env.Setenv("UNIT", filepath.Join(guest.Root(t), "packages/gostap@.service"))
			for _, v := range []string{"KBUILT", "BUNDLE", "PLACES", "VALUES", "IMAGE", "NOBTF", "GOSTAP_GO_CALLS", "GOSTAP_CACHE", "HOME", "PAGES"} {
				env.Setenv(v, os.Getenv(v))
			}
			if name != "debuginfo" {
				env.Vars = append(env.Vars, noDebuginfo)
			}
			return nil
		},
		Condition: condition,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"clean":    clean,
			"armed":    armed,
			"disarmed": disarmed,
			"mark":     mark,
			"enabled":  enabled,
			"receiver": receive,
			"trace":    readTrace,
		},
	}
}

// noDebuginfo is in the environment of all scripts except that about debuginfo, which would add files
// and lines to probe points.
const noDebuginfo = "GOSTAP_DEBUGINFO=/nonexistent"

// condition evaluates a script's condition on the kernel.
func condition(cond string) (bool, error) {
	switch cond {
	case "spread": // make test, which runs a selection
		return os.Getenv("BEGUN") != "", nil
	case "pages": // a folder for them
		return os.Getenv("PAGES") != "", nil
	case "locked":
		return os.Getenv("LOCKED") != "", nil
	case "trusting": // a key for signing modules
		return os.Getenv("LOCKED") == "trusting", nil
	case "rt":
		_, err := os.Stat("/sys/kernel/realtime")
		return err == nil, nil
	case "debuginfo":
		return hasDebuginfo(runningKernel()), nil
	case "moduletypes": // BTF of modules, from 5.11 on, or debuginfo
		kernel := runningKernel()
		config, err := os.ReadFile(kernel.Config())
		return strings.Contains(string(config), "\nCONFIG_DEBUG_INFO_BTF_MODULES=y\n") || hasDebuginfo(kernel), err
	}
	if version, ok := strings.CutPrefix(cond, "since:"); ok { // a minimal kernel version, as in [since:5.14]
		return syntax.CompareVersions(runningKernel().Release, version) >= 0, nil
	}
	return false, fmt.Errorf("unknown condition %q", cond)
}

// runningKernel returns the guest's kernel.
func runningKernel() kernels.Kernel {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		panic(err)
	}
	return kernels.Find(unix.ByteSliceToString(name.Release[:]))
}

func hasDebuginfo(kernel kernels.Kernel) bool {
	_, err := os.Stat("/usr/lib/debug/boot/vmlinux-" + kernel.Release)
	return err == nil
}

// mark replaces $VALUES in a script by the module's path, and names of lines of values.c, which are
// comments at their ends, by line numbers.
func mark(ts *testscript.TestScript, neg bool, args []string) {
	source, err := os.ReadFile(filepath.Join(filepath.Dir(ts.Getenv("VALUES")), "values.c"))
	ts.Check(err)
	text := strings.ReplaceAll(ts.ReadFile(args[0]), "$VALUES", ts.Getenv("VALUES"))
	for i, line := range strings.Split(string(source), "\n") {
		if m := lineMark.FindStringSubmatch(line); m != nil {
			text = strings.ReplaceAll(text, ":"+m[1]+"\"", fmt.Sprintf(":%d\"", i+1))
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
}

var lineMark = regexp.MustCompile(`/\* ([A-Z_]+) \*/$`)

// clean fails if the kernel log reports harm, or if a probe or a gostap module is left.
func clean(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(guest.Clean())
}

// probes returns the kernel's list of probed functions.
func probes(ts *testscript.TestScript) string {
	list, err := guest.Probes()
	ts.Check(err)
	return list
}

// armed waits until a probe is armed.
func armed(ts *testscript.TestScript, neg bool, args []string) {
	await(ts, 60*time.Second, "no probe was armed", func() bool {
		for line := range strings.Lines(probes(ts)) {
			if !strings.Contains(line, "[DISABLED]") { // a kprobe that is registered but not enabled
				return true
			}
		}
		return false
	})
}

// disarmed waits until no probe is left, and logs the time: two seconds at most, unless the host is too
// busy.
func disarmed(ts *testscript.TestScript, neg bool, args []string) {
	began := time.Now()
	await(ts, 60*time.Second, "probes are left", func() bool { return probes(ts) == "" })
	ts.Logf("no probe is left after %v", time.Since(began).Round(time.Millisecond))
}

// enabled waits until ftrace calls a probe at the named function or, negated, until it does not.
func enabled(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: enabled FUNCTION")
	}
	await(ts, 60*time.Second, fmt.Sprintf("ftrace calls at %s: still %t", args[0], neg), func() bool {
		list, err := os.ReadFile("/sys/kernel/tracing/enabled_functions")
		ts.Check(err)
		return strings.Contains("\n"+string(list), "\n"+args[0]+" ") != neg
	})
}

// readTrace writes the lines of a Perfetto trace to another file: trace FROM TO.
func readTrace(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: trace FROM TO")
	}
	lines := trace.Read(traceProblems{ts}, []byte(ts.ReadFile(args[0])), false)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(lines+"\n"), 0o666))
}

// traceProblems ends the script at the first problem.
type traceProblems struct{ *testscript.TestScript }

func (t traceProblems) Errorf(format string, args ...any) { t.Fatalf(format, args...) }

// receive starts an OpenTelemetry receiver or, with the name of a file, writes the received data to it.
func receive(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 1 {
		ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(received.Text()), 0o666))
		return
	}
	listener, err := net.Listen("tcp", "127.0.0.1:4318")
	ts.Check(err)
	server := &http.Server{Handler: &received}
	go server.Serve(listener)
	ts.Defer(func() { server.Close() })
}

// received has the received data.
var received receiver.Receiver

func await(ts *testscript.TestScript, limit time.Duration, failure string, done func() bool) {
	for end := time.Now().Add(limit); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			ts.Fatalf("%s:\n%s", failure, probes(ts))
		}
	}
}
