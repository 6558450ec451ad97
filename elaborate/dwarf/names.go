// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"cmp"
	"debug/dwarf"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/pkg/errors"

	"gostap/elaborate/btf"
	"gostap/internal/cache"
	"gostap/internal/panics"
)

// Names of types and of enumerations' constants are in a file of their own beside the index, which
// is built when a script uses types by name; the kernel's types are known from BTF.
const (
	namesMagic = "gsdtype1"
	namesFile  = "types"
)

type namesHeader struct {
	Magic         [8]byte
	Size, ModTime uint64 // of the debuginfo
	Types, Enums  uint32
	Strings, Path uint32 // Path is that of the debuginfo
}

// A typeRec is a type that has a name; of several that have the same name, kind and size one is enough.
type typeRec struct{ Name, ID, Kind, Size uint32 }

// An enumRec is a constant of an enumeration.
type enumRec struct {
	Name, pad uint32
	Value     int64
}

// names are types and constants by their names.
type names struct {
	types   []typeRec
	enums   []enumRec
	strings string
}

func (n *names) text(off uint32) string {
	s := n.strings[min(uint64(off), uint64(len(n.strings))):]
	end := strings.IndexByte(s, 0)
	return s[:max(end, 0)]
}

// useNames returns nil if data are not the names of the debuginfo at path as it is.
func useNames(data []byte, path string, info os.FileInfo) *names {
	if len(data) < int(unsafe.Sizeof(namesHeader{})) || string(data[:8]) != namesMagic {
		return nil
	}
	h := (*namesHeader)(unsafe.Pointer(&data[0]))
	if h.Size != uint64(info.Size()) || h.ModTime != uint64(info.ModTime().UnixNano()) {
		return nil
	}
	rest := data[unsafe.Sizeof(*h):]
	n := &names{types: part[typeRec](&rest, h.Types), enums: part[enumRec](&rest, h.Enums), strings: str(part[byte](&rest, h.Strings))}
	if len(rest) != 0 || len(n.strings) != int(h.Strings) || n.text(h.Path) != path {
		return nil
	}
	return n
}

// readNames returns the names of f's types: those that are kept in the folder dir, where they are put
// if they are not there; "" for nowhere.
func (t *Types) readNames(dir string) (*names, error) {
	info, err := os.Stat(t.f.Path)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	file := filepath.Join(dir, namesFile)
	if dir != "" {
		if data, err := cache.Map(file); err == nil {
			if n := useNames(data, t.f.Path, info); n != nil {
				return n, nil
			}
		}
	}
	data, err := t.makeNames(info)
	if err != nil {
		return nil, errors.Wrap(err, t.f.Path)
	}
	if dir != "" {
		if err := cache.Write(file, data); err != nil {
			return nil, err
		}
	}
	return useNames(data, t.f.Path, info), nil
}

// A namedType is a type as the scan finds it.
type namedType struct {
	name string
	id   btf.ID
	kind btf.Kind
	size uint32
}

// A nameFound is the result of the scan of a unit.
type nameFound struct {
	types  []namedType
	enums  []btf.Enumerator
	around map[uint64]string // the scopes of declarations' names, by their offsets
	left   int               // DIEs that may still be visited: in hostile data, siblings share their children
}

func (t *Types) makeNames(info os.FileInfo) ([]byte, error) {
	var all nameFound
	for _, f := range []*File{t.f, t.f.alt} {
		if f == nil {
			continue
		}
		found, err := t.scanNames(f)
		if err != nil {
			return nil, err
		}
		for i := range found {
			all.types = append(all.types, found[i].types...)
			all.enums = append(all.enums, found[i].enums...)
		}
	}
	slices.SortStableFunc(all.types, func(a, b namedType) int {
		return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(a.kind, b.kind), cmp.Compare(a.size, b.size))
	})
	all.types = slices.CompactFunc(all.types, func(a, b namedType) bool { return a.name == b.name && a.kind == b.kind && a.size == b.size })
	slices.SortStableFunc(all.enums, func(a, b btf.Enumerator) int { return strings.Compare(a.Name, b.Name) })
	all.enums = slices.CompactFunc(all.enums, func(a, b btf.Enumerator) bool { return a.Name == b.Name })
	b := builder{text: map[string]uint32{"": 0}, strings: []byte{0}}
	var h namesHeader
	copy(h.Magic[:], namesMagic)
	h.Size, h.ModTime, h.Path = uint64(info.Size()), uint64(info.ModTime().UnixNano()), b.intern(t.f.Path)
	types, enums := make([]typeRec, len(all.types)), make([]enumRec, len(all.enums))
	for i, one := range all.types {
		types[i] = typeRec{b.intern(one.name), uint32(one.id), uint32(one.kind), one.size}
	}
	for i, one := range all.enums {
		enums[i] = enumRec{Name: b.intern(one.Name), Value: one.Value}
	}
	h.Types, h.Enums, h.Strings = uint32(len(types)), uint32(len(enums)), uint32(len(b.strings))
	return slices.Concat(bytesOf([]namesHeader{h}), bytesOf(types), bytesOf(enums), b.strings), nil
}

// scanNames scans all units of f on all CPUs.
func (t *Types) scanNames(f *File) ([]nameFound, error) {
	headers, err := f.unitHeaders()
	if err != nil {
		return nil, err
	}
	all, failed := make([]nameFound, len(headers)), make([]error, len(headers))
	var next atomic.Int64
	var group panics.Group
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(headers); i = int(next.Add(1)) - 1 {
				u, err := f.readUnit(headers[i].off)
				if err != nil {
					failed[i] = err
					continue
				}
				if root, ok := u.die(u.first); ok {
					all[i].left = int(u.end - u.first)
					t.namesIn(root, "", &all[i], maxBlocks)
				}
			}
		})
	}
	group.Wait()
	for _, err := range failed {
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// namesIn adds the types among the children of d, a unit or a namespace; in C++ their
// names have the scopes around them.
func (t *Types) namesIn(d die, around string, to *nameFound, depth int) {
	if depth == 0 {
		return
	}
	d.eachChild(func(c die) bool {
		if to.left--; to.left < 0 {
			return false
		}
		kind := kindOf(c)
		switch {
		case c.tag == dwarf.TagNamespace:
			if name := c.text(dwarf.AttrName); name != "" {
				t.namesIn(c, around+name+"::", to, depth-1)
			}
			return true
		case kind == btf.Enum || kind == btf.Enum64:
			to.enums = append(to.enums, enumerators(c)...)
		case kind == btf.Forward && around != "":
			if to.around == nil {
				to.around = map[uint64]string{}
			}
			to.around[uint64(c.off)] = around
			return true
		case kind != btf.Struct && kind != btf.Union && kind != btf.Typedef && kind != btf.Int && kind != btf.Float:
			return true
		}
		name := c.text(dwarf.AttrName)
		if name == "" || c.signed {
			return true
		}
		scope := around
		if v, ok := c.attr(dwarf.AttrSpecification); ok {
			scope = to.around[v.u] // a type unit declares the type in its scope, and describes it outside
		}
		size, _ := c.number(dwarf.AttrByteSize)
		if id := t.id(value{f: c.u.f, u: uint64(c.off)}); id != 0 {
			to.types = append(to.types, namedType{scope + name, id, kind, uint32(min(size, 1<<31))})
		}
		return true
	})
}

// known returns the names, none if the debuginfo is damaged.
func (t *Types) known() *names {
	t.naming.Do(func() {
		var err error
		if t.named, err = t.readNames(t.dir); err != nil || t.named == nil {
			t.named = &names{}
		}
	})
	return t.named
}

// Find returns the types of that name and of one of the kinds. Of types that
// several units have it returns one for each size.
func (t *Types) Find(name string, kinds ...btf.Kind) (list []btf.ID) {
	n := t.known()
	for i := sort.Search(len(n.types), func(i int) bool { return n.text(n.types[i].Name) >= name }); i < len(n.types) && n.text(n.types[i].Name) == name; i++ {
		if slices.Contains(kinds, btf.Kind(n.types[i].Kind)) {
			list = append(list, btf.ID(n.types[i].ID))
		}
	}
	return list
}

// Enumerator returns the value of a constant of an enumeration of any unit.
func (t *Types) Enumerator(name string) (value int64, ok bool) {
	n := t.known()
	i := sort.Search(len(n.enums), func(i int) bool { return n.text(n.enums[i].Name) >= name })
	if i < len(n.enums) && n.text(n.enums[i].Name) == name {
		return n.enums[i].Value, true
	}
	return 0, false
}

// PerCPU is false: debuginfo does not tell.
func (t *Types) PerCPU(btf.ID) bool { return false }

// PointerTo returns a type of pointers to id, which the program need not have.
func (t *Types) PointerTo(id btf.ID) (btf.ID, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for p, to := range t.pointers {
		if to == id {
			return p, true
		}
	}
	p := ^btf.ID(0) - btf.ID(len(t.pointers))
	if uint64(p) < uint64(len(t.f.info))+1<<20 {
		return 0, false
	}
	t.pointers[p] = id
	return p, true
}

// made returns the target of a pointer type that PointerTo has created; false for other types.
func (t *Types) made(id btf.ID) (btf.ID, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	to, ok := t.pointers[id]
	return to, ok
}

// NoTypes is an empty table, for images without debuginfo.
func NoTypes() *Types { return newTypes(&File{}, "") }
