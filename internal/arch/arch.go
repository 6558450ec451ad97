// SPDX-License-Identifier: GPL-2.0-or-later

// Package arch describes instruction sets as compilers and the kernel use them:
// the registers of arguments and results, DWARF's numbers of registers, and their
// names in the kernel's struct pt_regs. There is a file for each instruction set
// (x86_64.go); runtime-c/include/gs_arch.h is the runtime's side of it.
package arch

import "strings"

// An Arch is an instruction set.
type Arch struct {
	Name string // as in uname -m and scripts
	// KernelName is its folder below arch/ of the kernel, which kbuild has as SRCARCH.
	KernelName string

	// Registers are the registers that handlers have, by their DWARF numbers: the fields of struct pt_regs.
	Registers []string
	// Arguments are the registers that carry a function's first integer arguments.
	Arguments []int
	// VectorArguments is how many of a function's first floating point arguments are in registers of their own.
	VectorArguments int
	// Results are the registers that carry a function's result.
	Results []int
	// GoArguments and GoVectors are the registers in which Go's functions pass integers and floating point
	// numbers, as arguments and as results.
	GoArguments, GoVectors []int
	// FirstVector is the DWARF number of the first register of floating point numbers, Vectors how many there are.
	FirstVector, Vectors int
	StackPointer         int
	// ProgramCounter is the register with the instruction's address.
	ProgramCounter int

	// WordSize is the size of a register and of an argument's stack slot, in bytes.
	WordSize int64
	// ReturnAddress is the size of a return address on the stack, in bytes: 0 if it is in a register.
	ReturnAddress int64
	// MaxInRegisters is the size in bytes from which on structs are passed and returned in memory.
	MaxInRegisters int64

	// DebugRegisters is the number of watchpoints, of WatchedBytes bytes at most.
	DebugRegisters int
	WatchedBytes   int64

	// SyscallWrappers are the prefixes of the functions that the kernel's entry code
	// calls for system calls, with the caller's registers.
	SyscallWrappers []string

	// SyscallArguments are the members of that struct pt_regs that carry the arguments, SyscallArguments32 those of
	// programs of 32 bits.
	SyscallArguments, SyscallArguments32 []string
}

// IsSyscallWrapper reports whether a function of that name is a system call's, which
// takes a struct pt_regs.
func (a *Arch) IsSyscallWrapper(name string) bool {
	for _, prefix := range a.SyscallWrappers {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// Argument returns the number of the argument that a register carries at a
// function's entry; false if it carries none.
func (a *Arch) Argument(register int64) (index int, ok bool) {
	for i, r := range a.Arguments {
		if int64(r) == register {
			return i, true
		}
	}
	return 0, false
}

// Vector reports whether a DWARF number is that of a register of floating point numbers.
func (a *Arch) Vector(register int64) bool {
	return register >= int64(a.FirstVector) && register < int64(a.FirstVector+a.Vectors)
}

// Visible reports whether handlers have the register of a DWARF number.
func (a *Arch) Visible(register int64) bool {
	return register >= 0 && register < int64(len(a.Registers))
}
