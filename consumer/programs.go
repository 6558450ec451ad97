// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"debug/elf"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gostap/internal/buildid"
	"gostap/manifest"
)

// openPrograms opens the files of the images that are programs or libraries; nil for
// other images and, with a warning, for missing files.
func openPrograms(images []manifest.Image, messages *messenger) ([]*os.File, error) {
	files := make([]*os.File, len(images))
	for i, im := range images {
		if im.Path == "" {
			continue
		}
		var f *os.File
		err := error(fs.ErrNotExist)
		if filepath.IsAbs(im.Path) { // else it is the name of a program that is in no folder of $PATH
			f, err = os.Open(im.Path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			messages.warning("%s does not exist: its probes are left out, but for those of its processes' begin, end, system calls and instructions, which wait for it", im.Path)
			continue
		}
		if err != nil {
			closePrograms(files)
			return nil, errors.WithStack(err)
		}
		files[i] = f
		if id := programBuildID(f); im.BuildID != "" && id != im.BuildID {
			messages.warning("%s has changed since the script was translated (its build-id was %s and is %s): its probes may be in wrong places", im.Path, im.BuildID, id)
		}
	}
	warnReplaced(images, messages)
	return files, nil
}

// warnReplaced warns of processes that run what was at the path of an image before: their file is another one.
func warnReplaced(images []manifest.Image, messages *messenger) {
	links, _ := filepath.Glob("/proc/[0-9]*/exe")
	warned := map[string]bool{}
	for _, link := range links {
		running, _ := os.Readlink(link)
		path, removed := strings.CutSuffix(running, " (deleted)")
		is := func(im manifest.Image) bool { return im.Path == path }
		if removed && !warned[path] && slices.ContainsFunc(images, is) {
			warned[path] = true
			pid := filepath.Base(filepath.Dir(link))
			messages.warning("process %s runs another file that was %s before: it hits probes of process(%s) only", pid, path, pid)
		}
	}
}

// programBuildID returns a file's build-id, "" if it has none.
func programBuildID(f *os.File) string {
	e, err := elf.NewFile(f)
	if err != nil {
		return ""
	}
	id, err := buildid.Of(e)
	if err != nil {
		return ""
	}
	return id
}

func closePrograms(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// descriptors returns the files' descriptors, -1 for nil.
func descriptors(files []*os.File) []int32 {
	list := make([]int32, len(files))
	for i, f := range files {
		list[i] = -1
		if f != nil {
			list[i] = int32(f.Fd())
		}
	}
	return list
}
