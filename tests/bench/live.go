// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// liveRate is the rate of events, each of which prints a line.
const liveRate = 100_000

// views are ways of looking at a session while it runs.
var views = []struct {
	name    string
	options []string
}{
	{"-o FILE", []string{"-o", printed}},
	{"--serve", []string{"-o", printed, "--serve", "127.0.0.1:9411"}},
	{"--monitor", []string{"--monitor"}},
}

// watched measures the CPU time that gostap takes to show 100,000 events a second, with a browser's
// connection or in a terminal, beside writing them to a file.
func watched(b *bench) error {
	cmd := command(b.gostap, "-p4", "--serve", "127.0.0.1:9411", "-r", b.release, "-m", "watched", "-e",
		`global n, sizes probe kernel.function("vfs_read") { if (execname() == "paced") { n[execname(), $count]++ sizes <<< $count printf("%s %d\n", execname(), $count) } }
		probe timer.s(10000) { print(@hist_log(sizes)) } probe end { printf("in all %d\n", n["paced", 1]) }`)
	cmd.Dir = b.dir
	if err := cmd.Run(); err != nil {
		return err
	}
	if err := command("gcc", "-O2", "-static", "-o", filepath.Join(b.dir, "paced"), "tests/load/paced.c").Run(); err != nil {
		return err
	}
	found, err := b.inGuest("live", true)
	if err != nil {
		return err
	}
	fmt.Printf("%d lines a second on %s: what gostap takes to show them, in instructions for each, and in seconds of CPU a second\n", liveRate, b.release)
	fmt.Printf("where each instruction takes a nanosecond; what it read, and lost\n")
	fmt.Printf("%-20s %12s %10s %10s %10s\n", "", "instructions", "CPU", "read", "lost")
	for _, v := range views {
		n, err := strconv.ParseFloat(found[v.name+" instructions"], 64)
		if err != nil {
			return err
		}
		fmt.Printf("%-20s %12.0f %9.1f%% %10s %10s\n", v.name, n, n*liveRate/1e9*100, found[v.name+" read"], found[v.name+" lost"])
	}
	return nil
}

// guestLive takes the difference of two sessions of different length.
func guestLive(args []string) {
	must(exec.Command("ip", "link", "set", "lo", "up").Run())
	for _, v := range views {
		options := append([]string{filepath.Join(args[0], "gostap"), "run"}, v.options...)
		short, few, _ := look(args[0], append(options, filepath.Join(args[0], "watched.ko")), 2)
		long, many, lost := look(args[0], append(options, filepath.Join(args[0], "watched.ko")), 8)
		fmt.Printf("%s instructions=%.1f\n%s read=%d\n%s lost=%d\n", v.name, float64(long-short)/float64(many-few), v.name, many, v.name, lost)
	}
}

// look runs gostap in a terminal while a load runs, and returns gostap's CPU time, the number of reads, and how many
// of them were not counted or printed.
func look(dir string, tool []string, seconds int) (cpu time.Duration, read, lost int) {
	cmd := exec.Command("script", "-qfec", "exec "+strings.Join(tool, " "), "/dev/null")
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "LANG=C.UTF-8")
	var screen bytes.Buffer
	cmd.Stdout = &screen
	keys, err := cmd.StdinPipe()
	must(err)
	must(cmd.Start())
	running := func() bool { _, err := os.Stat("/sys/module/watched"); return err == nil }
	for !running() {
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(2 * time.Second) // until it has started
	if strings.Contains(strings.Join(tool, " "), "--serve") {
		follow, err := http.Get("http://127.0.0.1:9411/events")
		must(err)
		defer follow.Body.Close()
		go io.Copy(io.Discard, follow.Body)
	}
	out, err := exec.Command(filepath.Join(dir, "paced"), fmt.Sprint(liveRate), fmt.Sprint(seconds)).CombinedOutput()
	must(err)
	_, err = fmt.Sscanf(string(out), "paced %d", &read)
	must(err)
	time.Sleep(2 * time.Second)
	// A key ends the monitor, Ctrl-C the others.
	_, err = keys.Write([]byte("q\x03"))
	must(err)
	must(cmd.Wait())
	lost = saysLost(screen.String())
	if text, err := os.ReadFile(printed); err == nil {
		lost += max(lost, read-bytes.Count(text, []byte("paced 1\n")))
		must(os.Remove(printed))
		screen.Write(text)
	}
	if !strings.Contains(screen.String(), fmt.Sprintf("in all %d", read)) {
		fmt.Fprintf(os.Stderr, "%s: not all of %d are in the global: %s\n", tool, read, screen.String()[max(0, screen.Len()-300):])
		lost++
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), read, lost
}
