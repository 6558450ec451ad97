// SPDX-License-Identifier: GPL-2.0-or-later

// Package language_test runs scripts through all passes on the host runtime,
// with AddressSanitizer and UBSan, and compares what they print with what the
// language reference and stap(1) say that they print. The scripts stand in
// *.txt, in the order of the language reference; see testCase for their form.
//
//	go test ./tests/language                          all of them
//	go test ./tests/language -run 'Language/07'       one file's
//	go test ./tests/language -run 'Language/.*/wrap'  by a case's name
package language_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"gostap/consumer"
	"gostap/elaborate"
	modulebuild "gostap/module-build"
	"gostap/tapsets"
	"gostap/translator/check"
	"gostap/translator/emit"
	"gostap/translator/syntax"
)

func TestMain(m *testing.M) {
	linkFast()
	cache := ownCache()
	began := time.Now()
	m.Run()
	if f := flag.Lookup("test.run"); f != nil && f.Value.String() == "" {
		prune(filepath.Join(cache, "program"), began)
	}
}

// linkFast has gcc link with gold where that is installed: it takes a quarter
// of the time that the ordinary linker takes for a program with sanitizers.
func linkFast() {
	gold, err := exec.LookPath("ld.gold")
	if err != nil {
		return
	}
	dir := filepath.Join(os.TempDir(), "gostap-language-ld")
	os.Mkdir(dir, 0o755)
	os.Symlink(gold, filepath.Join(dir, "ld"))
	os.Setenv("COMPILER_PATH", dir)
}

// ownCache keeps the programs apart from those of gostap's users.
func ownCache() string {
	dir := os.Getenv("GOSTAP_CACHE")
	if dir == "" {
		if user, err := os.UserCacheDir(); err == nil {
			dir = filepath.Join(user, "gostap-language")
			os.Setenv("GOSTAP_CACHE", dir)
		}
	}
	return dir
}

// used are the folders of the programs that were run.
var used sync.Map

// prune deletes the programs that have not been used since all of the suite began.
func prune(dir string, began time.Time) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		_, isUsed := used.Load(path)
		if info, err := e.Info(); !isUsed && err == nil && info.ModTime().Before(began) {
			os.RemoveAll(path)
		}
	}
}

func TestLanguage(t *testing.T) {
	cases := readCases(t)
	byFile := map[string][]*testCase{}
	var files []string
	for _, c := range cases {
		if byFile[c.file] == nil {
			files = append(files, c.file)
		}
		byFile[c.file] = append(byFile[c.file], c)
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			for _, c := range byFile[file] {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					c.run(t)
				})
			}
		})
	}
}

// TestEnough holds the suite to its size.
func TestEnough(t *testing.T) {
	if n := len(readCases(t)); n < 250 {
		t.Errorf("%d cases; there are to be 250 at least", n)
	}
}

// What the scripts' preprocessor is told of the world.
const (
	kernel   = "6.1.0-99-test"
	language = "4.8"
)

func config(name string) string {
	return map[string]string{"CONFIG_SMP": "y", "CONFIG_HZ": "250", "CONFIG_NET_FOO": "m"}[name]
}

// script is what scripts are called in messages.
const script = "test.stp"

const libraryPath = "<tapset>"

func isBuiltin(src *syntax.Source) bool { return strings.HasPrefix(src.Path, libraryPath) }

// A result is what came of a script.
type result struct {
	output, stderr string
	warnings       []string
}

func (c *testCase) run(t *testing.T) {
	got, err := c.passes(t.Context())
	if err != nil {
		t.Fatalf("%s.txt:%d: %v\n\n%s", c.file, c.line, err, c.script)
	}
	if got.output != c.output {
		t.Errorf("%s.txt:%d: the output is\n%s\nand should be\n%s\n", c.file, c.line, show(got.output), show(c.output))
	}
	if wrong := compare(splitLines(got.stderr), c.errors); wrong != "" {
		t.Errorf("%s.txt:%d: at run time: %s\n", c.file, c.line, wrong)
	}
	if c.warnings != nil {
		if wrong := compare(got.warnings, c.warnings); wrong != "" {
			t.Errorf("%s.txt:%d: warnings: %s\n", c.file, c.line, wrong)
		}
	}
}

// passes does what gostap --runtime=host does.
func (c *testCase) passes(ctx context.Context) (*result, error) {
	opts, err := c.parseOptions()
	if err != nil {
		return nil, err
	}
	env := &syntax.Env{
		KernelVR: kernel, Arch: "x86_64", Runtime: "host", Guru: opts.guru,
		Privilege: "stapdev", StapVersion: language, Config: config, Args: c.args,
	}
	folders := []elaborate.Folder{{FS: tapsets.FS, Path: libraryPath}}
	if len(c.files) > 0 {
		own := fstest.MapFS{}
		for name, text := range c.files {
			own[name] = &fstest.MapFile{Data: []byte(text)}
		}
		folders = append(folders, elaborate.Folder{FS: own, Path: "tapset"})
	}
	all := syntax.Diagnostics{}
	library, diags := elaborate.LoadLibrary(env, folders...)
	all = append(all, diags...)
	file, diags := syntax.Parse(&syntax.Source{Path: script, Text: []byte(c.script)}, env)
	if all = append(all, diags...); all.Err() != nil {
		return nil, all
	}
	elaborated, diags := elaborate.Elaborate([]*syntax.File{file}, library, elaborate.NewTarget("", opts.guru))
	if all = append(all, diags...); all.Err() != nil {
		return nil, all
	}
	program, diags := check.Check(elaborated, check.Options{
		Guru: opts.guru, Unoptimized: opts.plain, Builtin: isBuiltin, Functions: library.FunctionNames(),
	})
	if all = append(all, diags...); all.Err() != nil {
		return nil, all
	}
	out, err := emit.Emit(program, emit.Options{Limits: opts.limits})
	if err != nil {
		return nil, err
	}
	manifest, err := emit.ManifestC(&out.Manifest)
	if err != nil {
		return nil, err
	}
	slots <- struct{}{}
	built, err := modulebuild.BuildHost(ctx, modulebuild.HostRequest{
		C:            append(out.C, manifest...),
		Embedded:     out.EmbeddedC,
		Library:      libraryC(library),
		MaxStringLen: int(opts.limits.MaxStringLen),
		Sanitize:     true,
	})
	<-slots
	if err != nil {
		return nil, err
	}
	used.Store(filepath.Dir(built.Path), true)
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	var output, stderr bytes.Buffer
	_, err = consumer.RunHost(ctx, consumer.Config{
		Module: built.Path, Globals: opts.globals, Output: &output, Stderr: &stderr, Timeout: 10 * time.Second,
	})
	if err != nil {
		return nil, fmt.Errorf("%v\n%s", err, &stderr)
	}
	r := &result{output: output.String(), stderr: stderr.String()}
	for _, d := range all {
		r.warnings = append(r.warnings, d.Error())
	}
	return r, nil
}

// slots holds as many builds back as are more than the machine has processors for.
var slots = make(chan struct{}, 2)

// libraryC is the embedded library's C, which is the same in all cases.
func libraryC(library *elaborate.Library) []byte {
	libraryOnce.Do(func() {
		var files []*syntax.File
		for _, f := range library.Files() {
			if isBuiltin(f.Source) {
				files = append(files, f)
			}
		}
		libraryText = emit.Library(check.Builtins(files))
	})
	return libraryText
}

var (
	libraryOnce sync.Once
	libraryText []byte
)

type options struct {
	guru, plain bool
	globals     []string
	limits      emit.Limits
}

func (c *testCase) parseOptions() (*options, error) {
	o := &options{limits: emit.DefaultLimits()}
	for i := 0; i < len(c.options); i++ {
		switch flag := c.options[i]; {
		case flag == "-g":
			o.guru = true
		case flag == "-u":
			o.plain = true
		case flag == "-G" && i+1 < len(c.options):
			i++
			o.globals = append(o.globals, c.options[i])
		case flag == "-D" && i+1 < len(c.options):
			i++
			name, value, _ := strings.Cut(c.options[i], "=")
			known, err := o.limits.Set(name, value)
			if err != nil {
				return nil, err
			}
			if !known {
				return nil, fmt.Errorf("-D %s: no such limit", name)
			}
		default:
			return nil, fmt.Errorf("unknown option %s", flag)
		}
	}
	return o, nil
}

// compare holds lines against regular expressions, which have to match whole lines.
func compare(lines, patterns []string) string {
	ok := slices.EqualFunc(lines, patterns, func(line, pattern string) bool {
		re, err := regexp.Compile("^(?:" + pattern + ")$")
		return err == nil && re.MatchString(line)
	})
	if ok {
		return ""
	}
	return fmt.Sprintf("got\n%s\nand should be\n%s", show(strings.Join(lines, "\n")), show(strings.Join(patterns, "\n")))
}

func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// show indents a text, and quotes it where it holds what does not show.
func show(text string) string {
	if text == "" {
		return "    (nothing)"
	}
	var b strings.Builder
	for _, line := range strings.SplitAfter(text, "\n") {
		if line == "" {
			continue
		}
		if strings.ContainsFunc(strings.TrimSuffix(line, "\n"), func(r rune) bool { return r < ' ' || r == 0xfffd }) {
			line = fmt.Sprintf("%q\n", line)
		}
		b.WriteString("    " + line)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
