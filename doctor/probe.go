// SPDX-License-Identifier: GPL-2.0-or-later

package doctor

import (
	"bytes"
	"compress/gzip"
	"debug/elf"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"

	"gostap/elaborate/dwarf"
	"gostap/elaborate/image"
	"gostap/elaborate/symbols"
	"gostap/internal/buildid"
	"gostap/internal/cache"
	"gostap/internal/distro"
	"gostap/internal/kernels"
	modulebuild "gostap/module-build"
	"gostap/vm"
)

// Probe collects the facts for a kernel release, "" for the running one, and for the debuginfo of a
// program, "" for none: it asks the servers in DEBUGINFOD_URLS for the program's. It changes nothing
// but the cache.
func Probe(release, program string) Facts {
	running := runningRelease()
	if release == "" {
		release = running
	}
	f := Facts{
		Distribution: distro.Here(),
		Kernel:       probeKernel(release, release == running),
		Needs:        modulebuild.FindNeeds(release),
		Cache:        probeCache(),
		VM:           probeVM(release, release == running),
	}
	_, err := exec.LookPath("pahole")
	f.Pahole = err == nil
	f.Debuginfo = kernelDebuginfo(f.Kernel)
	if program != "" {
		f.Program = probeProgram(program)
	}
	if release == running {
		f.Live = probeLive()
	}
	return f
}

func runningRelease() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

// probeKernel reads a kernel's image, or the running kernel's files.
func probeKernel(release string, running bool) Kernel {
	k := Kernel{Release: release, Image: kernels.Find(release).Image()}
	if opened, err := image.NewTarget(release, false).Kernel(); err != nil {
		k.Problem = err.Error()
		var missing *symbols.MissingError
		if k.Missing = errors.As(err, &missing); k.Missing {
			k.Problem = missing.What
		}
	} else {
		k.BuildID, k.BTF = opened.BuildID, opened.BTFPath() != ""
	}
	k.Options = options(release, running)
	return k
}

// options reads a kernel's configuration.
func options(release string, running bool) map[string]string {
	text, err := os.ReadFile(kernels.Find(release).Config())
	if err != nil && running {
		text, err = ownConfig()
	}
	if err != nil {
		return nil
	}
	found := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && strings.HasPrefix(name, "CONFIG_") {
			found[name] = strings.Trim(value, `"`)
		}
	}
	return found
}

// ownConfig is the running kernel's configuration, by /proc/config.gz.
func ownConfig() ([]byte, error) {
	packed, err := os.ReadFile("/proc/config.gz")
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// kernelDebuginfo looks for a kernel's debuginfo on this machine.
func kernelDebuginfo(k Kernel) Debuginfo {
	f := dwarf.Finder{Root: kernels.Find(k.Release).Root, Debug: os.Getenv("GOSTAP_DEBUGINFO"), Cache: dwarf.CacheDir()}
	return found(f.Kernel(k.Release, k.BuildID))
}

func found(path string, err error) Debuginfo {
	if err != nil && !errors.Is(err, dwarf.ErrNone) {
		return Debuginfo{Problem: err.Error()}
	}
	return Debuginfo{Path: path}
}

// probeProgram looks for a program's debuginfo, on this machine and on servers.
func probeProgram(path string) *Program {
	p := &Program{Path: path, Servers: dwarf.ServersFromEnv()}
	if full, err := exec.LookPath(path); err == nil {
		p.Path = full
	}
	if full, err := filepath.EvalSymlinks(p.Path); err == nil {
		p.Path, _ = filepath.Abs(full)
	}
	file, err := elf.Open(p.Path)
	if err == nil {
		defer file.Close()
		p.BuildID, err = buildid.Of(file)
	}
	if err != nil {
		p.Problem = err.Error()
		return p
	}
	f := dwarf.Finder{Debug: os.Getenv("GOSTAP_DEBUGINFO"), URLs: p.Servers, Cache: dwarf.CacheDir()}
	p.Debuginfo = found(f.Program(p.Path, p.BuildID))
	return p
}

// probeCache tries to write to the cache.
func probeCache() Cache {
	c := Cache{Root: cache.Root()}
	if err := os.MkdirAll(c.Root, 0o755); err != nil {
		c.Problem = err.Error()
		return c
	}
	file, err := os.CreateTemp(c.Root, ".doctor-*")
	if err != nil {
		c.Problem = err.Error()
		return c
	}
	file.Close()
	os.Remove(file.Name())
	var fs unix.Statfs_t
	if unix.Statfs(c.Root, &fs) == nil {
		c.FreeMB = int64(fs.Bavail) * fs.Bsize >> 20
	}
	return c
}

// probeVM checks the requirements of --vm: for a release or, as --vm does without one, for the first
// that is installed.
func probeVM(release string, running bool) VM {
	v := VM{Release: release, KVM: probeKVM()}
	if list := vm.Releases(); running && len(list) > 0 {
		v.Release = list[0]
	} else if running {
		v.Release = ""
	}
	var missing *vm.MissingError
	if err := vm.Check(v.Release); errors.As(err, &missing) {
		v.Missing, v.Install = missing.Files, missing.Install
	} else if err != nil {
		v.Problem = err.Error()
	}
	v.KVM.Tried = vm.KVM(v.Release)
	return v
}

func probeKVM() KVM {
	var k KVM
	_, err := os.Stat("/dev/kvm")
	k.Device = err == nil
	if file, err := os.OpenFile("/dev/kvm", os.O_RDWR, 0); err == nil {
		k.Usable = true
		file.Close()
	}
	cpu, _ := os.ReadFile("/proc/cpuinfo")
	_, rest, _ := strings.Cut(string(cpu), "\nflags")
	flags, _, _ := strings.Cut(rest, "\n")
	k.Intel = strings.Contains(flags+" ", " vmx ")
	k.Virtual = k.Intel || strings.Contains(flags+" ", " svm ")
	return k
}
