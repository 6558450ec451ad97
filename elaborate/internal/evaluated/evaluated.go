// SPDX-License-Identifier: GPL-2.0-or-later

// Package evaluated runs programs under ptrace for tests, and evaluates the values of target variables
// at probe points: with the processor's registers and the program's memory.
package evaluated

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"gostap/internal/arch"
	"gostap/translator/program"
	"gostap/translator/syntax"
)

// A process is a program that is stopped.
type process struct {
	t    *testing.T
	pid  int
	mem  *os.File
	base uint64 // difference between the file's addresses and offsets
	regs unix.PtraceRegs
	fp   [512]byte // in the format of FXSAVE
	ip   uint64
	in   *program.ElaboratedProbe
}

// Run runs a program, and returns the values of the target variables of each probe at each hit: a line
// for each, separated by spaces. The probes must be of functions in the program's file.
func Run(t *testing.T, path string, probes []*program.ElaboratedProbe) (lines []string) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.Command(path)
	cmd.Env = append(os.Environ(), "GODEBUG=asyncpreemptoff=1")
	cmd.SysProcAttr = &unix.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		t.Skipf("ptrace: %v", err)
	}
	defer cmd.Process.Kill()
	p := &process{t: t, pid: cmd.Process.Pid}
	var status unix.WaitStatus
	p.must(wait(p.pid, &status))
	p.must(0, unix.PtraceSetOptions(p.pid, unix.PTRACE_O_TRACECLONE|unix.PTRACE_O_EXITKILL))
	mem, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", p.pid), os.O_RDWR, 0)
	p.must(0, err)
	defer mem.Close()
	p.mem = mem
	breaks := map[uint64]byte{}
	for _, probe := range probes {
		for _, at := range places(probe) {
			addr := p.addr(path, at)
			if _, ok := breaks[addr]; !ok {
				breaks[addr] = p.load(addr, 1)[0]
				p.store(addr, 0xcc)
			}
		}
	}
	p.must(0, unix.PtraceCont(p.pid, 0))
	for {
		tid, err := wait(-1, &status)
		p.must(0, err)
		if !status.Stopped() {
			if tid == p.pid {
				return lines
			}
			continue // a thread has ended
		}
		if status.StopSignal() != unix.SIGTRAP || status.TrapCause() > 0 {
			unix.PtraceCont(tid, deliver(status)) // it may have been killed meanwhile
			continue
		}
		p.must(0, unix.PtraceGetRegs(tid, &p.regs))
		at := p.regs.Rip - 1
		code, known := breaks[at]
		if !known {
			unix.PtraceCont(tid, int(unix.SIGTRAP))
			continue
		}
		p.must(0, floating(tid, &p.fp))
		for _, probe := range probes {
			for _, place := range places(probe) {
				if p.addr(path, place) == at {
					p.in, p.ip = probe, p.addr(path, probe.Points[0].FileOffset)
					lines = append(lines, p.values())
				}
			}
		}
		p.store(at, code)
		p.regs.Rip = at
		p.must(0, unix.PtraceSetRegs(tid, &p.regs))
		p.must(0, unix.PtraceSingleStep(tid))
		p.must(wait(tid, &status))
		p.store(at, 0xcc)
		p.must(0, unix.PtraceCont(tid, 0))
	}
}

// deliver is the signal that a stopped thread is to get.
func deliver(status unix.WaitStatus) int {
	if s := status.StopSignal(); status.Stopped() && s != unix.SIGTRAP && s != unix.SIGSTOP {
		return int(s)
	}
	return 0
}

func places(probe *program.ElaboratedProbe) []uint64 {
	pt := probe.Points[0]
	if len(pt.Returns) > 0 {
		return pt.Returns
	}
	return []uint64{pt.FileOffset}
}

func wait(pid int, status *unix.WaitStatus) (int, error) {
	for {
		if tid, err := unix.Wait4(pid, status, unix.WALL, nil); err != unix.EINTR {
			return tid, err
		}
	}
}

func floating(tid int, to *[512]byte) error {
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_GETFPREGS, uintptr(tid), 0, uintptr(unsafe.Pointer(to)), 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

func (p *process) must(_ int, err error) {
	if err != nil {
		p.t.Fatal(err)
	}
}

// addr is where the process has an offset of the program's file.
func (p *process) addr(path string, offset uint64) uint64 {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", p.pid))
	p.must(0, err)
	for line := range strings.Lines(string(maps)) {
		f := strings.Fields(line)
		if len(f) < 6 || filepath.Clean(f[5]) != path || !strings.Contains(f[1], "x") {
			continue // a page of the file may be mapped twice, together with the bytes before the code
		}
		low, high, _ := strings.Cut(f[0], "-")
		start, _ := strconv.ParseUint(low, 16, 64)
		end, _ := strconv.ParseUint(high, 16, 64)
		at, _ := strconv.ParseUint(f[2], 16, 64)
		if offset >= at && offset-at < end-start {
			return start + offset - at
		}
	}
	p.t.Fatalf("offset %#x of %s is not mapped", offset, path)
	return 0
}

func (p *process) load(addr uint64, n int64) []byte {
	data := make([]byte, n)
	if _, err := p.mem.ReadAt(data, int64(addr)); err != nil {
		panic(fault{fmt.Errorf("%d bytes at %#x: %w", n, addr, err)})
	}
	return data
}

func (p *process) store(addr uint64, b byte) {
	_, err := p.mem.WriteAt([]byte{b}, int64(addr))
	p.must(0, err)
}

// values evaluates the target variables of the probe's handlers.
func (p *process) values() string {
	var list []string
	for _, body := range p.in.Bodies {
		syntax.Inspect(body, func(n syntax.Node) bool {
			x, ok := n.(syntax.Expr)
			if !ok || p.in.Values[x] == nil {
				return true
			}
			if v := p.in.Values[x]; v.Err != nil {
				list = append(list, v.Err.Error())
			} else {
				list = append(list, fmt.Sprint(p.caught(v.X, "a fault")))
			}
			return false
		})
	}
	return strings.Join(list, " ")
}

func (p *process) number(x program.Expr) int64 {
	n, ok := p.eval(x).(int64)
	if !ok {
		p.t.Errorf("%T is no number", x)
	}
	return n
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// eval evaluates an expression, to an int64 or a string.
func (p *process) eval(x program.Expr) any {
	switch x := x.(type) {
	case *program.Number:
		return x.Value
	case *program.Text:
		return x.Value
	case *program.Register:
		return p.register(x.Number)
	case *program.Argument:
		return p.register(arch.X86_64.Arguments[x.Index])
	case *program.ReturnValue:
		return p.register(0)
	case *program.ProbedAddr:
		return int64(p.ip)
	case *program.Deref:
		var word [8]byte
		copy(word[:], p.load(uint64(p.number(x.Addr)), int64(x.Size)))
		return extend(*(*int64)(unsafe.Pointer(&word)), x.Size, x.Signed)
	case *program.Cast:
		return extend(p.number(x.X), x.Size, x.Signed)
	case *program.Unary:
		return truth(p.number(x.X) == 0)
	case *program.Binary:
		return p.binary(x)
	case *program.Compare:
		a, b := p.number(x.X), p.number(x.Y)
		return truth(map[string]bool{"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[x.Op])
	case *program.Logical:
		if left := p.number(x.X) != 0; left == (x.Op == "||") {
			return truth(left)
		}
		return truth(p.number(x.Y) != 0)
	case *program.Cond:
		if p.number(x.If) != 0 {
			return p.eval(x.Then)
		}
		return p.eval(x.Else)
	case *program.Print:
		if x.Else != "" {
			without := *x
			without.Else = ""
			return p.caught(&without, x.Else)
		}
		args := make([]any, len(x.Args))
		for i, arg := range x.Args {
			args[i] = p.eval(arg)
		}
		return fmt.Sprintf(strings.NewReplacer("%p", "%#x", "%u", "%d").Replace(x.Format), args...)
	case *program.ScriptExpr:
		return p.call(x.X.(*syntax.CallExpr))
	}
	p.t.Errorf("%T", x)
	return int64(0)
}

// A fault is a panic's value: memory at an address that can't be read.
type fault struct{ error }

// caught evaluates x, or has otherwise if memory can't be read.
func (p *process) caught(x program.Expr, otherwise string) (result any) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case fault:
			result = otherwise
		default:
			panic(r)
		}
	}()
	return p.eval(x)
}

func extend(n int64, size int, signed bool) int64 {
	shift := 64 - 8*size
	if signed {
		return n << shift >> shift
	}
	return int64(uint64(n) << shift >> shift)
}

func (p *process) binary(x *program.Binary) int64 {
	a, b := p.number(x.X), p.number(x.Y)
	switch x.Op {
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	case "/":
		return a / b
	case "%":
		return a % b
	case "&":
		return a & b
	case "|":
		return a | b
	case "<<":
		return a << uint64(b)
	case ">>>":
		return int64(uint64(a) >> uint64(b))
	}
	p.t.Errorf("operator %s", x.Op)
	return 0
}

func (p *process) register(n int) int64 {
	if first := arch.X86_64.FirstVector; n >= first {
		return *(*int64)(unsafe.Pointer(&p.fp[160+16*(n-first)]))
	}
	r := &p.regs
	return int64([]uint64{r.Rax, r.Rdx, r.Rcx, r.Rbx, r.Rsi, r.Rdi, r.Rbp, r.Rsp, r.R8, r.R9, r.R10, r.R11, r.R12, r.R13, r.R14, r.R15, r.Rip}[n])
}

// text returns the string at addr, of at most n bytes, ? if it can't be read.
func (p *process) text(addr, n int64) string {
	data := make([]byte, n)
	got, err := p.mem.ReadAt(data, addr)
	text, _, ended := bytes.Cut(data[:got], []byte{0})
	if err != nil && !ended {
		return "?"
	}
	return string(text)
}

// call implements functions of the tapset library.
func (p *process) call(call *syntax.CallExpr) any {
	n := func(i int) int64 {
		if lit, ok := call.Args[i].(*syntax.NumberLit); ok {
			return lit.Value
		}
		return p.number(p.in.Values[call.Args[i]].X)
	}
	switch call.Name {
	case "user_string":
		return p.text(n(0), 64)
	case "user_string_n":
		return p.text(n(0), n(1))
	case "user_buffer_quoted":
		return strings.ReplaceAll(strconv.Quote(string(p.load(uint64(n(0)), n(1)))), `\x00`, `\0`)
	case "fp32_to_fp64":
		return int64(math.Float64bits(float64(math.Float32frombits(uint32(n(0))))))
	case "fp_to_string":
		return strconv.FormatFloat(math.Float64frombits(uint64(n(0))), 'f', int(n(1)), 64)
	case "__go_swiss_slot":
		return p.swissSlot(n(0), n(1), n(2), n(3), n(4), n(5), n(6))
	case "__go_bucket_slot":
		return p.bucketSlot(n(0), n(1), n(4), n(5))
	case "__tree_node":
		return p.treeNode(n(0), n(1))
	case "__fp80_to_fp64":
		e := int(n(1) & 0x7fff)
		return int64(math.Float64bits(math.Ldexp(float64(uint64(n(0))), e-16383-63)) | uint64(n(1)>>15)<<63)
	case "__go_number":
		kinds := []int64{1, 2, 6, 8}
		if k := n(0); !slices.Contains(kinds, k) {
			p.t.Errorf("__go_number of kind %d", k)
		} else if k == 1 {
			return strconv.FormatBool(n(1)&0xff != 0)
		} else if k == 8 {
			return strconv.FormatInt(n(1)&0xff, 10)
		}
		return strconv.FormatInt(n(1), 10)
	}
	p.t.Errorf("%s()", call.Name)
	return ""
}
