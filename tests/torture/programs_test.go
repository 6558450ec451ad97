// SPDX-License-Identifier: GPL-2.0-or-later

package torture

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"

	"gostap/tests/guest"
	"gostap/tests/session"
)

// programs probes storm, PATH, with all kinds of user probes.
const programs = `global entries%, returns%, deep%, begun%, ended%, threads%, ends%, calls%, names
	probe process("PATH").function("work") { entries[0]++ if ($n % 64 == 0) names[user_string($name)]++ }
	probe process("PATH").function("work").return { returns[$return == $n + 110]++ }
	probe process("PATH").function("deep") { deep[$n]++ }
	probe process("PATH").function("deep").return { deep[-1 - $n]++ }
	probe process("PATH").begin { begun[0]++ }
	probe process("PATH").end { ended[0]++ }
	probe process("PATH").thread.begin { threads[0]++ }
	probe process("PATH").thread.end { ends[0]++ }
	probe process("PATH").syscall { calls[$syscall]++ }
	probe process("PATH").syscall.return { if ($return == -38) calls[-1]++ }
	probe end {
		printf("entries %d\nreturns %d\nwrong %d\nunwound %d\nbegun %d\nended %d\nthreads %d\nthread-ends %d\n",
			entries[0], returns[1], returns[0], deep[-1], begun[0], ended[0], threads[0], ends[0])
	}`

// stepped probes each instruction and each block of storm, PATH, beside one of its functions.
const stepped = `global insns%, blocks%, entries%
	probe process("PATH").insn { insns[0]++ }
	probe process("PATH").insn.block { blocks[0]++ }
	probe process("PATH").function("work") { entries[0]++ }
	probe process("PATH").function("work").return { if ($return != $n + 110) entries[1]++ }
	probe end { printf("insns %d\nblocks %d\nentries %d\nwrong %d\n", insns[0], blocks[0], entries[0], entries[1]) }`

// storm is the path of the program that the guest runs.
func storm() string { return filepath.Join(guest.Dir(), "storm") }

// testPrograms probes programs that fork, exec, longjmp, and are killed: a session around all of it
// counts every call, and sessions that start, end and are killed meanwhile leave nothing behind.
func testPrograms(t *testing.T) {
	rounds := session.Choose(10, 400)
	s := session.Run(t, "run", "-c", fmt.Sprintf("%s %d", storm(), rounds), session.Module("programs"))
	said := figures(s.Out.Bytes())
	t.Logf("%v, skipped: %s", said, skipped(s.Err.Bytes()))
	if code := s.ProcessState.ExitCode(); code != 0 {
		t.Fatalf("exit code %d\n%s", code, s.Err.String())
	}
	// The call during which a process is killed may be counted by one side only.
	if d := said["calls"] - said["entries"]; d < -said["killed"] || d > said["killed"] {
		t.Errorf("%d calls, of which %d were seen", said["calls"], said["entries"])
	}
	if d := said["entries"] - said["returns"]; d < 0 || d > said["killed"] {
		t.Errorf("%d calls, of which %d were seen to return", said["entries"], said["returns"])
	}
	if said["wrong"] != 0 || said["unwound"] != 0 {
		t.Errorf("%d returns with what another call's entry has saved, %d of functions that never return", said["wrong"], said["unwound"])
	}
	// Each round: four forks and one exec; four threads.
	if said["begun"] != 5*int64(rounds)+1 || said["ended"] != 4*int64(rounds)+1 || said["threads"] != 4*int64(rounds) || said["thread-ends"] != 4*int64(rounds) {
		t.Errorf("%d rounds: %v", rounds, said)
	}

	stepPrograms(t)

	load := exec.Command(storm(), "1000000")
	if err := load.Start(); err != nil {
		t.Fatal(err)
	}
	for i := range session.Choose(4, 80) {
		name := []string{"programs", "stepped"}[i/2%2]
		s := session.Start(t, "run", session.Module(name))
		session.Await(t, "the module is loaded", func() bool { return session.Loaded(name) })
		time.Sleep(time.Duration(i%4) * 300 * time.Millisecond)
		if i%2 == 0 {
			s.Process.Kill()
		} else {
			s.Process.Signal(syscall.SIGINT)
		}
		s.End()
		session.Removed(t, name)
	}
	load.Process.Kill()
	load.Wait()
	exec.Command("pkill", "-9", "storm").Run()
}

// stepPrograms has all instructions of such programs probed: each stops at each, and does what it does without.
func stepPrograms(t *testing.T) {
	s := session.Run(t, "run", "-c", fmt.Sprintf("%s %d", storm(), session.Choose(1, 60)), session.Module("stepped"))
	said := figures(s.Out.Bytes())
	t.Logf("%v, skipped: %s", said, skipped(s.Err.Bytes()))
	if code := s.ProcessState.ExitCode(); code != 0 {
		t.Fatalf("exit code %d\n%s", code, s.Err.String())
	}
	if d := said["calls"] - said["entries"]; said["wrong"] != 0 || d < -said["killed"] || d > said["killed"] {
		t.Errorf("%d calls, of which %d were seen, %d with a wrong result", said["calls"], said["entries"], said["wrong"])
	}
	// A call takes more than four instructions, of which work's first begins a block, and what follows its return another.
	if said["insns"] < 4*said["calls"] || said["blocks"] < 2*said["calls"] || said["blocks"] >= said["insns"] {
		t.Errorf("%d calls in %d instructions, %d blocks", said["calls"], said["insns"], said["blocks"])
	}
}

var figureLine = regexp.MustCompile(`(?m)^([a-z-]+) (\d+)$`)

// figures parses lines "name number".
func figures(text []byte) map[string]int64 {
	found := map[string]int64{}
	for _, m := range figureLine.FindAllSubmatch(text, -1) {
		found[string(m[1])], _ = strconv.ParseInt(string(m[2]), 10, 64)
	}
	return found
}

var skippedLine = regexp.MustCompile(`(?m)^WARNING: .*skipped.*$`)

// skipped returns a session's reports of skipped hits.
func skipped(text []byte) []byte { return bytes.Join(skippedLine.FindAll(text, -1), []byte("; ")) }
