// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"gostap/bundle"
	"gostap/internal/buildid"
	"gostap/tools"
)

// newBundled makes the command of a program that gostap bundle has made.
func newBundled(b *bundle.Bundle) (*cobra.Command, error) {
	r := &moduleRun{}
	r.bundled = true
	var check bool
	script, err := tools.Of(b.Comment, filepath.Base(b.Path))
	if err != nil {
		return nil, err
	}
	cmd := &cobra.Command{
		Use:           filepath.Base(b.Path),
		Version:       fmt.Sprintf("%s, in a bundle of gostap %s", b.Script, b.Gostap),
		Short:         "Run " + b.Script,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if script == nil && len(args) > 0 {
				return errors.Errorf("%s is one too many: %s has the arguments that gostap bundle was given (see %s --help)", args[0], b.Script, cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if check {
				return checkBundle(os.Stdout, b.Path)
			}
			if script != nil {
				given, err := script.Parse(args)
				switch {
				case err != nil:
					return err
				case given.Help:
					return cmd.Help()
				}
				r.globals = append(r.globals, given.Globals...)
			}
			notes, _ := os.ReadFile("/sys/kernel/notes")
			i, err := b.Choose(runningRelease(), buildid.Find(notes))
			if err != nil {
				return err
			}
			path, err := inMemory(b, i)
			if err != nil {
				return err
			}
			if r.script == "" {
				r.script = b.Script
			}
			return r.execute(cmd.Context(), path)
		},
	}
	cmd.SetVersionTemplate("{{.Version}}\n")
	cmd.SetHelpFunc(func(c *cobra.Command, _ []string) {
		if c != cmd {
			commandHelp(c)
			return
		}
		w := c.OutOrStdout()
		fmt.Fprintf(w, "This is %s as one program, for the kernels\n", b.Script)
		for _, m := range b.Modules {
			fmt.Fprintf(w, "  %s\n", m.Release)
		}
		own := ""
		if script != nil {
			own = strings.TrimPrefix(script.Usage(), script.Name)
		}
		if own != "" {
			own = " [--" + own + "]"
		}
		fmt.Fprintf(w, "\nUsage:\n  %[1]s [OPTION…]%[2]s\n  %[1]s list | attach | stop | merge …\n\n", b.Path, own)
		if own != "" {
			fmt.Fprintf(w, "%s, behind --:\n%s\n", script.Name, script.Values())
		}
		fmt.Fprintln(w, "Options:")
		flagUsages(w, c.LocalFlags())
	})
	r.flags(cmd.Flags())
	cmd.Flags().BoolVar(&check, "check", false, "verify this file, and list what is in it")
	cmd.CompletionOptions.DisableDefaultCmd = true
	cmd.SetHelpCommand(&cobra.Command{Hidden: true, Use: "no-help"})
	cmd.SetFlagErrorFunc(flagError)
	cmd.AddCommand(newList(), newAttach(), newStop(), newMerge())
	return cmd, nil
}

// inMemory writes a module to a memory file, and returns its path in /proc/self/fd.
func inMemory(b *bundle.Bundle, i int) (string, error) {
	data, err := b.Read(i)
	if err != nil {
		return "", err
	}
	fd, err := unix.MemfdCreate(b.Modules[i].Name, unix.MFD_CLOEXEC)
	if err != nil {
		return "", errors.Wrap(err, "memfd_create")
	}
	f := os.NewFile(uintptr(fd), b.Modules[i].Name)
	path := fmt.Sprintf("/proc/self/fd/%d", fd)
	if _, err := f.Write(data); err != nil {
		return "", errors.WithStack(err)
	}
	memoryFiles = append(memoryFiles, f)
	return path, nil
}

// memoryFiles keeps the files open for the life of the process: the garbage collector would close them.
var memoryFiles []*os.File
