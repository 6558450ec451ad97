// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"os"
	"path/filepath"
	"strconv"

	"github.com/pkg/errors"

	"gostap/internal/cache"
	"gostap/internal/vmlinuz"
)

// Lists that only some scripts need are made for the first of these, and cached beside
// the index of functions, as text with an item a line.
const (
	tracepointsFile = "tracepoints"
	objectsFile     = "objects"
)

// extra returns the list of that name.
func (k *Kernel) extra(name string) ([]byte, error) {
	path := filepath.Join(k.dir, name)
	if data, err := cache.Map(path); err == nil {
		return data, nil
	}
	made, err := k.makeExtras()
	if err != nil {
		return nil, err
	}
	for name, text := range made {
		if err := cache.Write(filepath.Join(k.dir, name), text); err != nil {
			return nil, err
		}
	}
	return made[name], nil
}

// makeExtras makes all lists, from the kernel's image or the running kernel.
func (k *Kernel) makeExtras() (map[string][]byte, error) {
	symbols, tracepoints, err := k.imageExtras()
	if err != nil {
		if k.Release != running() {
			return nil, err
		}
		if symbols, tracepoints, err = liveExtras(); err != nil {
			return nil, err
		}
	}
	stext, ok := find(symbols, "_stext")
	if !ok {
		return nil, errors.New("the kernel's symbols have no _stext")
	}
	return map[string][]byte{
		tracepointsFile: encodeTracepoints(tracepoints, stext),
		objectsFile:     encodeObjects(symbols, stext),
	}, nil
}

// image reads the kernel's image, if it is unchanged.
func (k *Kernel) image() (*image, error) {
	if k.im != nil {
		return k.im, nil
	}
	path, _, err := findImage(k.Release)
	if err != nil {
		return nil, err
	}
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	data, err := vmlinuz.Unpack(file)
	if err != nil {
		return nil, errors.Wrap(err, path)
	}
	im, err := parseImage(data)
	if err != nil {
		return nil, errors.Wrap(err, path)
	}
	if id, err := im.buildID(); err != nil || id != k.BuildID {
		return nil, errors.Errorf("%s is another build of the kernel than it was a moment ago", path)
	}
	k.im = im
	return im, nil
}

func (k *Kernel) imageExtras() ([]symbol, []tracepoint, error) {
	im, err := k.image()
	if err != nil {
		return nil, nil, err
	}
	symbols, err := decodeKallsyms(im)
	if err != nil {
		return nil, nil, err
	}
	return symbols, imageTracepoints(im, symbols), nil
}

// liveExtras makes the lists from the running kernel, which takes root.
func liveExtras() ([]symbol, []tracepoint, error) {
	symbols, err := liveSymbols()
	if err != nil {
		return nil, nil, err
	}
	tracepoints, err := liveTracepoints(symbols)
	return symbols, tracepoints, err
}

// parseHex reads a number of one of the lists.
func parseHex(s string) int64 {
	n, _ := strconv.ParseInt(s, 16, 64)
	return n
}
