// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"

	"gostap/internal/distro"
	"gostap/manifest"
)

// module is one that is in the kernel.
type module struct {
	name       string // that it was loaded with
	genlFamily string // its generic netlink family

	buffers int64 // bytes of all CPUs' buffers
}

// sessionDirs is the prefix of the folders with modules' buffers and control files.
const sessionDirs = "/proc/gostap-"

// debugfs is where the kernel's debug file system is.
const debugfs = "/sys/kernel/debug"

// mountDebugfs mounts debugfs if it isn't mounted. The output of a session does not depend on it.
func mountDebugfs() {
	var st unix.Statfs_t
	if err := unix.Statfs(debugfs, &st); err != nil || st.Type != unix.DEBUGFS_MAGIC {
		_ = unix.Mount("debugfs", debugfs, "debugfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
	}
}

// Sub-buffers have this size, or that of a script's largest histogram; there are at least minSubbufs for each CPU.
const (
	subbufBytes = 256 << 10
	minSubbufs  = 4
)

// subbufFor returns the bytes of a session's sub-buffers: a record must fit into one.
func subbufFor(m *manifest.Manifest) int {
	size := subbufBytes
	for i := range m.Hists {
		for size < subbufSize+recordSize+4+8*m.Hists[i].Buckets()+8 {
			size *= 2
		}
	}
	return size
}

// defaultMB returns the default size of each CPU's buffer in megabytes: 16, or less
// if that would be more than a 64th of the memory, or than 256 in all, as
// allocation takes time.
func defaultMB() int {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 1
	}
	all := min(info.Totalram*uint64(info.Unit)/64>>20, 256)
	return int(min(max(all/uint64(runtime.NumCPU()), 1), 16))
}

// checkBuffers refuses buffers that the machine can't spare: the kernel would invoke the OOM killer for them.
func checkBuffers(mb int) error {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return nil // the module checks it, too
	}
	_, rest, _ := strings.Cut(string(text), "\nMemAvailable:")
	var left int
	if _, err := fmt.Sscan(rest, &left); err != nil {
		return nil
	}
	if all := mb * runtime.NumCPU(); all > left>>10/2 {
		return errors.Errorf("buffers of %d MB for each of %d processors are more than half of the %d MB that this machine has left: give a smaller -s", mb, runtime.NumCPU(), left>>10)
	}
	return nil
}

// load loads the module at path, with bufferMB of buffers for each CPU (0: the
// default). If a module of its name is loaded already, as for a second run of the
// same script, it gets another name.
func load(path string, m *manifest.Manifest, bufferMB int) (*module, error) {
	if bufferMB <= 0 {
		bufferMB = defaultMB()
	}
	if err := checkBuffers(bufferMB); err != nil {
		return nil, err
	}
	mod := &module{name: m.Name, genlFamily: newGenlFamily()}
	size := subbufFor(m)
	n := max(bufferMB<<20/size, minSubbufs)
	mod.buffers = int64(n) * int64(size) * int64(runtime.NumCPU())
	params := fmt.Sprintf("family=%s subbuf_size=%d n_subbufs=%d", mod.genlFamily, size, n)
	log := openKmsg()
	defer log.close()

	// Not finit_module: since Linux 6.5, of two calls at a time for the
	// same file one waits for the other and shares its success.
	image, err := os.ReadFile(path)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	err = unix.InitModule(image, params)
	if err == unix.EEXIST {
		mod.name = fmt.Sprintf("%.40s_%s", m.Name, mod.genlFamily)
		if err := renameModule(image, m.Name, mod.name); err != nil {
			return nil, errors.Wrapf(err, "a module %s is loaded already, and this one cannot be renamed; give it a name of its own with -m", m.Name)
		}
		err = unix.InitModule(image, params)
		if err != nil && bytes.HasSuffix(image, signatureMark) {
			return nil, errors.Errorf("a module %s is loaded already, and this one is signed, so that it cannot be renamed: build it with -m NAME, or wait until the other session ends", m.Name)
		}
	}
	if err != nil {
		return nil, loadError(err, m, log.about(mod.name+": "))
	}
	return mod, nil
}

// newGenlFamily returns a random name for the session's generic netlink family.
func newGenlFamily() string {
	var b [6]byte
	rand.Read(b[:])
	return "gs" + hex.EncodeToString(b[:])
}

// howToSign is docs/SIGNING.md in short.
const howToSign = `sign it with --sign KEY,CERT. A key of your own is made and enrolled, once, with
    openssl req -new -x509 -newkey rsa:2048 -nodes -days 3650 -subj /CN=gostap/ -keyout mok.key -outform DER -out mok.der
    mokutil --import mok.der      # asks for a password, and at the next boot the firmware asks for it again
and then serves as --sign mok.key,mok.der (Debian's own is in /var/lib/dkms, Ubuntu's in /var/lib/shim-signed/mok, if they are there);
` + distro.Doctor

// loadError makes the kernel's error one that says what the user can do about it.
func loadError(err error, m *manifest.Manifest, said []string) error {
	detail := ""
	if len(said) > 0 {
		detail = "; the kernel says: " + strings.Join(said, "; ")
	}
	running := kernelRelease()
	mismatch := ""
	if m.Release != "" && m.Release != running {
		mismatch = fmt.Sprintf("module %s was built for kernel %s, this is %s: build it with -r %s", m.Name, m.Release, running, running)
	}
	switch err {
	case unix.EPERM, unix.EACCES:
		if readTrimmed("/proc/sys/kernel/modules_disabled") == "1" {
			return errors.New("this kernel takes no more modules until it is booted again (sysctl kernel.modules_disabled is 1)")
		}
		if lockdown := readTrimmed("/sys/kernel/security/lockdown"); lockdown != "" && !strings.Contains(lockdown, "[none]") {
			return errors.Errorf("this kernel is locked down (%s) and takes only modules that are signed with a key it trusts, which %s is not: %s", lockdown, m.Name, howToSign)
		}
		return errors.Errorf("the kernel does not let this user load module %s (CAP_SYS_MODULE is needed)%s; %s", m.Name, detail, distro.Doctor)
	case unix.ENOKEY, unix.EKEYREJECTED, unix.EKEYEXPIRED, unix.EKEYREVOKED, unix.EBADMSG, unix.ELIBBAD:
		return errors.Errorf("this kernel takes only modules that are signed with a key it trusts, which %s is not (%v): %s", m.Name, err, howToSign)
	case unix.ENOEXEC, unix.EINVAL, unix.ENOENT:
		if mismatch != "" {
			return errors.New(mismatch + detail)
		}
		if err == unix.ENOENT {
			return errors.Errorf("this kernel lacks something that module %s needs%s", m.Name, detail)
		}
		return errors.Errorf("the kernel refuses module %s: %v%s", m.Name, err, detail)
	case unix.ENOMEM:
		return errors.Errorf("too little memory for module %s and its buffers: ask for smaller ones with -s%s", m.Name, detail)
	case unix.EEXIST:
		return errors.Errorf("a module %s is loaded already%s", m.Name, detail)
	case unix.ENOSYS:
		return errors.New("this kernel has no loadable modules (CONFIG_MODULES)")
	}
	return errors.Errorf("loading module %s: %v%s", m.Name, err, detail)
}

// unload unloads the module. It tries again while the module is in use, as it is
// until the last handler has returned, and while the kernel has too little memory,
// for as long as patience.
func unload(name string, patience time.Duration) error {
	err := retry(patience, func() error { return unix.DeleteModule(name, unix.O_NONBLOCK) })
	switch {
	case err == nil || err == unix.ENOENT:
		return nil
	case passing(err):
		return errors.Errorf("module %s is still in use (%v): remove it later with rmmod %s", name, err, name)
	}
	return errors.Wrapf(err, "removing module %s", name)
}

// passing reports whether an error may be gone a moment later.
func passing(err error) bool {
	return errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EBUSY) || errors.Is(err, unix.EINTR) || errors.Is(err, unix.ENOMEM)
}

// retry repeats something while its error is a passing one, for as long as patience; it returns the last error.
func retry(patience time.Duration, do func() error) error {
	deadline := time.Now().Add(patience)
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		err := do()
		if err == nil || !passing(err) || time.Now().After(deadline) {
			return err
		}
		time.Sleep(pause)
	}
}

func kernelRelease() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

func readTrimmed(path string) string {
	b, _ := os.ReadFile(path)
	return strings.TrimSpace(string(b))
}
