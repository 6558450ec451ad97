// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gostap/internal/cache"
	"gostap/internal/kernels"
)

// ModuleTracepoints returns the tracepoints of all installed modules, by module. The modules are read
// once; the list is valid until depmod writes modules.dep again, as it does whenever modules are
// installed or removed.
func (k *Kernel) ModuleTracepoints() ([]Tracepoint, error) {
	dep := filepath.Join(kernels.Find(k.Release).Modules(), "modules.dep")
	info, err := os.Stat(dep)
	if err != nil {
		return k.readModuleTracepoints() // which says what is missing
	}
	key := sha256.Sum256(fmt.Appendf(nil, "%s %s %d %d", indexMagic, dep, info.Size(), info.ModTime().UnixNano()))
	path := cache.Path("modules", hex.EncodeToString(key[:12]), "all")
	if data, err := cache.Map(path); err == nil {
		return parseModuleTracepoints(data)
	}
	list, err := k.readModuleTracepoints()
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	for _, t := range list {
		fmt.Fprintf(&text, "%s %s %s\n", t.Module, t.System, t.Name)
	}
	return list, cache.Write(path, []byte(text.String()))
}

// readModuleTracepoints reads all modules.
func (k *Kernel) readModuleTracepoints() (all []Tracepoint, err error) {
	tree, err := k.Modules()
	if err != nil {
		return nil, err
	}
	names := tree.Glob("*")
	if err := tree.Read(names); err != nil {
		return nil, err
	}
	for _, name := range names {
		m, err := locateModule(tree[name])
		if err != nil {
			return nil, err
		}
		list, err := m.Tracepoints()
		if err != nil {
			return nil, err
		}
		for _, t := range list {
			all = append(all, Tracepoint{Module: t.Module, System: t.System, Name: t.Name})
		}
	}
	return all, nil
}

func parseModuleTracepoints(data []byte) (list []Tracepoint, _ error) {
	for line := range strings.Lines(string(data)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), " ")
		if len(fields) != 3 {
			return nil, errIndex
		}
		list = append(list, Tracepoint{Module: fields[0], System: fields[1], Name: fields[2]})
	}
	return list, nil
}
