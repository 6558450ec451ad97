// SPDX-License-Identifier: GPL-2.0-or-later

package fuzz

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"gostap/elaborate/image"
	"gostap/tests/torture/generate"
	"gostap/translator/syntax"
)

// examples are the folders of scripts in Debian's systemtap-doc.
var examples = []string{"/usr/share/systemtap/examples", "/usr/share/doc/systemtap/examples"}

// seeds returns the scripts that are mutated: those of the tests, generated ones, and SystemTap's
// examples if they are installed.
func seeds(t testing.TB) []string {
	t.Helper()
	list := append(found(t), hard...)
	for seed := range uint64(8) {
		list = append(list, generate.New(seed, 1).Text)
	}
	dir := root(t)
	list = append(list, below(t, filepath.Join(dir, "examples"), ".stp", "")...)
	list = append(list, below(t, filepath.Join(dir, "translator"), ".stp", `(?m)^---\n`)...)
	for _, text := range below(t, filepath.Join(dir, "tests/language"), ".txt", `(?m)^=== .*\n`) {
		list = append(list, section.Split(text, 2)[0])
	}
	for _, text := range below(t, filepath.Join(dir, "tests"), ".txtar", "") {
		for _, script := range quoted.FindAllStringSubmatch(text, -1) {
			list = append(list, script[1])
		}
	}
	for _, dir := range append(examples, *others) {
		if _, err := os.Stat(dir); err == nil {
			list = append(list, below(t, dir, ".stp", "")...)
		}
	}
	return slices.DeleteFunc(list, func(text string) bool { return !parses(text) })
}

// parses reports whether pass 1 accepts a script.
func parses(text string) bool {
	in := &input{world: &world{target: image.NewTarget("", true)}, text: text, guru: true}
	env := in.env()
	load(env)
	_, diags := syntax.Parse(&syntax.Source{Path: "seed.stp", Text: []byte(text)}, env)
	return diags.Err() == nil
}

var (
	section = regexp.MustCompile(`(?m)^--- `)
	quoted  = regexp.MustCompile(`-e '([^']*)'`)
)

// found returns the scripts that gostap has failed on.
func found(t testing.TB) []string {
	t.Helper()
	return below(t, "testdata/found", ".stp", "")
}

// below returns the texts of the files below dir, split where the expression part matches.
func below(t testing.TB, dir, ext, part string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ext || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if part == "" {
			list = append(list, string(text))
			return nil
		}
		list = append(list, regexp.MustCompile(part).Split(string(text), -1)...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// hard are scripts that are complicated for passes 2 and 3.
var hard = []string{
	`probe kernel.function("vfs_read") { println($$parms, $file->f_path->dentry->d_name->name$, @defined($count) ? $count : 0) }`,
	`probe kernel.function("vfs_read").return { println($return, @entry($count), $$return, $file->f_inode->i_sb$$) }`,
	`probe a = kernel.function("vfs_read") !, kernel.function("vfs_write") ? { v = @choose_defined($file, $nosuch)->f_pos } probe a { println(v) }`,
	`probe kernel.trace("sched:sched_switch") { println($prev->comm$, $next->pid, $$vars, $$name) }`,
	`probe module("virtio_net").function("*") { println($$parms) } probe kprobe.module("kvm").function("kvm_vcpu_ioctl").return { println(pp()) }`,
	`probe kernel.statement("vfs_read@fs/read_write.c:*") { println($$vars$) } probe kernel.function("vfs_read").callees(2) ? { println($$vars) }`,
	`global on probe kernel.function("vfs_*").call if (on) { on = 0 } probe timer.profile { on = !on } probe kernel.data("jiffies").write { println(@var("jiffies")) }`,
	`probe begin { println(@cast(task_current(), "struct task_struct")->mm->mmap$, @task(task_current())->pid) }`,
	`@define both(a, b) %( (@defined(@a) ? @a : @b) %) probe kernel.function("do_exit").label("out*") ?, kernel.function("vfs_open").inline ?, begin { println(@both($code, @both($x->y, 3))) }`,
}
