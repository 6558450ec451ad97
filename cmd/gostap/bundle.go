// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gostap/bundle"
	"gostap/consumer"
	"gostap/manifest"
	"gostap/tools"
)

// bundleFlags are the flags of gostap that bundle has, too: those that affect modules.
var bundleFlags = []string{"execute", "output", "extra", "module", "sign", "guru", "include", "define", "suppress-handler-errors",
	"suppress-time-limits", "timing", "verbose", "no-warnings", "color"}

// newBundle makes `gostap bundle`.
func newBundle() *cobra.Command {
	o := &options{bundling: true}
	var releases []string
	var out string
	var check bool
	cmd := &cobra.Command{
		Use:   "bundle [OPTION…] SCRIPT [ARGUMENT…]",
		Short: "Make one program of a script, for machines without gostap",
		Long: `bundle makes FILE, a program that holds the script's modules for some kernels and
all that it takes to run them. It is static, and takes neither gostap nor
compiler, headers or debuginfo: on another machine, with root's rights, it picks
the module for the kernel that runs there, by release and build-id, and refuses
other kernels. It has the options of gostap run, and its commands list, attach,
stop and merge. Behind -- it takes the script's own, if the comment at the
script's beginning describes them as those of a tool: gostap tool show opensnoop.

  gostap bundle -k 6.1.0-44-amd64 -k 6.12.30-amd64 -o reads examples/vfs-reads.stp
  gostap bundle --check reads         verifies it and lists what is in it
  sudo ./reads -c 'make -j4'          there

Lines of the kernel's own code are not known in a bundle's stacks.`,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.args = args
			switch {
			case check && len(args) != 1:
				return errors.New("bundle: --check takes one FILE")
			case check:
				return checkBundle(os.Stdout, args[0])
			case out == "":
				return errors.New("bundle: give the file to be made with -o FILE")
			}
			return o.bundle(cmd.Context(), releases, out)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringSliceVarP(&releases, "kernel", "k", nil, "have a module for kernel `RELEASE` (any number of them; default: the running kernel)")
	f.StringVarP(&out, "output-file", "o", "", "make `FILE`")
	f.BoolVar(&check, "check", false, "verify a FILE that bundle has made, and list what is in it")
	for _, group := range o.flags() {
		for _, name := range bundleFlags {
			if flag := group.flags.Lookup(name); flag != nil {
				f.AddFlag(flag)
			}
		}
	}
	return cmd
}

// bundle builds the script for each kernel, and appends them to this program.
func (o *options) bundle(ctx context.Context, releases []string, out string) error {
	if len(releases) == 0 {
		releases = []string{runningRelease()}
	}
	made, _, _ := strings.Cut(version, ",")
	index := bundle.Index{Gostap: made}
	var modules [][]byte
	for _, release := range releases {
		inv, err := o.buildFor(ctx, release)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(inv.built)
		if err != nil {
			return errors.WithStack(err)
		}
		m, err := consumer.ReadManifest(inv.built)
		if err != nil {
			return err
		}
		id, err := inv.target.BuildID()
		if err != nil {
			return err
		}
		if index.Comment, err = describing(inv, m.Globals); err != nil {
			return err
		}
		index.Script = o.title()
		index.Modules = append(index.Modules, bundle.Module{Release: inv.target.Release, BuildID: id, Name: m.Name})
		modules = append(modules, data)
	}
	program, err := os.Open("/proc/self/exe")
	if err != nil {
		return errors.WithStack(err)
	}
	defer program.Close()
	return writeProgram(out, func(w io.Writer) error { return bundle.Write(w, program, index, modules) })
}

// describing returns the comment that describes the script's options and arguments, "" if there is none.
// They set globals, which must be there.
func describing(inv *invocation, globals []manifest.Global) (string, error) {
	script := string(inv.files[0].Source.Text)
	t, err := tools.Of(script, "")
	if t == nil || err != nil {
		return "", err
	}
	for _, name := range t.Globals() {
		if !slices.ContainsFunc(globals, func(g manifest.Global) bool { return g.Name == name }) {
			return "", errors.Errorf("%s: the comment describes an option or argument that sets the global %s, and there is no number or string of that name", inv.title(), name)
		}
	}
	return tools.Comment(script), nil
}

// buildFor runs passes 1 to 4 for a kernel.
func (o *options) buildFor(ctx context.Context, release string) (*invocation, error) {
	one := *o
	one.pass, one.release = 4, release
	if err := one.check(); err != nil {
		return nil, err
	}
	inv, err := one.newInvocation()
	if err != nil {
		return nil, err
	}
	return inv, inv.runPasses(ctx)
}

// writeProgram writes an executable file atomically.
func writeProgram(path string, write func(io.Writer) error) error {
	tmp := path + ".new"
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o777)
	if err != nil {
		return errors.WithStack(err)
	}
	defer os.Remove(tmp)
	err = write(f)
	if closeErr := f.Close(); err == nil {
		err = errors.WithStack(closeErr)
	}
	if err == nil {
		err = errors.WithStack(os.Rename(tmp, path))
	}
	return err
}

// checkBundle verifies a bundle and each module in it, and lists its content.
func checkBundle(w io.Writer, path string) error {
	b, err := bundle.Open(path)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s: %s, made by gostap %s\n", path, b.Script, b.Gostap)
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for i, m := range b.Modules {
		if _, err := b.Read(i); err != nil {
			return err
		}
		note := "not signed"
		if m.Signed {
			note = "signed"
		}
		fmt.Fprintf(table, "  %s\tbuild-id %s\t%s.ko\t%d bytes\t%s\n", m.Release, m.BuildID, strings.TrimSuffix(m.Name, ".ko"), m.Size, note)
	}
	return table.Flush()
}
