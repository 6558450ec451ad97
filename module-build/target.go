// SPDX-License-Identifier: GPL-2.0-or-later

package modulebuild

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/pkg/errors"
)

// A target is the kernel that is built for.
type target struct {
	release string
	build   string // its build directory, where kbuild runs
}

func findTarget(release string) (*target, error) {
	build := filepath.Join("/lib/modules", release, "build")
	for _, file := range []string{"Makefile", "include/config/auto.conf", "Module.symvers"} {
		if _, err := os.Stat(filepath.Join(build, file)); err != nil {
			return nil, missingHeaders(release, filepath.Join(build, file))
		}
	}
	dir, err := filepath.EvalSymlinks(build)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	return &target{release: release, build: dir}, nil
}

var kernelCompiler = regexp.MustCompile(`(?m)^(?:override )?CC\s*[:?]?=.*?([\w.+-]+)\s*$`)

// compiler is the one that kbuild calls: Debian's headers name it.
func (t *target) compiler() string {
	data, _ := os.ReadFile(filepath.Join(t.build, ".kernelvariables"))
	if m := kernelCompiler.FindSubmatch(data); m != nil {
		return string(m[1])
	}
	return "gcc"
}

// checkTools refuses to begin what would end in a page of make's output.
func (t *target) checkTools() error {
	for _, tool := range []string{"make", t.compiler(), "ld"} {
		if _, err := exec.LookPath(tool); err != nil {
			return missingTool(tool)
		}
	}
	objtool := filepath.Join(t.build, "tools/objtool/objtool")
	if _, err := os.Stat(objtool); err != nil && t.configured("CONFIG_OBJTOOL") {
		return missingHeaders(t.release, objtool)
	}
	return nil
}

// configured reports whether the kernel was built with an option.
func (t *target) configured(option string) bool {
	data, _ := os.ReadFile(filepath.Join(t.build, "include/config/auto.conf"))
	return bytes.Contains(data, []byte("\n"+option+"=y\n"))
}

// runtimeKey is the key of what all scripts for this kernel share.
func (t *target) runtimeKey(req *Request) string {
	gcc, _ := exec.LookPath(t.compiler())
	return keyOf(t.release, t.build,
		fileKey(filepath.Join(t.build, "Module.symvers")), fileKey(filepath.Join(t.build, "include/config/auto.conf")),
		fileKey(gcc), sourceKey(), req.Library, strconv.Itoa(req.MaxStringLen))
}

// header reads a kernel header; Debian keeps most of them in another directory, which the Makefile includes.
func (t *target) header(name string) []byte {
	for _, dir := range []string{t.build, t.source()} {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			return data
		}
	}
	return nil
}

// source is where the kernel's headers are.
func (t *target) source() string {
	if dir, err := filepath.EvalSymlinks(filepath.Join("/lib/modules", t.release, "source")); err == nil {
		return dir
	}
	return t.build
}

// answers are the -D for the questions that compat.h asks: lines "ask MACRO HEADER WORD".
func (t *target) answers(compat []byte) []string {
	var flags []string
	for s := bufio.NewScanner(bytes.NewReader(compat)); s.Scan(); {
		f := strings.Fields(strings.TrimPrefix(s.Text(), " *"))
		if len(f) != 4 || f[0] != "ask" {
			continue
		}
		has, _ := regexp.Match(`\b`+f[3]+`\b`, t.header(f[2]))
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
