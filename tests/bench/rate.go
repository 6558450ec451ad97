// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// A printer prints a line for each one-byte read of a load.
type printer struct {
	name     string
	args     func(dir, load string) []string
	capacity float64 // the number of lines for which its buffers have room
}

// A line takes 40 bytes of gostap's buffers, which have 16 MB per CPU, and 48 bytes of bpftrace's,
// which have 256 KB.
var printers = []printer{
	{"gostap", gostapPrinter(), 2 * 16 << 20 / 40},
	{"bpftrace", func(_, load string) []string {
		return []string{"bpftrace", "-o", printed, "-c", load, "-e", `kprobe:vfs_read { printf("%s %d\n", comm, arg2) }`}
	}, 2 * 256 << 10 / 48},
	{"gostap -s 1", gostapPrinter("-s", "1"), 2 * 1 << 20 / 40},
}

func gostapPrinter(options ...string) func(dir, load string) []string {
	return func(dir, load string) []string {
		args := append([]string{filepath.Join(dir, "gostap"), "run", "-o", printed, "-c", load}, options...)
		return append(args, filepath.Join(dir, "printer.ko"))
	}
}

// printed is the file for the lines, in the guest's memory.
const printed = "/tmp/printed"

const (
	flatOut  = 0   // a rate: as fast as possible
	flatFor  = 10  // seconds
	pacedFor = 5   // seconds, at least
	refills  = 4   // the lines of a paced load would fill the buffers at least so many times
	closest  = 1.1 // maximal ratio of a lossy and a lossless rate at the end of the search
)

// A try is the result of a load.
type try struct {
	rate    float64 // reads per second
	read    int
	printed int
	lost    int // as the printer reports
}

func (t try) whole() bool { return t.printed == t.read && t.lost == 0 }

// guestThroughput finds for each printer the highest rate at which it prints everything.
func guestThroughput(args []string) {
	for _, p := range printers {
		if _, err := exec.LookPath(p.args(args[0], "")[0]); err != nil {
			continue
		}
		flat := p.try(args[0], flatOut)
		best := flat
		if !flat.whole() {
			best = p.search(args[0], flat.rate)
		}
		fmt.Printf("%s rate=%.0f\n", p.name, best.rate)
		fmt.Printf("%s fills=%.1f\n", p.name, float64(best.read)/p.capacity)
		fmt.Printf("%s flat rate=%.0f\n", p.name, flat.rate)
		fmt.Printf("%s flat read=%d\n", p.name, flat.read)
		fmt.Printf("%s flat printed=%d\n", p.name, flat.printed)
		fmt.Printf("%s flat lost=%d\n", p.name, flat.lost)
	}
}

// search returns the try of the highest rate below lossy at which nothing is lost. Each rate is tried
// twice, as the host has other load.
func (p *printer) search(dir string, lossy float64) (best try) {
	for rate := lossy / 2; rate >= 1 && lossy > closest*best.rate; rate = (best.rate + lossy) / 2 {
		t := p.try(dir, rate)
		if !t.whole() {
			t = p.try(dir, rate)
		}
		if t.whole() {
			best = t
		} else {
			lossy = rate
		}
	}
	return best
}

// try traces a load of rate reads a second.
func (p *printer) try(dir string, rate float64) try {
	seconds := float64(flatFor)
	if rate != flatOut {
		seconds = max(pacedFor, refills*p.capacity/rate)
	}
	tool := p.args(dir, fmt.Sprintf("%s %.0f %.1f", filepath.Join(dir, "paced"), rate, seconds))
	cmd := exec.Command(tool[0], tool[1:]...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	must(cmd.Run())
	var t try
	var took float64
	for line := range strings.Lines(stderr.String()) {
		if strings.HasPrefix(line, "paced ") {
			_, err := fmt.Sscanf(line, "paced %d %g", &t.read, &took)
			must(err)
		}
		t.lost += saysLost(line)
	}
	if t.read == 0 {
		must(fmt.Errorf("%s: no reads\n%s", cmd, stderr.String()))
	}
	t.rate = float64(t.read) / took * 1e9
	f, err := os.Open(printed)
	must(err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if string(lines.Bytes()) == "paced 1" {
			t.printed++
		} else {
			t.lost += saysLost(lines.Text())
		}
	}
	must(lines.Err())
	return t
}

var lostLine = regexp.MustCompile(`(\d+) events lost|^Lost (\d+) events`)

// saysLost is the number of lost events in gostap's or bpftrace's message.
func saysLost(line string) int {
	m := lostLine.FindStringSubmatch(line)
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(m[1] + m[2])
	must(err)
	return n
}
