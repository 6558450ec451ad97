// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"encoding/binary"
	"fmt"
	"os"
	"testing"

	"gostap/manifest"
)

// printManifest is the manifest of a script with a printf("%s %d
// ", …).
func printManifest() *manifest.Manifest {
	return &manifest.Manifest{
		Formats: []manifest.Format{{Format: "%s %d\n", Args: "sl"}},
		Points:  []manifest.Point{{Name: `kernel.function("vfs_read")`, Probe: `kernel.function("vfs_read")`}},
	}
}

func printPayload(name string, n int64) []byte {
	payload := binary.LittleEndian.AppendUint32(nil, 0)
	payload = binary.LittleEndian.AppendUint16(payload, uint16(len(name)))
	payload = append(payload, name...)
	return binary.LittleEndian.AppendUint64(payload, uint64(n))
}

// BenchmarkPrint is the consumer's share of a printf("%s %d\n", execname(), $count):
// finding, merging, formatting and writing one record.
func BenchmarkPrint(b *testing.B) {
	for _, cpus := range []int{1, 2, 8} {
		for _, json := range []bool{false, true} {
			name := fmt.Sprintf("%dcpus,text", cpus)
			if json {
				name = fmt.Sprintf("%dcpus,json", cpus)
			}
			b.Run(name, func(b *testing.B) { benchmarkPrint(b, cpus, json) })
		}
	}
}

func benchmarkPrint(b *testing.B, cpus int, json bool) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer null.Close()
	out, err := newOutput(&Config{Output: null, JSON: json}, printManifest(), new(clock), nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	k := newSimKernel(cpus, 256<<10, 5)
	for i, full := 0, 0; full < cpus; i++ {
		c := k.cpus[i%cpus]
		if !c.write(recPrint, 0, k.clock.Add(1), printPayload("bench", 4096+int64(i))) {
			full++
		}
	}
	buffers := k.buffers()
	round := uint64(0)
	for _, c := range k.cpus {
		round += c.written
	}
	b.ReportAllocs()
	b.ResetTimer()
	for done := uint64(0); done < uint64(b.N); done += round {
		for _, buf := range buffers {
			// Read the same records again.
			buf.seq, buf.seen, buf.mapped = 1, 0, 0
			buf.segs, buf.first = buf.segs[:0], 0
		}
		m := merger{buffers: buffers}
		m.scan()
		for !m.emit(everything, emitBudget, out) {
		}
		out.flush()
	}
	if out.failed != nil || out.bad != 0 || buffers[0].records == 0 {
		b.Fatal(out.failed, out.bad)
	}
}
