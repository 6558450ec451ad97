// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gostap/elaborate/image"
	"gostap/elaborate/library"
	"gostap/internal/cache"
	"gostap/lsp"
	"gostap/translator/check"
	"gostap/translator/syntax"
)

func newLSP() *cobra.Command {
	q := &queryOptions{}
	cmd := &cobra.Command{
		Use:   "lsp [-g] [-r RELEASE] [-I DIR]",
		Short: "Serve an editor, by the Language Server Protocol",
		Long: `lsp is started by editors: it reads the Language Server Protocol from standard
input and answers on standard output. It says what passes 1 and 2 say of a script
while it is written, completes probe points, functions, target variables and
the members of structs as RELEASE has them, says what a word means and where it
is declared, renames, formats, folds and outlines.`,
		DisableFlagsInUseLine: true,
		Args:                  takes(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			q.format = "json"
			inv, err := q.prepare()
			if err != nil {
				return err
			}
			env := inv.env(formatEnv().Args)
			orderly := lsp.Serve(cmd.Context(), lsp.Config{
				Env: env,
				Library: func() *library.Library {
					lib, _ := library.Open(env, inv.folders()...)
					for _, src := range argumentFiles(env.Args) {
						lib.Add(src, env)
					}
					return lib
				},
				Target:  func() *image.Target { return image.NewTarget(inv.target.Release, inv.guru) },
				Check:   check.Options{Guru: inv.guru, Compatible: inv.compatible, Builtin: isBuiltin},
				Version: version,
				File:    tapsetFile,
			}, os.Stdin, os.Stdout)
			if !orderly {
				return errors.New("lsp: the editor went away without a shutdown")
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVarP(&q.release, "release", "r", "", "scripts are for kernel `RELEASE` (default: the running kernel)")
	f.BoolVarP(&q.guru, "guru", "g", false, "scripts are run with -g")
	f.VarP((*texts)(&q.includes), "include", "I", "scripts use the tapsets in `DIR`, too")
	q.runtime, q.pass, q.compatible = "kernel", 2, language
	return cmd
}

// tapsetFile returns the file that a tapset's text is in; gostap's own are written to the cache.
func tapsetFile(src *syntax.Source) (string, error) {
	name, own := strings.CutPrefix(src.Path, libraryPath+"/")
	if !own {
		return filepath.Abs(src.Path)
	}
	file, err := cache.Open(cache.Path("tapsets", programVersion(), name), func() ([]byte, error) { return src.Text, nil })
	if err != nil {
		return "", err
	}
	return file.Name(), file.Close()
}
