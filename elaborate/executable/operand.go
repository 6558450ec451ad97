// SPDX-License-Identifier: GPL-2.0-or-later

package executable

import (
	"fmt"
	"strconv"
	"strings"

	"gostap/internal/arch"
	"gostap/internal/lazyregexp"
)

// An Operand is an argument of a static mark: its location and type.
type Operand struct {
	Size   int // bytes: 1, 2, 4 or 8
	Signed bool
	Float  bool
	Kind   OperandKind

	// A constant is N; a register is Base, without its lowest Low bits; memory is at Base + Index*Scale
	// + N. Registers have their DWARF numbers; NoRegister stands for none.
	N           int64
	Symbol      string // whose address is added to N, "" for none
	GOT         bool   // the symbol's slot in the global offset table is meant instead, where its address is
	Base, Index int
	Scale       int64
	Low         int
}

// An OperandKind says where an operand is.
type OperandKind uint8

// The kinds of operands.
const (
	Constant OperandKind = iota
	InRegister
	InMemory
)

// NoRegister is the number for no register.
const NoRegister = -1

// instructionPointer is DWARF's number for it.
const instructionPointer = 16

// A register is a general one of x86-64, or a part of it, or a vector register.
type register struct{ number, size, low int }

// registers are those of x86-64 by the assembler's names.
var registers = map[string]register{"rip": {instructionPointer, 8, 0}}

func init() {
	for number, name := range []string{"ax", "dx", "cx", "bx", "si", "di", "bp", "sp"} {
		registers["r"+name] = register{number, 8, 0}
		registers["e"+name] = register{number, 4, 0}
		registers[name] = register{number, 2, 0}
		if name[1] == 'x' {
			registers[name[:1]+"l"] = register{number, 1, 0}
			registers[name[:1]+"h"] = register{number, 1, 8}
		} else {
			registers[name+"l"] = register{number, 1, 0}
		}
	}
	for number := 8; number < 16; number++ {
		name := fmt.Sprintf("r%d", number)
		for suffix, size := range map[string]int{"": 8, "d": 4, "w": 2, "b": 1} {
			registers[name+suffix] = register{number, size, 0}
		}
	}
	for n := range arch.X86_64.Vectors {
		registers[fmt.Sprintf("xmm%d", n)] = register{arch.X86_64.FirstVector + n, 16, 0}
	}
}

// operandText is [-]SIZE[f]@OPERAND; before SystemTap 1.2 there was only the operand.
var operandText = lazyregexp.MustCompile(`^(?:(-?)([1248])(f?)@)?(.+)$`)

// memoryText is [SYMBOL][±N]…(BASE,INDEX,SCALE).
var memoryText = lazyregexp.MustCompile(`^([^()]*)\((%[a-z0-9]+)?(?:,(%[a-z0-9]+)(?:,([1248]))?)?\)$`)

// ParseOperand reads an operand in AT&T's syntax.
func ParseOperand(text string) (Operand, error) {
	o, ok := parseOperand(text)
	if !ok || o.Float && o.Size < 4 {
		return o, fmt.Errorf("its operand %q is of a form that is not known", text)
	}
	return o, nil
}

func parseOperand(text string) (o Operand, ok bool) {
	m := operandText().FindStringSubmatch(text)
	if m == nil {
		return o, false
	}
	o = Operand{Size: 8, Signed: m[1] == "-", Float: m[3] != "", Base: NoRegister, Index: NoRegister, Scale: 1}
	if m[2] != "" {
		o.Size = int(m[2][0] - '0')
	} else {
		o.Signed = true
	}
	rest := m[4]
	switch {
	case strings.HasPrefix(rest, "$"):
		return o, o.displacement(rest[1:])
	case strings.HasPrefix(rest, "%"):
		r, ok := registers[rest[1:]]
		o.Kind, o.Base, o.Low = InRegister, r.number, r.low
		o.Float = o.Float || arch.X86_64.Vector(int64(r.number))
		// A part of a register limits the size, whatever the mark's type.
		o.Size = min(o.Size, r.size)
		return o, ok
	}
	o.Kind = InMemory
	address := memoryText().FindStringSubmatch(rest)
	if address == nil {
		return o, o.displacement(rest)
	}
	for i, to := range []*int{&o.Base, &o.Index} {
		if name := address[2+i]; name != "" {
			r, ok := registers[name[1:]]
			if !ok || r.size != 8 {
				return o, false
			}
			*to = r.number
		}
	}
	if address[4] != "" {
		o.Scale = int64(address[4][0] - '0')
	}
	if !o.displacement(address[1]) || o.Base == instructionPointer && (o.Symbol == "" || o.Index != NoRegister) {
		return o, false
	}
	if o.Base == instructionPointer {
		o.Base = NoRegister // the symbol's address is meant
	}
	return o, true
}

// displacement reads a sum of numbers and at most one symbol.
func (o *Operand) displacement(text string) bool {
	for text != "" {
		negative := text[0] == '-'
		if text[0] == '-' || text[0] == '+' {
			text = text[1:]
		}
		end := strings.IndexAny(text, "+-")
		if end < 0 {
			end = len(text)
		}
		part := text[:end]
		text = text[end:]
		if part == "" {
			return false
		}
		if part[0] >= '0' && part[0] <= '9' {
			n, err := strconv.ParseUint(part, 0, 64)
			if err != nil {
				return false
			}
			if negative {
				n = -n
			}
			o.N += int64(n)
			continue
		}
		part, o.GOT = strings.CutSuffix(part, "@GOTPCREL")
		if o.Symbol != "" || negative || strings.ContainsAny(part, "%$(),@:*") {
			return false
		}
		o.Symbol = part
	}
	return true
}
