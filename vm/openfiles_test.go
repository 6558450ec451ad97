// SPDX-License-Identifier: GPL-2.0-or-later

package vm

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// children returns this process's children whose names begin with prefix.
func children(prefix string) (pids []int) {
	files, _ := filepath.Glob("/proc/self/task/*/children")
	for _, file := range files {
		list, _ := os.ReadFile(file)
		for _, pid := range strings.Fields(string(list)) {
			if name, _ := os.ReadFile("/proc/" + pid + "/comm"); strings.HasPrefix(string(name), prefix) {
				number, _ := strconv.Atoi(pid)
				pids = append(pids, number)
			}
		}
	}
	return pids
}

// limitOnOutput reduces the number of files that virtiofsd may open at the first output.
type limitOnOutput struct {
	bytes.Buffer
	files uint64
	err   error
}

func (w *limitOnOutput) Write(p []byte) (int, error) {
	if w.Len() == 0 {
		for _, pid := range children("virtiofsd") {
			w.err = unix.Prlimit(pid, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: w.files, Max: w.files}, nil)
		}
	}
	return w.Buffer.Write(p)
}

// A guest can access more files than virtiofsd may have open, and reads some of them.
func TestManyFiles(t *testing.T) {
	oneRelease(t, func(t *testing.T, release string) {
		const folders, each, most = 5, 250, 800
		dir := t.TempDir()
		for i := range folders {
			sub := filepath.Join(dir, fmt.Sprint(i))
			if err := os.Mkdir(sub, 0o755); err != nil {
				t.Fatal(err)
			}
			for k := range each {
				if err := os.WriteFile(filepath.Join(sub, fmt.Sprint(k)), []byte("text\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		often := defaultPatience
		often.tick = 100 * time.Millisecond
		w := &limitOnOutput{files: most}
		r := run(t, Config{Release: release, Stdout: w, patience: often}, "sh", "-c",
			`echo ready; sleep 1; for d in "$1"/*; do cat "$d"/* | wc -l; sleep 0.2; done`, "sh", dir)
		if want := "ready\n" + strings.Repeat(fmt.Sprintln(each), folders); w.err != nil || r.err != nil || r.stderr != "" || w.String() != want {
			t.Errorf("limit: %v, error: %v\nstdout:\n%sstderr:\n%.1000s", w.err, r.err, w.String(), r.stderr)
		}
	})
}
