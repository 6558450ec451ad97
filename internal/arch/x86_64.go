// SPDX-License-Identifier: GPL-2.0-or-later

package arch

// X86_64 is x86-64, by the System V ABI for AMD64, its tables of registers and of
// their DWARF numbers (figures 3.4 and 3.36).
var X86_64 = &Arch{
	Name:       "x86_64",
	KernelName: "x86",
	Registers: []string{
		"ax", "dx", "cx", "bx", "si", "di", "bp", "sp",
		"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "ip",
	},
	Arguments:       []int{5, 4, 1, 2, 8, 9},
	VectorArguments: 8,
	Results:         []int{0, 1},
	GoArguments:     []int{0, 3, 2, 5, 4, 8, 9, 10, 11},
	GoVectors:       []int{17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31},
	FirstVector:     17,
	Vectors:         16,
	StackPointer:    7,
	ProgramCounter:  16,
	WordSize:        8,
	ReturnAddress:   8,
	MaxInRegisters:  16,
	DebugRegisters:  4,
	WatchedBytes:    8,
	// arch/x86/include/asm/syscall_wrapper.h
	SyscallWrappers:    []string{"__x64_sys_", "__ia32_sys_", "__ia32_compat_sys_", "__x32_compat_sys_"},
	SyscallArguments:   []string{"di", "si", "dx", "r10", "r8", "r9"},
	SyscallArguments32: []string{"bx", "cx", "dx", "si", "di", "bp"},
}
