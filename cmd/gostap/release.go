// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"

	"gostap/internal/kernels"
	"gostap/vm"
)

// targetRelease is the kernel that the script is for, "" for the host runtime.
func (o *options) targetRelease() (string, error) {
	if o.runtime == "host" {
		return "", nil
	}
	release, err := o.namedRelease()
	if err != nil {
		return "", err
	}
	switch {
	case o.vm == vmDefault && release != "":
		o.vm = release
	case o.vm == vmDefault:
		releases := vm.Releases()
		if len(releases) == 0 {
			return "", errors.New("--vm: no kernel to run; install one with: apt-get install linux-image-cloud-amd64 linux-headers-cloud-amd64")
		}
		o.vm = releases[0]
	}
	running := runningRelease()
	switch {
	case o.vm != "" && release != "" && o.vm != release:
		return "", errors.Errorf("--vm=%s and -r %s name different kernels", o.vm, release)
	case o.vm != "":
		return o.vm, nil
	case release == "":
		return running, nil
	case o.runs() && release != running:
		return "", errors.Errorf("-r %s: that is not the running kernel, so the script can only be built for it (add -p4) or run in a VM (add --vm)", release)
	}
	return release, nil
}

// namedRelease is the kernel that -r or the environment names: as a release,
// or by its build tree.
func (o *options) namedRelease() (string, error) {
	name := o.release
	if name == "" && o.vm == "" {
		name = os.Getenv("SYSTEMTAP_RELEASE")
	}
	if !strings.HasPrefix(name, "/") {
		return name, nil
	}
	// include/config/kernel.release would say what the tree was made of: Debian's doesn't hold the release.
	text, err := os.ReadFile(filepath.Join(name, "include/generated/utsrelease.h"))
	if err != nil {
		return "", errors.Errorf("-r %s: not a kernel's build tree: %v", name, err)
	}
	_, release, _ := strings.Cut(string(text), `UTS_RELEASE "`)
	release, _, _ = strings.Cut(release, `"`)
	known := kernels.Find(release).Build()
	here, _ := filepath.EvalSymlinks(name)
	if there, err := filepath.EvalSymlinks(known); err != nil || here != there {
		return "", errors.Errorf("-r %s: the tree of kernel %s is looked for at %s, which has to lead there", name, release, known)
	}
	return release, nil
}

func runningRelease() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}
