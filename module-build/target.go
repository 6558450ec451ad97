// SPDX-License-Identifier: GPL-2.0-or-later

package modulebuild

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pkg/errors"

	"gostap/internal/kernels"
	"gostap/internal/lazyregexp"
)

// A target is the kernel that is built for.
type target struct {
	kernels.Kernel
	build string // its build directory, where kbuild runs
}

func findTarget(release string) (*target, error) {
	kernel := kernels.Find(release)
	build := kernel.Build()
	for _, file := range []string{"Makefile", "include/config/auto.conf", "Module.symvers"} {
		if _, err := os.Stat(filepath.Join(build, file)); err != nil {
			return nil, missingHeaders(release, filepath.Join(build, file))
		}
	}
	dir, err := filepath.EvalSymlinks(build)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	return &target{Kernel: kernel, build: dir}, nil
}

var (
	kernelCompiler = lazyregexp.MustCompile(`(?m)^(?:override )?CC\s*[:?]?=.*?([\w.+-]+)\s*$`)
	crossCompile   = lazyregexp.MustCompile(`(?m)^override CROSS_COMPILE\s*=\s*([\w-]+)\s*$`)
)

// compiler is the one that kbuild calls: Debian's headers name it.
func (t *target) compiler() string {
	if m := kernelCompiler().FindSubmatch(t.variables()); m != nil {
		return t.prefix() + string(m[1])
	}
	return "gcc"
}

// linker is the one that kbuild calls.
func (t *target) linker() string { return t.prefix() + "ld" }

// prefix is kbuild's prefix of the tools' names.
func (t *target) prefix() string {
	if m := crossCompile().FindSubmatch(t.variables()); m != nil {
		return string(m[1])
	}
	return ""
}

// variables are kbuild variables that Debian's headers set.
func (t *target) variables() []byte {
	data, _ := os.ReadFile(filepath.Join(t.build, ".kernelvariables"))
	return data
}

// checkTools rejects targets whose build would fail with a page of make's output.
func (t *target) checkTools() error {
	for _, tool := range t.tools() {
		if _, err := t.LookPath(tool); err != nil {
			return missingTool(tool)
		}
	}
	if t.configured("CONFIG_OBJTOOL") && !t.hasObjtool() {
		return missingHeaders(t.Release, filepath.Join(t.build, objtool))
	}
	return nil
}

// tools are the programs that a module is built with.
func (t *target) tools() []string { return []string{"make", t.compiler(), t.linker()} }

const objtool = "tools/objtool/objtool"

func (t *target) hasObjtool() bool {
	_, err := os.Stat(filepath.Join(t.build, objtool))
	return err == nil
}

// configured reports whether the kernel was built with an option.
func (t *target) configured(option string) bool {
	data, _ := os.ReadFile(filepath.Join(t.build, "include/config/auto.conf"))
	return bytes.Contains(data, []byte("\n"+option+"=y\n"))
}

// runtimeKey is the key of everything that all scripts for this kernel share.
func (t *target) runtimeKey(req *Request) string {
	gcc, _ := t.LookPath(t.compiler())
	return hashKey(t.Release, t.build,
		fileKey(filepath.Join(t.build, "Module.symvers")), fileKey(filepath.Join(t.build, "include/config/auto.conf")),
		fileKey(gcc), sourceKey(), req.Library.Key, strconv.Itoa(req.MaxStringLen), strings.Join(req.Make, "\n"))
}

// readHeader reads a header of the kernel, or another file of its tree; Debian keeps most of them in another directory, which the Makefile includes.
func (t *target) readHeader(name string) []byte {
	for _, dir := range []string{t.build, t.Source()} {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			return data
		}
	}
	return nil
}

// compatDefines returns the -D of the checks in compat.h: lines "check MACRO FILE,… WORD".
func (t *target) compatDefines(compat []byte) []string {
	var flags []string
	for s := bufio.NewScanner(bytes.NewReader(compat)); s.Scan(); {
		f := strings.Fields(strings.TrimPrefix(s.Text(), " *"))
		if len(f) != 4 || f[0] != "check" {
			continue
		}
		word := regexp.MustCompile(`\b` + f[3] + `\b`)
		has := slices.ContainsFunc(strings.Split(f[2], ","), func(file string) bool { return word.Match(t.readHeader(file)) })
		flags = append(flags, "-D"+f[1]+"="+map[bool]string{false: "0", true: "1"}[has])
	}
	return flags
}

// symbolVersions returns the CRCs of Module.symvers.
func (t *target) symbolVersions() (map[string]uint64, error) {
	data, err := os.ReadFile(filepath.Join(t.build, "Module.symvers"))
	if err != nil {
		return nil, errors.WithStack(err)
	}
	versions := make(map[string]uint64)
	for line := range strings.Lines(string(data)) {
		f := strings.Split(line, "\t")
		if len(f) < 2 {
			continue
		}
		crc, err := strconv.ParseUint(f[0], 0, 64)
		if err != nil {
			return nil, errors.Errorf("%s/Module.symvers: bad line %q", t.build, line)
		}
		versions[f[1]] = crc
	}
	return versions, nil
}
