// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"io"
	"os"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gostap/elaborate"
	"gostap/tapsets"
	"gostap/translator/syntax"
)

// newProbeCache makes `gostap probe-cache`.
func newProbeCache() *cobra.Command {
	a := &asking{}
	var add []string
	var list, remove bool
	var to, from string
	cmd := &cobra.Command{
		Use:   "probe-cache [OPTION…]",
		Short: "Keep what debuginfo says at probe points, for machines without it",
		Long: `Keeps for a kernel build all that its debuginfo says at probe points, in one small
file: the places, all variables there, and their types. On a machine without that
debuginfo, scripts find it there.

  gostap probe-cache --add 'kernel.statement("*@fs/read_write.c:*")'
  gostap probe-cache --export vfs.probes      and on the other machine
  gostap probe-cache --import vfs.probes

A point is served if it is kept, or asks for no more than one that is kept: so
the above holds all functions of that file with their statements, labels and
variables. Without an option, or with --list, what is kept is listed.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.begin()
			if err != nil {
				return err
			}
			changes := 0
			for _, given := range []bool{len(add) > 0, remove, from != "", to != "", list} {
				if given {
					changes++
				}
			}
			switch {
			case changes > 1:
				return errors.New("probe-cache: --add, --import, --export, --list and --remove go one at a time")
			case len(add) > 0:
				return s.holdPoints(add)
			case from != "":
				points, err := s.target.ImportHeld(from)
				if err != nil {
					return err
				}
				fmt.Printf("kept for kernel %s: %d points\n", s.target.Release, len(points))
				return nil
			case to != "":
				return s.exportHeld(to)
			case remove:
				return s.target.RemoveHeld()
			}
			return s.listHeld(a.format)
		},
	}
	a.flags(cmd)
	f := cmd.Flags()
	f.StringArrayVar(&add, "add", nil, "keep what debuginfo says at probe point `POINT`, too")
	f.BoolVar(&list, "list", false, "list the points that are kept")
	f.StringVar(&to, "export", "", "copy what is kept to `FILE`")
	f.StringVar(&from, "import", "", "keep what another machine has put into `FILE`, instead of what is kept")
	f.BoolVar(&remove, "remove", false, "remove what is kept for the kernel")
	return cmd
}

// holdPoints adds probe points to those that are kept.
func (s *session) holdPoints(add []string) error {
	_, have, err := s.target.Held()
	if err != nil {
		return err
	}
	env := s.env(nil)
	var points []*syntax.ProbePoint
	for _, text := range append(have, add...) {
		list, diags := syntax.ParseProbePoint(text, env)
		if diags.Err() != nil {
			return diags
		}
		points = append(points, list...)
	}
	library, diags := elaborate.LoadLibrary(env, elaborate.Folder{FS: tapsets.FS, Path: libraryPath})
	if err := s.tell(diags); err != nil {
		return err
	}
	if err := s.tell(elaborate.Hold(points, library, s.target)); err != nil {
		return err
	}
	path, now, err := elaborate.NewTarget(s.target.Release, false).Held()
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	fmt.Printf("kept for kernel %s: %d points, %d KiB in %s\n", s.target.Release, len(now), (info.Size()+1023)>>10, path)
	return nil
}

// kept are the points that the probe cache holds for a kernel.
type kept struct {
	Release string   `json:"release"`
	File    string   `json:"file"`
	Points  []string `json:"points"`
}

func (s *session) listHeld(format string) error {
	path, points, err := s.target.Held()
	if err != nil {
		return err
	}
	if path == "" {
		return errors.Errorf("nothing is kept for kernel %s: gostap probe-cache --add POINT", s.target.Release)
	}
	return answer([]kept{{s.target.Release, path, points}}, format, func(w io.Writer, list []kept) {
		for _, point := range list[0].Points {
			fmt.Fprintln(w, point)
		}
	})
}

func (s *session) exportHeld(to string) error {
	path, _, err := s.target.Held()
	if err != nil {
		return err
	}
	if path == "" {
		return errors.Errorf("nothing is kept for kernel %s: gostap probe-cache --add POINT", s.target.Release)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}
