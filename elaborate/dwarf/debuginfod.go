// SPDX-License-Identifier: GPL-2.0-or-later

package dwarf

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/pkg/errors"

	"gostap/internal/cache"
)

// ServersFromEnv returns the debuginfod servers that the user names.
func ServersFromEnv() []string { return strings.Fields(os.Getenv("DEBUGINFOD_URLS")) }

// fetch downloads the debuginfo of a build-id from the debuginfod servers into the
// cache (debuginfod(8): GET /buildid/ID/debuginfo).
func (f *Finder) fetch(buildID string) (string, error) {
	if f.Cache == "" || len(buildID) < 16 {
		return "", ErrNone
	}
	path := filepath.Join(f.Cache, buildID, "debuginfo")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	var last error = ErrNone
	for _, url := range f.URLs {
		err := download(strings.TrimRight(url, "/")+"/buildid/"+buildID+"/debuginfo", path)
		if err == nil {
			id, _, has, err := inspect(path)
			if err == nil && id == buildID && has {
				return path, nil
			}
			os.Remove(path)
			return "", errors.Errorf("debuginfod server %s sent something else than the debuginfo of %s", url, buildID)
		}
		if !errors.Is(err, ErrNone) {
			last = errors.Wrap(err, "debuginfod (DEBUGINFOD_URLS)")
		}
	}
	return "", last
}

// quiet is how long a server may send nothing: $DEBUGINFOD_TIMEOUT, else 90 s.
func quiet() time.Duration {
	if n, err := strconv.Atoi(os.Getenv("DEBUGINFOD_TIMEOUT")); err == nil && n > 0 {
		return time.Duration(n) * time.Second
	}
	return 90 * time.Second
}

// download writes the content of url to the file path; ErrNone if there is none.
func download(url, path string) error {
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, ResponseHeaderTimeout: quiet()}}
	response, err := client.Get(url)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound:
		return ErrNone
	default:
		return errors.Errorf("%s: %s", url, response.Status)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer cache.Temporary(part.Name())()
	// The timeout also applies to pauses during the download.
	watch := time.AfterFunc(quiet(), func() { response.Body.Close() })
	defer watch.Stop()
	_, err = io.Copy(part, readerFunc(func(p []byte) (int, error) {
		watch.Reset(quiet())
		return response.Body.Read(p)
	}))
	if cerr := part.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("%s: %w", url, err)
	}
	if err := os.Chmod(part.Name(), 0o644); err != nil {
		return err
	}
	return os.Rename(part.Name(), path)
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
