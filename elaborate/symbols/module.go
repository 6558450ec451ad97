// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"

	"github.com/pkg/errors"
	"golang.org/x/sync/errgroup"

	"gostap/internal/buildid"
	"gostap/internal/cache"
	"gostap/internal/compress"
	"gostap/internal/distro"
	"gostap/internal/glob"
	"gostap/internal/kernels"
	"gostap/internal/panics"
	"gostap/translator/suggest"
)

// A Module is a kernel module's file, and the functions in it. Their Offsets
// are from the start of their sections.
type Module struct {
	Name string // as lsmod shows it
	Path string
	Functions

	dir string
}

// BTFPath returns the file with the module's raw BTF, which refers to that of
// the kernel; "" if it has none.
func (m *Module) BTFPath() string {
	if m.x.btf == 0 {
		return ""
	}
	return filepath.Join(m.dir, "btf")
}

// BuildID returns the module's GNU build-id in hex.
func (m *Module) BuildID() (string, error) {
	id, err := os.ReadFile(filepath.Join(m.dir, buildIDFile))
	if os.IsNotExist(err) {
		return "", errors.Errorf("%s has no build-id", m.Path)
	}
	return string(id), errors.WithStack(err)
}

// buildIDFile is the file with a module's build-id beside the index, as unpacking a
// module may take a tenth of a second.
const buildIDFile = "build-id"

// Tracepoints returns the module's own tracepoints.
func (m *Module) Tracepoints() ([]Tracepoint, error) {
	data, err := cache.Map(filepath.Join(m.dir, tracepointsFile))
	if os.IsNotExist(err) {
		return nil, nil // it has none
	}
	if err != nil {
		return nil, err
	}
	list, err := parseTracepoints(data)
	for i := range list {
		list[i].Module = m.Name
	}
	return list, err
}

// A ModuleTree is a kernel's installed modules: their files by their names.
type ModuleTree map[string]string

// Modules returns the modules that are installed for the kernel.
func (k *Kernel) Modules() (ModuleTree, error) {
	dir := kernels.Find(k.Release).Modules()
	dep, err := os.ReadFile(filepath.Join(dir, "modules.dep"))
	if err != nil {
		missing := &MissingError{What: "no modules of kernel " + k.Release + ": " + err.Error()}
		if install := distro.Here().Image(k.Release); install != "" {
			missing.Install = install + " && depmod " + k.Release
		}
		return nil, missing
	}
	tree := ModuleTree{}
	for line := range strings.Lines(string(dep)) {
		if path, _, ok := strings.Cut(line, ":"); ok {
			tree[ModuleName(path)] = filepath.Join(dir, path)
		}
	}
	return tree, nil
}

// Loaded returns the names of the modules that are loaded: none if the kernel is
// not the running one.
func (k *Kernel) Loaded() []string {
	if k.Release != running() {
		return nil
	}
	list, err := os.ReadFile("/proc/modules")
	if err != nil {
		return nil
	}
	var names []string
	for line := range strings.Lines(string(list)) {
		name, _, _ := strings.Cut(line, " ")
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// Glob returns the names that match pattern, in their order; - and _ are the same.
func (t ModuleTree) Glob(pattern string) []string {
	pattern = strings.ReplaceAll(pattern, "-", "_")
	if strings.Contains(pattern, "[") {
		pattern = strings.ReplaceAll(pattern, "_", "[_-]")
	}
	var names []string
	for name := range t {
		if glob.Match(pattern, name) {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}

// Nearest returns at most n names that name may be a misspelling of.
func (t ModuleTree) Nearest(name string, n int) []string {
	return suggest.Nearest(strings.ReplaceAll(name, "-", "_"), t.Glob("*"), n)
}

// Read reads the modules of these names that are not in the cache yet, on all CPUs;
// each takes some milliseconds.
func (t ModuleTree) Read(names []string) error {
	var group errgroup.Group
	group.SetLimit(runtime.NumCPU())
	for _, name := range names {
		group.Go(func() (err error) {
			defer panics.Catch(&err)
			m, err := locateModule(t[name])
			if err != nil || m.isCached() {
				return err
			}
			return m.fill()
		})
	}
	return panics.Rethrow(group.Wait())
}

// ModuleName turns kernel/fs/fuse/virtio-fs.ko.xz into virtio_fs.
func ModuleName(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	return strings.ReplaceAll(name, "-", "_")
}

// OpenModule reads a module's file: NAME.ko, NAME.ko.xz, NAME.ko.zst or
// NAME.ko.gz. The result is cached until the file changes.
func OpenModule(path string) (*Module, error) {
	m, err := locateModule(path)
	if err != nil {
		return nil, err
	}
	if m.openCached() == nil {
		return m, nil
	}
	if err := m.fill(); err != nil {
		return nil, err
	}
	return m, m.openCached()
}

// locateModule returns a module with its paths only, in the file system and in the cache.
func locateModule(path string) (*Module, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	key := sha256.Sum256(fmt.Appendf(nil, "%s %s %d %d", indexMagic, path, info.Size(), info.ModTime().UnixNano()))
	return &Module{Name: ModuleName(path), Path: path, dir: cache.Path("modules", hex.EncodeToString(key[:12]))}, nil
}

// fill reads the file and writes its data to the cache.
func (m *Module) fill() error {
	file, err := readModule(m.Path)
	if err == nil {
		err = m.write(file)
	}
	return errors.Wrap(err, m.Path)
}

// symbolsPath is the file of the cache that is written last.
func (m *Module) symbolsPath() string { return filepath.Join(m.dir, "symbols") }

func (m *Module) isCached() bool {
	_, err := os.Stat(m.symbolsPath())
	return err == nil
}

func (m *Module) openCached() error {
	data, err := cache.Map(m.symbolsPath())
	if err != nil {
		return err
	}
	m.x, err = openIndex(data)
	return err
}

// write writes the file's data to the cache, the index last.
func (m *Module) write(file []byte) error {
	f, err := parseModule(file)
	if err != nil {
		return err
	}
	if btf := f.data(".BTF"); len(btf) > 0 {
		if err := cache.Write(filepath.Join(m.dir, "btf"), btf); err != nil {
			return err
		}
	}
	if list := f.tracepoints(); len(list) > 0 {
		if err := cache.Write(filepath.Join(m.dir, tracepointsFile), encodeTracepoints(list, 0)); err != nil {
			return err
		}
	}
	if id := buildid.Find(f.data(".note.gnu.build-id")); id != "" {
		if err := cache.Write(filepath.Join(m.dir, buildIDFile), []byte(id)); err != nil {
			return err
		}
	}
	functions := f.functions()
	sortFuncs(functions)
	return cache.Write(m.symbolsPath(), encodeIndex(functions, 0, len(f.data(".BTF"))))
}

// readModule returns the file's content, unpacked.
func readModule(path string) ([]byte, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	data, err := compress.Decompress(file)
	if err == compress.ErrFormat {
		err = errors.New("no kernel module")
	}
	return data, err
}
