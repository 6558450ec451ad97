// SPDX-License-Identifier: GPL-2.0-or-later

package executable

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"gostap/elaborate/internal/compiled"
)

var marked = `
#include <stdio.h>
__extension__ unsigned short app_done_semaphore __attribute__((unused)) __attribute__((section(".probes"))) = 0;
int main(int argc, char **argv) {` +
	compiled.Mark("first", "app", "start", "0", "-4@%edi 8@%rsi") +
	compiled.Mark("second", "app", "done", "app_done_semaphore", "-4@$5") + `
	puts("x");
	return 0;
}
`

func TestMarks(t *testing.T) {
	for _, flags := range [][]string{nil, {"-no-pie"}} {
		f := open(t, compile(t, marked, flags...))
		list, err := f.Marks()
		if err != nil {
			t.Fatal(err)
		}
		if len(list) != 2 || list[0].Provider != "app" || list[0].Name != "start" || list[0].Semaphore != 0 ||
			!reflect.DeepEqual(list[0].Args, []string{"-4@%edi", "8@%rsi"}) || list[1].Name != "done" {
			t.Fatalf("%v: %+v", flags, list)
		}
		nm := run(t, "nm", f.Path)
		for name, addr := range map[string]uint64{"first": list[0].Addr, "second": list[1].Addr, "app_done_semaphore": list[1].Semaphore} {
			if want := fmt.Sprintf("%016x", addr); !strings.Contains(nm, want) || !strings.Contains(nm, " "+name+"\n") {
				t.Errorf("%v: %s is at %s, by nm at\n%s", flags, name, want, nm)
			}
			if !strings.Contains(nm, fmt.Sprintf("%016x t %s\n", addr, name)) && !strings.Contains(nm, fmt.Sprintf("%016x D %s\n", addr, name)) {
				t.Errorf("%v: %s is not at %#x, by nm\n%s", flags, name, addr, nm)
			}
		}
		if _, ok := f.FileOffset(list[1].Semaphore); !ok {
			t.Errorf("%v: the semaphore is not in the file", flags)
		}
	}
}

func TestPrelinked(t *testing.T) {
	desc := make([]byte, 24)
	for at, n := range map[int]byte{1: 0x10, 9: 0x20, 17: 0x30} { // 0x1000, 0x2000, 0x3000
		desc[at] = n
	}
	desc = append(desc, "p\x00m\x00-4@%eax\x00"...)
	data := append([]byte{8, 0, 0, 0, byte(len(desc)), 0, 0, 0, 3, 0, 0, 0}, "stapsdt\x00"...)
	data = append(data, desc...)
	list, err := parseMarks(data, 0x2500)
	if err != nil || len(list) != 1 || list[0].Addr != 0x1500 || list[0].Semaphore != 0x3500 {
		t.Errorf("%+v, %v", list, err)
	}
	for cut := 12; cut < len(data); cut++ {
		if _, err := parseMarks(data[:cut], 0); err == nil {
			t.Errorf("the first %d bytes of a note of %d are read as a whole one", cut, len(data))
		}
	}
}

func TestOperands(t *testing.T) {
	none := NoRegister
	for text, want := range map[string]Operand{
		"-4@%eax":                  {Size: 4, Signed: true, Kind: InRegister, Base: 0, Index: none, Scale: 1},
		"8@%r12":                   {Size: 8, Kind: InRegister, Base: 12, Index: none, Scale: 1},
		"-1@%ah":                   {Size: 1, Signed: true, Kind: InRegister, Base: 0, Index: none, Scale: 1, Low: 8},
		"1@%r9b":                   {Size: 1, Kind: InRegister, Base: 9, Index: none, Scale: 1},
		"2@%sp":                    {Size: 2, Kind: InRegister, Base: 7, Index: none, Scale: 1},
		"1@%dil":                   {Size: 1, Kind: InRegister, Base: 5, Index: none, Scale: 1},
		"-4@$-7":                   {Size: 4, Signed: true, N: -7, Base: none, Index: none, Scale: 1},
		"8@$0x10":                  {Size: 8, N: 16, Base: none, Index: none, Scale: 1},
		"8@$table+8":               {Size: 8, N: 8, Symbol: "table", Base: none, Index: none, Scale: 1},
		"8@$18446744073709551615":  {Size: 8, N: -1, Base: none, Index: none, Scale: 1},
		"-4@-20(%rbp)":             {Size: 4, Signed: true, Kind: InMemory, N: -20, Base: 6, Index: none, Scale: 1},
		"8@(%rdx,%rax,8)":          {Size: 8, Kind: InMemory, Base: 1, Index: 0, Scale: 8},
		"4@16(%rsp,%rcx)":          {Size: 4, Kind: InMemory, N: 16, Base: 7, Index: 2, Scale: 1},
		"4@8(,%rax,4)":             {Size: 4, Kind: InMemory, N: 8, Base: none, Index: 0, Scale: 4},
		"-8@counter+4(%rip)":       {Size: 8, Signed: true, Kind: InMemory, N: 4, Symbol: "counter", Base: none, Index: none, Scale: 1},
		"4@8+counter-4(%rip)":      {Size: 4, Kind: InMemory, N: 4, Symbol: "counter", Base: none, Index: none, Scale: 1},
		"8@counter@GOTPCREL(%rip)": {Size: 8, Kind: InMemory, Symbol: "counter", GOT: true, Base: none, Index: none, Scale: 1},
		"4@counter":                {Size: 4, Kind: InMemory, Symbol: "counter", Base: none, Index: none, Scale: 1},
		"8f@%xmm1":                 {Size: 8, Float: true, Kind: InRegister, Base: 18, Index: none, Scale: 1},
		"-8@%xmm15":                {Size: 8, Signed: true, Float: true, Kind: InRegister, Base: 32, Index: none, Scale: 1},
		"4f@%eax":                  {Size: 4, Float: true, Kind: InRegister, Base: 0, Index: none, Scale: 1},
		"8f@-8(%rbp)":              {Size: 8, Float: true, Kind: InMemory, N: -8, Base: 6, Index: none, Scale: 1},
		"%ebx":                     {Size: 4, Signed: true, Kind: InRegister, Base: 3, Index: none, Scale: 1},
	} {
		got, err := ParseOperand(text)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "4@", "4@%eqx", "4@8(%eax)", "4@8(%rip)", "4@$a+b", "4@%fs:8", "4@$1+", "3@%rax", "4@x@PLT(%rip)", "4@(%rax,%rbx,3)",
		"8f@%xmm", "8f@%xmm16", "8f@%xmm-1", "2@%xmm0", "8f@%ymm0", "8@(%xmm0)", "2f@(%rax)", "4f@%ax"} {
		if got, err := ParseOperand(text); err == nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
}
