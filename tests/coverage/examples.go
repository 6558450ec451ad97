// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// An example is one of SystemTap's examples, from its .meta file.
type example struct {
	name    string // "io/iotop"
	dir     string
	check   string // the shell command that builds it, test_check
	install string // the command that runs it, test_installcheck; "" for none
}

// examples prints how many of the examples build.
func (a asker) examples(folder string, releases []string) error {
	list, bin, err := a.prepare(folder)
	if err != nil {
		return err
	}
	defer os.RemoveAll(bin)
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "kernel\texamples that build\tmedian time")
	for _, release := range releases {
		var failed [][2]string
		var took []time.Duration
		answers := each(list, func(e example) answer { return a.build(e, bin, release) })
		for i, e := range list {
			if answers[i].why != "" {
				failed = append(failed, [2]string{e.name, answers[i].why})
			} else {
				took = append(took, answers[i].took)
			}
		}
		a.list("example", release, failed)
		slices.Sort(took)
		median := "-"
		if len(took) > 0 {
			median = took[len(took)/2].Round(time.Millisecond).String()
		}
		fmt.Fprintf(table, "%s\t%v\t%s\n", release, share{len(took), len(list)}, median)
	}
	return table.Flush()
}

// prepare reads the selected examples, and makes a folder in which gostap has the name stap.
func (a asker) prepare(folder string) ([]example, string, error) {
	list, err := readExamples(folder)
	if err != nil {
		return nil, "", err
	}
	list = slices.DeleteFunc(list, func(e example) bool { return !a.wants(e.name) })
	bin, err := os.MkdirTemp(filepath.Dir(a.gostap), "coverage") // not in /tmp, which is a different folder in a VM
	if err != nil {
		return nil, "", err
	}
	return list, bin, os.Symlink(a.gostap, filepath.Join(bin, "stap"))
}

// readExamples finds the examples whose .meta has a test_check.
func readExamples(folder string) ([]example, error) {
	var list []example
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".meta") {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		e := example{dir: filepath.Dir(name)}
		e.name, _ = filepath.Rel(folder, strings.TrimSuffix(name, ".meta"))
		for line := range strings.Lines(string(text)) {
			switch key, value, _ := strings.Cut(strings.TrimSpace(line), ": "); key {
			case "test_check":
				e.check = value
			case "test_installcheck":
				e.install = value
			}
		}
		if e.check != "" {
			list = append(list, e)
		}
		return nil
	})
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%s has no examples: install systemtap-doc", folder)
	}
	return list, err
}

// An answer is the error of building an example, "" if there is none, and the time that it took.
type answer struct {
	why  string
	took time.Duration
}

// build runs an example's test_check for a kernel with the stap in bin.
func (a asker) build(e example, bin, release string) answer {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", e.check)
	cmd.Dir = e.dir
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "SYSTEMTAP_RELEASE="+release)
	cmd.Env = append(cmd.Env, a.env...)
	start := time.Now()
	why := complaint(cmd)
	return answer{why, time.Since(start)}
}
