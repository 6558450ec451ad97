// SPDX-License-Identifier: GPL-2.0-or-later

package tools

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"
)

// hierarchies are the mount points of the unified hierarchy of cgroups: the second is used if version 1
// is mounted, too.
var hierarchies = []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}

// hierarchy returns the mount point of the unified hierarchy.
func hierarchy() (string, error) {
	for _, dir := range hierarchies {
		var s unix.Statfs_t
		if err := unix.Statfs(dir, &s); err == nil && s.Type == unix.CGROUP2_SUPER_MAGIC {
			return dir, nil
		}
	}
	return "", errors.Errorf("no unified hierarchy of cgroups (cgroup2) is at %s", strings.Join(hierarchies, " or "))
}

// cgroupID returns the id of the cgroup of a folder, whose path may be relative to the root of the
// hierarchy: the folder's inode number.
func cgroupID(path string) (string, error) {
	if !filepath.IsAbs(path) {
		root, err := hierarchy()
		if err != nil {
			return "", err
		}
		path = filepath.Join(root, path)
	}
	var fsys unix.Statfs_t
	if err := unix.Statfs(path, &fsys); err != nil {
		return "", errors.Errorf("%s: %v", path, err)
	}
	if fsys.Type != unix.CGROUP2_SUPER_MAGIC {
		return "", errors.Errorf("%s is no cgroup of the unified hierarchy (cgroup2)", path)
	}
	return inode(path)
}

func inode(path string) (string, error) {
	var s unix.Stat_t
	if err := unix.Stat(path, &s); err != nil {
		return "", errors.Errorf("%s: %v", path, err)
	}
	if s.Mode&unix.S_IFMT != unix.S_IFDIR {
		return "", errors.Errorf("%s is no folder", path)
	}
	return strconv.FormatUint(s.Ino, 10), nil
}

// containerID returns the id of the cgroup of a container.
func containerID(id string) (string, error) {
	root, err := hierarchy()
	if err != nil {
		return "", err
	}
	path, err := findContainer(root, id)
	if err != nil {
		return "", err
	}
	return inode(path)
}

// findContainer returns the folder of a container below the root of the hierarchy: its name is the
// container's id, as in "docker/ID", or has the id between the engine's name and a suffix, as in
// "docker-ID.scope" or "cri-containerd-ID.scope".
func findContainer(root, id string) (string, error) {
	var found []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && os.IsNotExist(err): // it has just ended
			return nil
		case err != nil:
			return err
		case !d.IsDir() || path == root:
			return nil
		}
		name := strings.TrimSuffix(d.Name(), ".scope")
		name = name[strings.LastIndex(name, "-")+1:]
		if !strings.HasPrefix(name, id) || len(name) < 12 || strings.Trim(name, "0123456789abcdef") != "" {
			return nil
		}
		found = append(found, path)
		return filepath.SkipDir
	})
	switch {
	case err != nil:
		return "", errors.Errorf("%s: %v", root, err)
	case id == "" || len(found) == 0:
		return "", errors.Errorf("%q is no container that has a cgroup below %s", id, root)
	case len(found) > 1:
		return "", errors.Errorf("%q is the beginning of several containers: %s", id, strings.Join(found, ", "))
	}
	return found[0], nil
}
