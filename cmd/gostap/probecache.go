// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"io"
	"os"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gostap/elaborate/library"
	"gostap/elaborate/probecache"
	"gostap/elaborate/query"
	"gostap/translator/syntax"
)

// newProbeCache makes `gostap probe-cache`.
func newProbeCache() *cobra.Command {
	q := &queryOptions{}
	var add []string
	var list, remove bool
	var to, from string
	cmd := &cobra.Command{
		Use:   "probe-cache [OPTION…]",
		Short: "Keep what debuginfo says at probe points, for machines without it",
		Long: `Keeps for a kernel build all that debuginfo of it and of its modules says at probe
points, in one small file: the places, all variables there, and their types. On a machine without that
debuginfo, scripts find it there.

  gostap probe-cache --add 'kernel.statement("*@fs/read_write.c:*")'
  gostap probe-cache --add 'module("kvm").function("*@kvm_main.c").return'
  gostap probe-cache --export vfs.probes      and on the other machine
  gostap probe-cache --import vfs.probes

A point is served if it is kept, or asks for no more than one that is kept: so
the first holds all functions of that file with their statements, labels and
variables. What is kept of a module serves for the build of it that it was kept
of; a module is named as lsmod does, or by its file. Without an option, or with --list, what is kept is listed.`,
		Args: takes(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			inv, err := q.prepare()
			if err != nil {
				return err
			}
			operations := 0
			for _, given := range []bool{len(add) > 0, remove, from != "", to != "", list} {
				if given {
					operations++
				}
			}
			if operations > 1 {
				return errors.New("probe-cache: --add, --import, --export, --list and --remove go one at a time")
			}
			cache, err := inv.target.ProbeCache()
			if err != nil {
				return err
			}
			switch {
			case len(add) > 0:
				return inv.addPoints(cache, add)
			case from != "":
				list, err := cache.Import(from, inv.target.ModuleBuildID)
				if err != nil {
					return err
				}
				return inv.printSizes(list)
			case to != "":
				return exportCache(cache, to)
			case remove:
				return cache.Remove()
			}
			return inv.listEntries(cache, q.format)
		},
	}
	q.flags(cmd)
	f := cmd.Flags()
	f.Var((*texts)(&add), "add", "keep what debuginfo says at probe point `POINT`, too")
	f.BoolVar(&list, "list", false, "list the points that are kept")
	f.StringVar(&to, "export", "", "copy what is kept to `FILE`")
	f.StringVar(&from, "import", "", "keep what another machine has put into `FILE`, instead of what is kept")
	f.BoolVar(&remove, "remove", false, "remove what is kept for the kernel")
	return cmd
}

// addPoints adds probe points to the cache.
func (inv *invocation) addPoints(cache *probecache.Cache, add []string) error {
	entries, err := cache.Entries()
	if err != nil {
		return err
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Points...)
	}
	env := inv.env(nil)
	var points []*syntax.ProbePoint
	for _, text := range append(all, add...) {
		list, diags := syntax.ParseProbePoint(text, env)
		if diags.Err() != nil {
			return diags
		}
		points = append(points, list...)
	}
	library, diags := library.Open(env, inv.folders()...)
	if err := inv.diagnose(diags); err != nil {
		return err
	}
	if err := inv.diagnose(query.Keep(points, library, inv.target)); err != nil {
		return err
	}
	if entries, err = cache.Entries(); err != nil {
		return err
	}
	return inv.printSizes(entries)
}

// printSizes prints the number of points and the size of each entry.
func (inv *invocation) printSizes(list []probecache.Entry) error {
	for _, h := range list {
		of := ""
		if h.Module != "" {
			of = "module " + h.Module + " of "
		}
		info, err := os.Stat(h.Path)
		if err != nil {
			return err
		}
		fmt.Printf("kept for %skernel %s: %d points, %d KiB in %s\n", of, inv.target.Release, len(h.Points), (info.Size()+1023)>>10, h.Path)
	}
	return nil
}

// cachedPoints are the points of an entry of the probe cache, of a kernel itself or of a module.
type cachedPoints struct {
	Release string   `json:"release"`
	Module  string   `json:"module,omitempty"`
	File    string   `json:"file"`
	Points  []string `json:"points"`
}

func (inv *invocation) listEntries(cache *probecache.Cache, format string) error {
	entries, err := cache.Entries()
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return errors.Errorf("nothing is kept for kernel %s: gostap probe-cache --add POINT", inv.target.Release)
	}
	var list []cachedPoints
	for _, h := range entries {
		list = append(list, cachedPoints{inv.target.Release, h.Module, h.Path, h.Points})
	}
	return printList(list, format, func(w io.Writer, list []cachedPoints) {
		for _, k := range list {
			for _, point := range k.Points {
				fmt.Fprintln(w, point)
			}
		}
	})
}

func exportCache(cache *probecache.Cache, to string) error {
	data, err := cache.Export()
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}
