// SPDX-License-Identifier: GPL-2.0-or-later

package doctor

import (
	"fmt"
	"path/filepath"
	"strings"

	"gostap/internal/distro"
)

// Requirements of elaborating and building scripts.

// littleSpace is the space that the runtimes of a few kernels need, in MB.
const littleSpace = 100

func (f Facts) cache() Finding {
	c := f.Cache
	switch {
	case c.Problem != "":
		return Finding{"cache", Error, c.Root + " can't be written (" + c.Problem + "): what is built is kept there",
			"export GOSTAP_CACHE=/var/tmp/gostap"}
	case c.FreeMB < littleSpace:
		return Finding{"cache", Warning, fmt.Sprintf("%s has %d MB left", c.Root, c.FreeMB), "rm -r " + filepath.Join(c.Root, "module")}
	}
	return Finding{"cache", OK, fmt.Sprintf("%s, %d MB left", c.Root, c.FreeMB), ""}
}

func (f Facts) kernel() Finding {
	k := f.Kernel
	if k.Problem != "" && !k.Missing && f.Cache.Problem != "" {
		return Finding{"kernel", Note, k.Release + " is not looked into before the cache can be written", ""}
	}
	if k.Problem != "" {
		fix := ""
		if k.Missing {
			fix = f.Distribution.Image(k.Release)
		} else if f.Live != nil && f.Live.UID != 0 {
			fix = "sudo gostap doctor"
		}
		return Finding{"kernel", Error, k.Release + " can't be looked into, so nothing in it can be probed: " + k.Problem, fix}
	}
	return Finding{"kernel", OK, k.Release + ", build-id " + k.BuildID, ""}
}

// needed are the options without which gostap's modules can't be loaded.
var needed = []string{"CONFIG_MODULES", "CONFIG_KALLSYMS", "CONFIG_RELAY", "CONFIG_KPROBES", "CONFIG_TRACEPOINTS"}

func (f Facts) options() Finding {
	if f.Kernel.Options == nil {
		return Finding{"options", Note, "the kernel's configuration is not to be found: whether it has ftrace, kprobes, uprobes and perf is not known", ""}
	}
	var missing []string
	for _, name := range needed {
		if f.option(name) != "y" {
			missing = append(missing, name)
		}
	}
	if missing != nil {
		return Finding{"options", Error, "the kernel was built without " + strings.Join(missing, ", ") + ", which all scripts take: they run on another kernel, or in a VM with --vm", ""}
	}
	return Finding{"options", OK, strings.Join(needed, ", "), ""}
}

func (f Facts) btf() Finding {
	switch {
	case f.Kernel.Problem != "":
		return Finding{"BTF", Note, "is not known of, as the kernel can't be looked into", ""}
	case f.Kernel.BTF && (f.Kernel.Options == nil || f.option("CONFIG_DEBUG_INFO_BTF_MODULES") == "y"):
		return Finding{"BTF", OK, "types of the kernel and of its modules", ""}
	case f.Kernel.BTF:
		return Finding{"BTF", Note, "types of the kernel; those of its modules are known only from debuginfo (CONFIG_DEBUG_INFO_BTF_MODULES)",
			f.Distribution.KernelDebuginfo(f.Kernel.Release)}
	case f.Debuginfo.Path != "" && f.Pahole:
		return Finding{"BTF", OK, "made by pahole of the debuginfo, as the kernel has none", ""}
	case f.Debuginfo.Path != "":
		return Finding{"BTF", Warning, "the kernel has none; pahole, which makes it of the debuginfo, is missing: no $variables, no structs",
			f.Distribution.Install(distro.Pahole)}
	}
	return Finding{"BTF", Warning, "the kernel has none (CONFIG_DEBUG_INFO_BTF), nor debuginfo of which pahole makes it: no $variables, no structs",
		f.Distribution.KernelDebuginfo(f.Kernel.Release, distro.Pahole)}
}

const withoutDebuginfo = ": no lines, local variables, inlined functions of the kernel"

func (f Facts) debuginfo() Finding {
	d := f.Debuginfo
	if d.Path != "" {
		return Finding{"debuginfo", OK, d.Path, ""}
	}
	fix := ""
	if !f.Distribution.Foreign(f.Kernel.Release) {
		fix = first(f.Distribution.KernelDebuginfo(f.Kernel.Release), exportServer(f.Distribution))
	}
	if d.Problem != "" {
		return Finding{"debuginfo", Warning, d.Problem + withoutDebuginfo, fix}
	}
	return Finding{"debuginfo", Note, "the kernel's is not installed" + withoutDebuginfo, fix}
}

func exportServer(d distro.Distribution) string {
	if url := d.Debuginfod(); url != "" {
		return "export DEBUGINFOD_URLS=" + url
	}
	return ""
}

func (f Facts) program() Finding {
	p := f.Program
	fix := ""
	if len(p.Servers) == 0 {
		fix = exportServer(f.Distribution)
	}
	switch {
	case p.Problem != "":
		return Finding{"program", Warning, p.Path + " is no program that can be probed: " + p.Problem, ""}
	case p.Debuginfo.Path == p.Path:
		return Finding{"program", OK, p.Path + " has its debuginfo with it", ""}
	case p.Debuginfo.Path != "":
		return Finding{"program", OK, p.Path + " has debuginfo in " + p.Debuginfo.Path, ""}
	case p.Debuginfo.Problem != "":
		return Finding{"program", Warning, p.Path + " has no debuginfo that can be used: " + p.Debuginfo.Problem, fix}
	case p.BuildID == "":
		return Finding{"program", Warning, p.Path + " has neither debuginfo nor a build-id by which it could be found: compile it with -g", ""}
	case len(p.Servers) > 0:
		return Finding{"program", Warning, fmt.Sprintf("%s has no debuginfo here, and %s none of build-id %s: compile it with -g", p.Path, strings.Join(p.Servers, " "), p.BuildID), ""}
	}
	return Finding{"program", Warning, p.Path + " has no debuginfo: only symbols, marks and PLT calls can be probed", fix}
}

// foreign is said of a kernel that the distribution has no packages for.
const foreign = "this is none of the distribution's kernels: whoever built it has them"

func (f Facts) headers() Finding {
	if f.Needs.Missing != "" {
		text := "those of " + f.Kernel.Release + " are missing (looked for " + f.Needs.Missing + "): no script can be built"
		if f.Distribution.Foreign(f.Kernel.Release) {
			text += "; " + foreign
		}
		return Finding{"headers", Error, text, f.Distribution.Headers(f.Kernel.Release)}
	}
	return Finding{"headers", OK, f.Needs.Build, ""}
}

// tools checks the tools that building against the headers needs.
func (f Facts) tools() []Finding {
	var list []Finding
	for _, t := range f.Needs.Tools {
		subject := "compiler"
		switch t.Package {
		case distro.Make:
			subject = "make"
		case distro.Binutils:
			subject = "linker"
		}
		if t.Path == "" {
			list = append(list, Finding{subject, Error, t.Name + " is missing: no script can be built", f.Distribution.Install(t.Package)})
		} else {
			list = append(list, Finding{subject, OK, t.Path, ""})
		}
	}
	return list
}
