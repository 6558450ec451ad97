// SPDX-License-Identifier: GPL-2.0-or-later

package tools

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFindContainer(t *testing.T) {
	root := t.TempDir()
	ids := []string{"0123456789abcdef0123", "0123999999abcdef0123", "fedcba9876543210fedc"}
	folders := []string{"docker/" + ids[0], "system.slice/docker-" + ids[1] + ".scope", "kubepods.slice/kubepods-pod1.slice/cri-containerd-" + ids[2] + ".scope"}
	for _, dir := range append(folders, "system.slice/sshd.service", folders[0]+"/init") {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for i, id := range ids {
		for _, given := range []string{id, id[:6]} {
			if got, err := findContainer(root, given); err != nil || got != filepath.Join(root, folders[i]) {
				t.Errorf("%s: %s, %v", given, got, err)
			}
		}
	}
	for given, want := range map[string]string{"0123": "several containers", "": "no container", "abcdef": "no container", "sshd": "no container", "init": "no container"} {
		if got, err := findContainer(root, given); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %s, %v", given, got, err)
		}
	}
}

func TestCgroupID(t *testing.T) {
	for path, want := range map[string]string{"/nonexistent": "no such file", t.TempDir(): "no cgroup"} {
		if got, err := cgroupID(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, %v", path, got, err)
		}
	}
}
