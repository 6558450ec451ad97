// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"encoding/binary"
	"fmt"
	"path"
	"strconv"
	"strings"

	"gostap/internal/lazyregexp"
	"gostap/manifest"
	"gostap/output/profile"
	"gostap/translator/format"
)

// kernelFrames returns the functions of a kernel's stack, the innermost first, and whether all are known.
func (s *stackSink) kernelFrames(flags uint32, addrs []byte) (frames []profile.Frame, all bool) {
	all = true
	for i := 0; len(addrs) >= 8; i, addrs = i+1, addrs[8:] {
		if flags&stackReturn != 0 && i == 0 {
			continue // the function itself, which has returned
		}
		f, ok := s.kernelFrame(behindCall(binary.LittleEndian.Uint64(addrs), i))
		frames = append(frames, f)
		all = all && ok
	}
	return frames, all
}

func (s *stackSink) kernelFrame(addr uint64) (profile.Frame, bool) {
	p, ok := s.symbols.find(addr)
	if !ok {
		return profile.Frame{Name: fmt.Sprintf("0x%x", addr), Kind: profile.Kernel}, false
	}
	return profile.Frame{Name: profile.Clean(string(p.name)), Module: profile.Clean(p.moduleName()), Kind: profile.Kernel}, true
}

// userFrames returns the functions of a program's stack, the innermost first, with inlined ones if lines are
// wanted, and whether a later look-up would find no more.
func (s *stackSink) userFrames(stack userStack) (frames []profile.Frame, all bool) {
	all = true
	for rest := stack.frames; len(rest) >= frameSize; rest = rest[frameSize:] {
		p := s.images.symbolize(stack.pid, rest, stack.flags&ustackLines != 0)
		for _, in := range p.inlined {
			frames = append(frames, userFrame(in.Name, p.module))
		}
		name := p.symbol.Name
		switch {
		case name == "" && p.module != "":
			name = fmt.Sprintf("%s+0x%x", path.Base(p.module), p.linked)
		case name == "":
			name = fmt.Sprintf("0x%x", p.addr)
		}
		frames = append(frames, userFrame(name, p.module))
		all = all && p.isKnown
	}
	return frames, all
}

// userFrame returns the frame of a program's or library's function.
func userFrame(name, module string) profile.Frame {
	f := profile.Frame{Name: profile.Clean(name), Module: profile.Clean(module), Kind: profile.User}
	switch base := path.Base(module); {
	case strings.HasPrefix(name, "runtime.") || strings.HasPrefix(base, "perf-") && strings.HasSuffix(base, ".map"):
		f.Kind = profile.Runtime // Go's runtime, or code that a runtime has generated
	case strings.HasSuffix(base, ".so") || strings.Contains(base, ".so."):
		f.Kind = profile.Library
	}
	return f
}

// A stackArray says that a format shows an element of an array, as gostap does at the session's end: a["x",1]=0x2, or for
// statistics a["x",1] @count=0x2 … @sum=0x5 @avg=0x2. A key that is a list of addresses (backtrace()) or lines of a stack
// (sprint_backtrace(), sprint_ubacktrace()) is a stack; other keys are the outermost frames. The sample counts as often as the
// element's value says, or the sum.
type stackArray struct {
	keys  int // 0: it shows none
	value int // index of the argument that counts
}

var (
	arrayValue = lazyregexp.MustCompile(`^\w+\[.*\]=%\S*\n$`)
	arrayStats = lazyregexp.MustCompile(`^\w+\[.*\] @count=%\S* @min=%\S* @max=%\S* @sum=%\S* @avg=%\S*\n$`)
)

// stackArrays returns the arrays whose elements the formats show.
func stackArrays(formats []manifest.Format) []stackArray {
	list := make([]stackArray, len(formats))
	for i, f := range formats {
		n := len(f.Args)
		switch {
		case !strings.Contains(f.Args, "s"):
		case arrayStats().MatchString(f.Format) && n > 5:
			list[i] = stackArray{n - 5, n - 2}
		case arrayValue().MatchString(f.Format) && n > 1 && f.Args[n-1] == 'l':
			list[i] = stackArray{n - 1, n - 1}
		}
	}
	return list
}

// add adds the element whose keys and value a record has, if one of its keys is a stack.
func (a stackArray) add(s *stackSink, values []format.Value) {
	var stack, kernel, user []profile.Frame
	for _, v := range values[:a.keys] {
		if v.S == nil {
			stack = append(stack, profile.Frame{Name: strconv.FormatInt(v.N, 10)})
			continue
		}
		frames, ok := s.keyFrames(string(v.S))
		switch {
		case !ok:
			stack = append(stack, profile.Frame{Name: profile.Clean(string(v.S))})
		case len(frames) > 0 && frames[0].Kind == profile.Kernel:
			kernel = append(kernel, frames...)
		default:
			user = append(user, frames...)
		}
	}
	if n := values[a.value].N; len(kernel)+len(user) > 0 && n > 0 {
		s.to.Leaf(appendReversed(appendReversed(stack, user), kernel)).Self += n
	}
}

// keyFrames returns the frames of a key that is a stack.
func (s *stackSink) keyFrames(key string) ([]profile.Frame, bool) {
	if strings.HasPrefix(key, "0x") && !strings.ContainsAny(key, "+\n") {
		return s.addressFrames(key)
	}
	var frames []profile.Frame
	for line := range strings.SplitSeq(strings.TrimSpace(key), "\n") {
		f, ok := lineFrame(line)
		if !ok && len(frames) == 0 {
			return nil, false
		}
		if ok { // the last line may be cut
			frames = append(frames, f)
		}
	}
	return frames, true
}

// addressFrames returns the frames of addresses that spaces separate.
func (s *stackSink) addressFrames(key string) ([]profile.Frame, bool) {
	var frames []profile.Frame
	for i, word := range strings.Fields(key) {
		addr, err := strconv.ParseUint(word, 0, 64)
		switch {
		case err != nil:
			return nil, false
		case addr>>63 != 0:
			f, _ := s.kernelFrame(behindCall(addr, i))
			frames = append(frames, f)
		default: // the process is not known any more
			frames = append(frames, userFrame(word, ""))
		}
	}
	return frames, true
}

// lineOfStack is a line of a stack as it is printed, with or without the address before.
var lineOfStack = lazyregexp.MustCompile(`^ *(?:0x[0-9a-f]+ : )?(\S.*)\+0x[0-9a-f]+(?:/0x[0-9a-f]+)?(?: at .*)? \[(.*)\]$`)

func lineFrame(line string) (profile.Frame, bool) {
	m := lineOfStack().FindStringSubmatch(line)
	switch {
	case m == nil:
		return profile.Frame{}, false
	case strings.HasPrefix(m[2], "/"):
		return userFrame(m[1], m[2]), true
	}
	return profile.Frame{Name: profile.Clean(m[1]), Module: profile.Clean(m[2]), Kind: profile.Kernel}, true
}
