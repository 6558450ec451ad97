// SPDX-License-Identifier: GPL-2.0-or-later

package modulebuild

import (
	"context"
	"debug/elf"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gostap/internal/cache"
	"gostap/internal/kernels"
)

// A kernelRuntime is the result of a kbuild run, which scripts' builds use. It is kept as runtime.json beside runtime.o, the
// objects in Link, and include/ and kernel/ for the script's C.
type kernelRuntime struct {
	dir    string
	work   string // for the tools' temporary files
	kernel kernels.Kernel

	Build    string     // the kernel's build directory; commands run there
	Script   []string   // compiles C that only includes gostap.h; without -o OBJECT SOURCE
	Pipe     [][]string // the compiler and the assembler that Script starts for script.c in workFolder; nil: Script is to be run
	Embedded []string   // the same for C with kernel headers
	Objtool  []string   // without the object; nil if this kernel has none
	Linker   []string   // without -o MODULE OBJECTS
	Link     []string   // objects that kbuild adds to a module: .mod.o
	Known    []string   // symbols that runtime.o has or Link has versions of, ascending
	Library  int        // bytes of stack that the library's embedded C takes at most
}

// placeholder is the name of the stub module; scripts' names replace it. It is as long as a name may be.
const placeholder = "gostap_stands_here_until_a_script_brings_its_own_name__"

// openRuntime finds the runtime in the cache, or builds it.
func openRuntime(ctx context.Context, t *target, key string, req *Request) (*kernelRuntime, error) {
	dir := cache.Path("kernel", t.Release+"-"+key)
	if !cache.Intact(dir) {
		req.Progress("building the runtime for kernel " + t.Release + " (once)")
		if err := cache.FillOnce(dir, func(tmp string) error { return buildRuntime(ctx, t, req, tmp) }); err != nil {
			return nil, err
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "runtime.json"))
	if err != nil {
		return nil, errors.WithStack(err)
	}
	rt := &kernelRuntime{dir: dir, kernel: t.Kernel}
	return rt, errors.WithStack(json.Unmarshal(data, rt))
}

// buildRuntime makes kbuild build a module with a stub script, in dir/work, and copies the parts that
// scripts need.
func buildRuntime(ctx context.Context, t *target, req *Request, dir string) error {
	work := filepath.Join(dir, "work")
	defer os.RemoveAll(work)
	if err := os.Mkdir(work, 0o755); err != nil {
		return errors.WithStack(err)
	}
	versions, err := t.symbolVersions()
	if err != nil {
		return err
	}
	tr, err := newTree(t, req, work, placeholder, stubScript(versions), nil)
	if err != nil {
		return err
	}
	if err := tr.make(ctx, t); err != nil {
		return err
	}
	rt := &kernelRuntime{dir: dir, work: work, kernel: t.Kernel, Build: t.build}
	for _, step := range []func(*tree) error{func(tr *tree) error { return rt.takeCompiler(ctx, tr) }, rt.takeLinker, func(tr *tree) error { return rt.takeObjects(ctx, t, tr) }, rt.takeSymbols, rt.takeStack} {
		if err := step(tr); err != nil {
			return err
		}
	}
	if err := unpack(dir, "include", "kernel"); err != nil {
		return err
	}
	data, err := json.MarshalIndent(rt, "", "\t")
	if err != nil {
		return errors.WithStack(err)
	}
	return errors.WithStack(os.WriteFile(filepath.Join(dir, "runtime.json"), data, 0o644))
}

// stubScript is a script that does nothing. It refers to functions that compilers call implicitly, so that they get symbol versions.
func stubScript(versions map[string]uint64) []byte {
	refer := []string{"memcpy", "memset", "memmove", "memcmp", "strlen", "__stack_chk_fail", "__x86_return_thunk"}
	for _, r := range []string{"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"} {
		refer = append(refer, "__x86_indirect_thunk_"+r)
	}
	// Compilers call the sanitizers that the kernel has.
	for name := range versions {
		if strings.HasPrefix(name, "__asan_") || strings.HasPrefix(name, "__ubsan_") || strings.HasPrefix(name, "__tsan_") {
			refer = append(refer, name)
		}
	}
	slices.Sort(refer)
	var c strings.Builder
	c.WriteString("#include \"gostap.h\"\nconst struct gs_program gs_program = { .abi = GS_ABI };\nconst volatile gs_u32 gs_stack_use[1];\n")
	for _, name := range refer {
		if _, ok := versions[name]; ok {
			fmt.Fprintf(&c, "asm(\".pushsection .discard.gostap\\n.quad %s\\n.popsection\");\n", name)
		}
	}
	return []byte(c.String())
}

// takeCompiler takes the compiler's flags, and objtool's if kbuild runs it on each object.
func (rt *kernelRuntime) takeCompiler(ctx context.Context, tr *tree) error {
	script, err := tr.commands("gs_unit_script.o")
	if err != nil {
		return err
	}
	library, err := tr.commands("gs_unit_library.o")
	if err != nil {
		return err
	}
	rt.Script = scriptFlags(script[0])
	rt.Embedded = embeddedFlags(library[0], tr.dir)
	rt.takeObjtool(script)
	return rt.takeDriver(ctx)
}

// scriptFlags returns the flags of a compiler's command that affect code, without headers, warnings and files. Generated code checks its
// bounds itself, and has no arrays on the stack for a canary to guard.
func scriptFlags(command []string) []string {
	flags := command[:1:1]
	for i := 1; i < len(command); i++ {
		switch w := command[i]; {
		case w == "-include" || w == "-o" || w == "-isystem":
			i++
		case w == "--param" && i+1 < len(command):
			i++
			flags = append(flags, w, command[i])
		case strings.HasPrefix(w, "-I") || strings.HasPrefix(w, "-W") || strings.HasPrefix(w, "-D") || !strings.HasPrefix(w, "-"):
		case strings.HasPrefix(w, "-fstack-protector") || strings.HasPrefix(w, "-ftrivial-auto-var-init") || strings.HasPrefix(w, "-fmacro-prefix-map"):
		default:
			flags = append(flags, w)
		}
	}
	return append(flags, "-std=gnu11", "-fno-stack-protector", "-w", "-fdiagnostics-color=never")
}

// embeddedFlags returns the flags of a compiler's command, without files and paths of the tree.
func embeddedFlags(command []string, dir string) []string {
	flags := command[:1:1]
	for i := 1; i < len(command); i++ {
		switch w := command[i]; {
		case w == "-o":
			i++
		case strings.HasPrefix(w, "-Wp,-M") || strings.Contains(w, dir) || strings.HasSuffix(w, ".c"):
		default:
			flags = append(flags, w)
		}
	}
	return append(flags, "-fdiagnostics-color=never")
}

// takeObjtool takes objtool's command from those that made an object, if it is among them. Not --ibt: it would seal functions
// whose addresses only the script takes.
func (rt *kernelRuntime) takeObjtool(commands [][]string) {
	for _, c := range commands {
		if len(c) > 2 && filepath.Base(c[0]) == "objtool" {
			rt.Objtool = slices.DeleteFunc(slices.Clone(c[:len(c)-1]), func(w string) bool { return w == "--ibt" })
		}
	}
}

// takeLinker records the command that linked the module, and copies the linker's other inputs.
func (rt *kernelRuntime) takeLinker(tr *tree) error {
	commands, err := tr.commands(tr.name + ".ko")
	if err != nil {
		return err
	}
	ld := commands[0]
	out := slices.Index(ld, "-o")
	if out < 0 || out+2 > len(ld) {
		return errors.Errorf("kbuild links modules in a way that gostap doesn't know: %s", strings.Join(ld, " "))
	}
	rt.Linker = append(slices.Clone(ld[:out]), "--strip-debug")
	for i, object := range ld[out+2:] {
		if filepath.Base(object) == tr.name+".o" {
			continue
		}
		if !filepath.IsAbs(object) { // since 6.13 kbuild runs in the tree
			object = filepath.Join(tr.dir, object)
		}
		data, err := os.ReadFile(object)
		if err != nil {
			return errors.WithStack(err)
		}
		name := fmt.Sprintf("link%d.o", i)
		if err := os.WriteFile(filepath.Join(rt.dir, name), data, 0o644); err != nil {
			return errors.WithStack(err)
		}
		rt.Link = append(rt.Link, name)
	}
	return nil
}

// takeObjects links the runtime's objects into runtime.o. Where kbuild runs objtool on linked modules only, it is run now.
func (rt *kernelRuntime) takeObjects(ctx context.Context, t *target, tr *tree) error {
	runtime := filepath.Join(rt.dir, "runtime.o")
	args := []string{t.linker(), "-r", "-o", runtime}
	for _, object := range tr.shared {
		args = append(args, filepath.Join(tr.dir, object))
	}
	if err := rt.run(ctx, "the runtime", args); err != nil {
		return err
	}
	if rt.Objtool != nil {
		return nil
	}
	commands, err := tr.commands(tr.name + ".o")
	if err != nil {
		return err
	}
	rt.takeObjtool(commands)
	if rt.Objtool != nil || !t.hasObjtool() {
		return rt.objtool(ctx, "the runtime", runtime)
	}
	// kbuild has run it on each of the runtime's objects.
	if commands, err = tr.printedCommands(ctx, t, "gs_unit_script.o"); err != nil {
		return err
	}
	rt.takeObjtool(commands)
	return nil
}

// takeStack records the library's stack use.
func (rt *kernelRuntime) takeStack(tr *tree) error {
	library, err := readFrames(filepath.Join(tr.dir, "gs_unit_library.su"))
	rt.Library = library.helpers()
	return err
}

// takeSymbols records the symbols that scripts can refer to without a symbol version.
func (rt *kernelRuntime) takeSymbols(tr *tree) error {
	for _, object := range []string{filepath.Join(rt.dir, "runtime.o"), filepath.Join(tr.dir, "gs_unit_script.o")} {
		f, err := elf.Open(object)
		if err != nil {
			return errors.WithStack(err)
		}
		symbols, err := f.Symbols()
		f.Close()
		if err != nil {
			return errors.WithStack(err)
		}
		for _, s := range symbols {
			if elf.ST_BIND(s.Info) != elf.STB_LOCAL {
				rt.Known = append(rt.Known, s.Name)
			}
		}
	}
	slices.Sort(rt.Known)
	rt.Known = slices.Compact(rt.Known)
	return nil
}
