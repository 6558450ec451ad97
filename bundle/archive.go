// SPDX-License-Identifier: GPL-2.0-or-later

package bundle

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pkg/errors"
)

// An Index describes the content of a bundle.
type Index struct {
	Script  string // its name, or the beginning of its text
	Comment string `json:",omitempty"` // that describes its options and arguments as those of a tool
	Gostap  string // the version that made the bundle
	Modules []Module
}

// A Module is the script's module for one kernel.
type Module struct {
	Release string // of the kernel
	BuildID string // of the kernel, in hex; "" if it has none
	Name    string // the module's
	Size    int64  // in bytes
	SHA256  string // in hex
	Signed  bool
}

// A Bundle is a bundle that has been read and verified.
type Bundle struct {
	Path string
	Index
	files *zip.Reader
}

// indexName is the archive's file with the Index as JSON; the modules' files are named by their number.
const indexName = "index.json"

func moduleName(i int) string { return fmt.Sprintf("%d.ko", i) }

// signatureMark is at the end of a signed module: MODULE_SIG_STRING of the kernel's
// include/linux/module_signature.h.
const signatureMark = "~Module signature appended~\n"

// Write writes a bundle of a program, gostap's own or a bundle, and modules: modules[i] is that of
// index.Modules[i], whose Size, SHA256 and Signed it sets. The output is reproducible.
func Write(w io.Writer, program *os.File, index Index, modules [][]byte) error {
	end, err := programSize(program)
	if err != nil {
		return err
	}
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for i, data := range modules {
		sum := sha256.Sum256(data)
		m := &index.Modules[i]
		m.Size, m.SHA256, m.Signed = int64(len(data)), hex.EncodeToString(sum[:]), bytes.HasSuffix(data, []byte(signatureMark))
		if err := add(z, moduleName(i), data); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(index, "", "\t")
	if err != nil {
		return errors.WithStack(err)
	}
	if err := add(z, indexName, text); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return errors.WithStack(err)
	}
	h := header{Size: int64(archive.Len()), Archive: sha256.Sum256(archive.Bytes())}
	copy(h.Magic[:], magic)
	if h.Program, err = sumOf(io.NewSectionReader(program, 0, end)); err != nil {
		return err
	}
	if _, err := io.Copy(w, io.NewSectionReader(program, 0, end)); err != nil {
		return errors.WithStack(err)
	}
	if err := binary.Write(w, binary.LittleEndian, h); err != nil {
		return errors.WithStack(err)
	}
	_, err = w.Write(archive.Bytes())
	return errors.WithStack(err)
}

func add(z *zip.Writer, name string, data []byte) error {
	w, err := z.Create(name)
	if err == nil {
		_, err = w.Write(data)
	}
	return errors.WithStack(err)
}

func sumOf(r io.Reader) (sum [32]byte, err error) {
	h := sha256.New()
	_, err = io.Copy(h, r)
	return [32]byte(h.Sum(nil)), errors.WithStack(err)
}

func (h *header) matches(archive []byte) bool { return sha256.Sum256(archive) == h.Archive }

func sizes(has, want int64) string {
	if has < want {
		return fmt.Sprintf("it is cut off: %d of %d bytes of its modules are there", has, want)
	}
	return fmt.Sprintf("%d bytes stand behind its end", has-want)
}

// unpack reads an archive's index.
func unpack(path string, archive []byte) (*Bundle, error) {
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, &DamagedError{path, err.Error()}
	}
	b := &Bundle{Path: path, files: z}
	text, err := b.file(indexName)
	if err == nil {
		err = json.Unmarshal(text, &b.Index)
	}
	if err != nil {
		return nil, &DamagedError{path, err.Error()}
	}
	return b, nil
}

func (b *Bundle) file(name string) ([]byte, error) {
	f, err := b.files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// Read returns the bytes of the i-th module, which are verified.
func (b *Bundle) Read(i int) ([]byte, error) {
	data, err := b.file(moduleName(i))
	if err != nil {
		return nil, &DamagedError{b.Path, err.Error()}
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != b.Modules[i].SHA256 {
		return nil, &DamagedError{b.Path, "the checksum of the module for " + b.Modules[i].Release + " is wrong"}
	}
	return data, nil
}

// Choose returns the number of the module for a kernel. An empty build-id, on either side, is not
// compared. The error names the kernel, and those for which there are modules.
func (b *Bundle) Choose(release, buildID string) (int, error) {
	var made []string
	other := ""
	for i, m := range b.Modules {
		if m.Release == release && (m.BuildID == buildID || m.BuildID == "" || buildID == "") {
			return i, nil
		}
		if m.Release == release {
			other = m.BuildID
		}
		made = append(made, m.Release)
	}
	if other != "" {
		return 0, errors.Errorf("this kernel is another build of %s, with build-id %s: the module of %s was made for build-id %s", release, buildID, b.Script, other)
	}
	return 0, errors.Errorf("%s has no module for this kernel, %s: it was made for %s", b.Script, release, strings.Join(made, ", "))
}
