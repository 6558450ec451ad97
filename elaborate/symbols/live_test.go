// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"bytes"
	"context"
	"os"
	"testing"
	"time"

	"gostap/elaborate/internal/testkernel"
	"gostap/vm"
)

// TestLive boots a kernel and runs itself in the guest, to compare the running kernel with its image.
func TestLive(t *testing.T) {
	if os.Getenv("GOSTAP_TEST_GUEST") != "" {
		compareLive(t)
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	var out bytes.Buffer
	status, err := vm.Run(ctx, vm.Config{
		Release: testkernel.Releases(t)[0],
		Args: []string{"sh", "-c", "umount /sys/kernel/debug/tracing /sys/kernel/debug /sys/kernel/tracing 2>/dev/null; exec " + // they are not needed
			self + " -test.v -test.run '^TestLive$'"},
		Env:    []string{"GOSTAP_TEST_GUEST=1"},
		Stdout: &out, Stderr: &out,
	})
	if err != nil || status != 0 {
		t.Fatalf("status %d, %v\n%s", status, err, &out)
	}
	t.Log(&out)
}

func compareLive(t *testing.T) {
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	live, err := openLive(running())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOSTAP_CACHE", t.TempDir())
	image, err := Open(running())
	if err != nil {
		t.Fatal(err)
	}
	if live.BuildID != image.BuildID || live.Count() != image.Count() {
		t.Errorf("%s with %d functions, and %s with %d", live, live.Count(), image, image.Count())
	}
	other := 0
	for i := range min(live.Count(), image.Count()) {
		a, b := live.Func(i), image.Func(i)
		a.Addr, b.Addr = 0, 0 // they differ by KASLR
		if b.Refusal == Init {
			a.Ftrace = b.Ftrace // sites of discarded code are not listed
		}
		if b.Refusal.OnlyEntry() {
			b.Refusal = Probeable // tables of reserved code are listed nowhere
		}
		// ftrace's sites are listed by name: if functions share a name, all are taken to have one.
		if a != b && len(image.Lookup(b.Name)) == 1 {
			if other++; other < 20 {
				t.Errorf("live %+v, image %+v", a, b)
			}
		}
	}
	t.Logf("%d functions, %d differ", live.Count(), other)
	compareTracepoints(t, image)
}

// compareTracepoints compares tracefs with the image.
func compareTracepoints(t *testing.T, image *Kernel) {
	symbols, found, err := liveExtras()
	if err != nil {
		t.Fatal(err)
	}
	stext, _ := find(symbols, "_stext")
	live, err := parseTracepoints(encodeTracepoints(found, stext))
	if err != nil {
		t.Fatal(err)
	}
	want, err := image.Tracepoints()
	if err != nil || len(want) != len(live) {
		t.Fatalf("%d tracepoints, %d in the image, %v", len(live), len(want), err)
	}
	for i := range want {
		if live[i] != want[i] {
			t.Errorf("live %+v, image %+v", live[i], want[i])
		}
	}
	t.Logf("%d tracepoints", len(live))
}
