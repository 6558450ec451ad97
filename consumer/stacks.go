// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"encoding/binary"
	"strconv"
	"strings"
	"sync"

	"gostap/output/profile"
	"gostap/translator/format"
)

// Stacks sums up the stacks in a session's output. A sample is what one run of a handler prints: a stack of the kernel, one of
// the program, or both, where that of the kernel is the inner part. The line before it is its outermost frame. A line behind it that
// is a number says how often it counts, else it is once. Of an array that is printed at the session's end, each element is a sample:
// see stackArray.
type Stacks struct {
	mu      sync.Mutex
	profile profile.Profile
	sink    stackSink
}

// Profile returns the session's stacks. It is to be called when the session has ended.
func (s *Stacks) Profile() *profile.Profile {
	s.sink.end(1)
	return &s.profile
}

// Take returns the samples since the last call, while the session runs. An incomplete sample belongs to the next call.
func (s *Stacks) Take() *profile.Profile {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.profile
	s.profile = profile.Profile{}
	s.sink.forget()
	return &p
}

// A stackSink adds records to Stacks, and writes nothing.
type stackSink struct {
	mu      *sync.Mutex
	to      *profile.Profile
	formats []printFormat
	arrays  []stackArray // for each format
	symbols *symbolizer
	images  *images
	values  []format.Value
	line    []byte

	cpu    int // of the run that the sample is of
	time   uint64
	point  uint16
	text   []byte
	kernel []profile.Frame // innermost first
	user   []profile.Frame
	known  map[string][]profile.Frame // by kind and payload
	size   int                        // bytes of the keys
	leaves map[string]*profile.Node
	key    []byte // of the sample in leaves; nil if it is not to be kept
	fresh  bool   // a part of the sample was not in known
}

// keptText bounds the text before a stack that is kept, for its last line.
const keptText = 4 << 10

func (s *Stacks) newSink(from *sources) (sink, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sink = stackSink{mu: &s.mu, to: &s.profile, formats: from.formats, arrays: stackArrays(from.manifest.Formats), symbols: newSymbolizer(from.lines),
		images: from.images, known: map[string][]profile.Frame{}, leaves: map[string]*profile.Node{}}
	return &s.sink, nil
}

func (s *stackSink) record(dst []byte, cpu int, r *record, payload []byte) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cpu != s.cpu || r.time != s.time || r.point != s.point {
		s.end(1)
		s.text = s.text[:0]
		s.cpu, s.time, s.point = cpu, r.time, r.point
	}
	switch r.kind {
	case recPrint:
		index, values, ok := printRecord(s.values[:0], s.formats, payload)
		s.values = values
		if !ok {
			return dst, false
		}
		if a := s.arrays[index]; a.keys > 0 {
			a.add(s, values)
			return dst, true
		}
		s.line = format.Append(s.line[:0], s.formats[index].dirs, values)
		s.print(s.line)
	case recText:
		s.print(payload)
	case recStack:
		flags, addrs, ok := stackRecord(payload)
		if !ok {
			return dst, false
		}
		if len(s.user) > 0 { // another sample
			s.end(1)
		}
		s.kernel = append(s.kernel, s.frames('k', payload, func() ([]profile.Frame, bool) { return s.kernelFrames(flags, addrs) })...)
	case recUstack:
		stack, ok := ustackRecord(payload)
		if !ok || s.images == nil {
			return dst, false
		}
		s.user = append(s.user, s.frames('u', payload, func() ([]profile.Frame, bool) { return s.userFrames(stack) })...)
	case recHist, recSystem, recSwitchFile, recTask:
	default:
		return dst, false
	}
	return dst, true
}

// print handles printed text.
func (s *stackSink) print(text []byte) {
	if len(s.kernel)+len(s.user) > 0 {
		line := strings.TrimSpace(string(text))
		if line == "" {
			return
		}
		n, err := strconv.ParseInt(line, 10, 64)
		if err != nil || n < 0 {
			n = 1
		}
		s.end(n)
		s.text = s.text[:0]
		if err == nil {
			return
		}
	}
	s.text = append(s.text, text...)
	if len(s.text) > keptText {
		s.text = append(s.text[:0], s.text[len(s.text)-keptText/2:]...)
	}
}

// frames returns the frames of a stack's record, from the cache or by find.
func (s *stackSink) frames(kind byte, payload []byte, find func() ([]profile.Frame, bool)) []profile.Frame {
	start := len(s.key)
	s.key = append(s.key, kind)
	s.key = binary.AppendUvarint(s.key, uint64(len(payload)))
	s.key = append(s.key, payload...)
	if frames, ok := s.known[string(s.key[start:])]; ok {
		return frames
	}
	frames, all := find()
	if !all {
		s.fresh = true
		return frames
	}
	if s.size > keptTexts {
		s.forget()
	}
	s.size += 2 * len(s.key)
	s.known[string(s.key[start:])] = frames
	return frames
}

// forget empties the cache of stacks.
func (s *stackSink) forget() {
	clear(s.known)
	clear(s.leaves)
	s.size = 0
}

// end adds the current sample, which counts n times.
func (s *stackSink) end(n int64) {
	if len(s.kernel)+len(s.user) == 0 {
		return
	}
	name := strings.TrimSpace(string(s.text))
	name = name[strings.LastIndexByte(name, '\n')+1:]
	s.key = append(append(s.key, 0), name...)
	leaf := s.leaves[string(s.key)]
	if leaf == nil {
		var stack []profile.Frame
		if name != "" {
			stack = append(stack, profile.Frame{Name: profile.Clean(name)})
		}
		leaf = s.to.Leaf(appendReversed(appendReversed(stack, s.user), s.kernel))
		if !s.fresh {
			s.size += len(s.key)
			s.leaves[string(s.key)] = leaf
		}
	}
	leaf.Self += n
	s.kernel, s.user, s.key, s.fresh = s.kernel[:0], s.user[:0], s.key[:0], false
}

func appendReversed(to, frames []profile.Frame) []profile.Frame {
	for i := len(frames) - 1; i >= 0; i-- {
		to = append(to, frames[i])
	}
	return to
}
