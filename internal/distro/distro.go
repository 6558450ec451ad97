// SPDX-License-Identifier: GPL-2.0-or-later

// Package distro identifies the machine's distribution by os-release(5), and has
// the commands by which packages are installed there (families.go).
//
//	d := distro.Here()
//	fmt.Println(d.Install(distro.Make, distro.Binutils)) // apt install make binutils
package distro

import (
	"cmp"
	"os"
	"strings"
	"sync"
)

// A Distribution is the content of os-release(5).
type Distribution struct {
	ID     string // "rocky"; "" if there is no os-release
	Name   string // "Rocky Linux 9.4 (Blue Onyx)"; without that, "Rocky Linux" or the ID
	Family string // the name of the family whose packages it has, "rhel"; "" if that is not known
}

// Doctor ends the errors about something that is missing.
const Doctor = "gostap doctor says what else is missing"

// Here returns the distribution of this machine.
var Here = sync.OnceValue(func() Distribution {
	for _, path := range []string{"/etc/os-release", "/usr/lib/os-release"} {
		if text, err := os.ReadFile(path); err == nil {
			return Parse(string(text))
		}
	}
	return Distribution{}
})

// Parse returns the distribution that the text of an os-release file describes. Its family is the first of ID and ID_LIKE,
// which goes from the nearest relative to the farthest, that is known.
func Parse(text string) Distribution {
	values := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		values[name] = strings.Trim(value, `"'`)
	}
	d := Distribution{ID: values["ID"], Name: cmp.Or(values["PRETTY_NAME"], values["NAME"], values["ID"])}
	for _, id := range strings.Fields(d.ID + " " + values["ID_LIKE"]) {
		if _, ok := families[id]; ok {
			d.Family = id
			break
		}
	}
	return d
}

// Install returns the command that installs packages, which go by their common names: the constants of this package, or
// compilers, such as gcc-12. It is "" if one of them has no package there.
func (d Distribution) Install(what ...string) string {
	f, ok := families[d.Family]
	if !ok {
		return ""
	}
	command := f.install
	for _, name := range what {
		pkg := f.pkg(name)
		if pkg == "" {
			return ""
		}
		if !strings.Contains(command+" ", " "+pkg+" ") {
			command += " " + pkg
		}
	}
	return command
}

// Headers returns the command that installs the headers of a kernel release; this and the others are "" if the distribution has no such package.
func (d Distribution) Headers(release string) string { return d.ofKernel(release, headers) }

// Image returns the command that installs a kernel release.
func (d Distribution) Image(release string) string { return d.ofKernel(release, image) }

// KernelDebuginfo returns the command that installs the debuginfo of a kernel release, and the other
// packages that are named.
func (d Distribution) KernelDebuginfo(release string, also ...string) string {
	f := families[d.Family]
	command := d.ofKernel(release, debuginfo)
	for _, name := range also {
		if command != "" && f.pkg(name) != "" {
			command += " " + f.pkg(name)
		}
	}
	return command
}

// Foreign reports whether a kernel release is none of the distribution's, which has no packages for it then.
func (d Distribution) Foreign(release string) bool {
	f, ok := families[d.Family]
	return ok && !f.releases().MatchString(release)
}

// ofKernel is the command for a package of a kernel release.
func (d Distribution) ofKernel(release string, part kernelPart) string {
	f, ok := families[d.Family]
	if !ok || d.Foreign(release) {
		return ""
	}
	return f.kernel(part, release)
}

// Debuginfod is the server of the distribution's debuginfo, "" if it has none.
func (d Distribution) Debuginfod() string {
	if url, ok := servers[d.ID]; ok {
		return url
	}
	return families[d.Family].debuginfod
}
