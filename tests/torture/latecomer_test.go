// SPDX-License-Identifier: GPL-2.0-or-later

package torture

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"golang.org/x/sys/unix"

	"gostap/tests/guest"
	"gostap/tests/session"
)

// latecomer probes the module at PATH, which comes during the session: its groups of functions are called by those of its
// returns, and one of its probes is armed again and again.
const latecomer = `global on, enters%, returns%, maybe%
	probe module("PATH").function("gs_places_pair") { enters[0]++ }
	probe module("PATH").function("gs_places_pair").return { returns[0]++ }
	probe module("PATH").function("gs_places_many") if (on) { maybe[0]++ }
	probe timer.ms(10) { on = !on }
	probe end { printf("enters %d\nreturns %d\n", enters[0], returns[0]) }`

// places calls the module's functions, has an allocation fail when it is loaded, and says how many there were.
const places = `cd /sys/module/gstortfail/parameters; before=$(cat counted); [ $1 = 0 ] || echo $((before + $1)) >nth
	insmod $2; for i in 1 2 3 4; do echo x >/sys/kernel/debug/gs_places/run; sleep 0.03; done
	echo allocations $(($(cat counted) - before)); rmmod gs_places`

// testLatecomer makes each allocation fail that is made for a module that comes during a session: of each probe in it all hits
// are counted, or it is said that the probe is not armed.
func testLatecomer(t *testing.T) {
	guest.Command(t, "/", "insmod", session.Module("gstortfail"), "victim=latecomer")
	defer unix.DeleteModule("gstortfail", 0)
	// The stacks of all families' allocations are alike, so the second of a kind may be another family's.
	for _, turn := range session.Choose([]int{2}, []int{1, 2, 3}) {
		setFailing(t, "turn", turn)
		all := withLatecomer(t, 0)
		if all < 2 {
			t.Fatalf("only %d allocations were seen", all)
		}
		step := max(all/session.TimesHere(6, all), 1)
		for n := 1; n <= all; n += step {
			withLatecomer(t, n)
		}
		t.Logf("of %d kinds of allocations each %d. failed, its time %d", all, step, turn)
	}
}

// withLatecomer runs a session in which the nth allocation for the module fails, 0: none does; and returns how many there were.
func withLatecomer(t *testing.T, n int) int {
	t.Helper()
	setFailing(t, "nth", 0)
	script := filepath.Join(t.TempDir(), "places")
	if err := os.WriteFile(script, []byte(places), 0o666); err != nil {
		t.Fatal(err)
	}
	s := session.Run(t, "run", "-T60", "-c", fmt.Sprintf("sh %s %d %s", script, n, session.Module("gs_places")), session.Module("latecomer"))
	said := figures(s.Out.Bytes())
	for what, point := range map[string]string{"enters": ``, "returns": `\.return`} {
		unarmed := regexp.MustCompile(`(?m)^WARNING: .*function\("gs_places_pair[^"]*"\)` + point + `$`).Match(s.Err.Bytes())
		if said[what] != 4 && !unarmed || unarmed && n == 0 {
			t.Errorf("allocation %d fails, %s %d times, and it says\n%s", n, what, said[what], s.Err.String())
		}
	}
	if err := left(); s.ProcessState.ExitCode() != 0 || err != nil {
		t.Errorf("allocation %d fails: exit code %d, %v\n%s", n, s.ProcessState.ExitCode(), err, s.Err.String())
	}
	return int(said["allocations"])
}
