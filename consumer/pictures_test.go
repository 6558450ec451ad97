// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
	"golang.org/x/sys/unix"

	"gostap/manifest"
	"gostap/output/flamegraph"
	"gostap/output/folded"
	"gostap/output/pprof"
	"gostap/tests/browser"
)

// samples is the number of samples in a session of BenchmarkPictures.
const samples = 1_000_000

// A sampled is a session of println(execname()) and print_backtrace(), with 20,000 stacks of up to 40
// functions, as in a profile of a busy machine, and a histogram each second.
type sampled struct {
	kallsyms string
	stacks   [][]byte
	names    [][]byte
}

func newSampled() *sampled {
	const functions = 4000
	r := rand.New(rand.NewPCG(1, 2))
	s := &sampled{}
	var text strings.Builder
	for i := range functions + 1 {
		fmt.Fprintf(&text, "%x T function_number_%d\n", 0xffffffff81000000+uint64(i)*0x100, i)
	}
	s.kallsyms = text.String()
	for range 20000 {
		// Callers have few callees each, so that stacks share their beginnings.
		addrs := []uint64{}
		at := uint64(0)
		for range 8 + r.IntN(32) {
			at = (at*7 + 1 + uint64(r.IntN(3))*r.Uint64N(2)) % functions
			addrs = append([]uint64{0xffffffff81000010 + at*0x100}, addrs...)
		}
		s.stacks = append(s.stacks, stackPayload(0, addrs...))
		name := fmt.Sprintf("command%d", r.IntN(20))
		payload := binary.LittleEndian.AppendUint16([]byte{0, 0, 0, 0}, uint16(len(name)))
		s.names = append(s.names, append(payload, name...))
	}
	return s
}

func (s *sampled) manifest() *manifest.Manifest {
	return &manifest.Manifest{Tasks: true, Probes: []manifest.Probe{{Name: "timer.profile"}}, Points: []manifest.Point{{Name: "timer.profile"}},
		Formats: []manifest.Format{{Format: "%s\n", Args: "s"}}, Hists: []manifest.Hist{{Of: "latency"}}}
}

// run passes all records to a collector, and its output to w.
func (s *sampled) run(b *testing.B, to Collector, w io.Writer) {
	out, err := newOutput(&Config{Collector: to, Output: w}, s.manifest(), new(clock), nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	switch to := to.(type) {
	case *Stacks:
		to.sink.symbols, _ = testSymbols(&s.kallsyms)
	case *Shown:
		to.stacks.sink.symbols, _ = testSymbols(&s.kallsyms)
		to.sink.text.stacks.symbols = to.stacks.sink.symbols
	case *Trace:
		to.sink.text.stacks.symbols, _ = testSymbols(&s.kallsyms)
	}
	task := make([]byte, 40)
	buckets := make([]byte, 4+8*128)
	for i := range samples {
		time, n := uint64(i)*1e6, i*7919%len(s.stacks)
		binary.LittleEndian.PutUint32(task, uint32(1000+n%50))
		binary.LittleEndian.PutUint32(task[4:], uint32(1000+n%200))
		copy(task[8:], s.names[n][6:])
		out.record(n%8, &record{kind: recTask, time: time}, task)
		out.record(n%8, &record{kind: recPrint, time: time}, s.names[n])
		out.record(n%8, &record{kind: recStack, time: time}, s.stacks[n])
		if i%1000 == 999 {
			for bucket := 70; bucket < 90; bucket++ {
				binary.LittleEndian.PutUint64(buckets[4+8*bucket:], uint64(bucket*i%977))
			}
			out.record(0, &record{kind: recHist, time: time + 1}, buckets)
		}
	}
	out.flush()
	if out.bad > 0 || out.failed != nil {
		b.Fatal(out.bad, out.failed)
	}
}

// BenchmarkPictures writes each form of a session's samples to a file, and opens it:
//
// \tgo test -run - -bench Pictures -benchtime 1x ./consumer
//
// If KEEP is set in the environment, the files are kept in that folder.
func BenchmarkPictures(b *testing.B) {
	s := newSampled()
	stacks, shown, trace := new(Stacks), new(Shown), new(Trace)
	for _, form := range []struct {
		name  string
		to    Collector
		write func(w io.Writer) error
		open  func(b *testing.B, path string) time.Duration
	}{
		{"folded", stacks, func(w io.Writer) error { return folded.Write(w, stacks.Profile()) }, readFolded},
		{"flamegraph", stacks, func(w io.Writer) error { return flamegraph.Write(w, stacks.Profile(), nil, "bench") }, openPage},
		{"pprof", stacks, func(w io.Writer) error { return pprof.Write(w, stacks.Profile()) }, openPprof},
		{"html", shown, func(w io.Writer) error { return shown.Report("bench", nil).Write(w) }, openPage},
		{"perfetto", trace, func(w io.Writer) error { _, err := w.Write(trace.Rest()); return err }, nil},
	} {
		b.Run(form.name, func(b *testing.B) {
			path := filepath.Join(cmp.Or(os.Getenv("KEEP"), b.TempDir()), form.name+".html")
			began, cpu := time.Now(), cpuTime()
			for b.Loop() {
				*stacks, *shown, *trace = Stacks{}, Shown{}, Trace{}
				file, err := os.Create(path)
				if err != nil {
					b.Fatal(err)
				}
				s.run(b, form.to, file)
				if err := form.write(file); err != nil {
					b.Fatal(err)
				}
				info, _ := file.Stat()
				b.ReportMetric(float64(info.Size())/1e6, "MB")
				file.Close()
			}
			b.ReportMetric(time.Since(began).Seconds()/float64(b.N), "s/written")
			b.ReportMetric((cpuTime()-cpu).Seconds()/float64(b.N), "cpu-s/written")
			if form.open != nil {
				b.ReportMetric(form.open(b, path).Seconds(), "s/opened")
			}
		})
	}
}

// cpuTime is this process's CPU time.
func cpuTime() time.Duration {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func readFolded(b *testing.B, path string) time.Duration {
	began := time.Now()
	file, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	if p, err := folded.Read(file); err != nil || p.Root.Total() != samples {
		b.Fatal(err)
	}
	return time.Since(began)
}

func openPprof(b *testing.B, path string) time.Duration {
	began := time.Now()
	if out, err := exec.Command("go", "tool", "pprof", "-top", path).CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return time.Since(began)
}

// openPage opens a page in a running browser, and returns the time until it is drawn. It reports the
// CPU time of the page's process, too, which a busy machine changes less.
func openPage(b *testing.B, path string) time.Duration {
	ctx := browser.Start(b)
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		b.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, performance.Enable, performance.EnableParams{}); err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	err := chromedp.Do(ctx, chromedp.Navigate("file://"+path), chromedp.Evaluate[chromedp.Void](
		`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))`, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatal(err)
	}
	took := time.Since(began)
	metrics, err := chromedp.Call(ctx, performance.GetMetrics, cdp.Empty{})
	if err != nil {
		b.Fatal(err)
	}
	for _, m := range metrics.Metrics {
		if m.Name == "ProcessTime" {
			b.ReportMetric(m.Value, "cpu-s/opened")
		}
	}
	return took
}
