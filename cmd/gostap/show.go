// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"os"

	"gostap/translator/check"
	"gostap/translator/syntax"
)

// What -p prints of the last pass.

func (s *session) showTree() error {
	for _, f := range s.files {
		if err := syntax.Print(os.Stdout, f); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) showProgram() error { return check.Dump(os.Stdout, s.program, s.verbosity(2) > 0) }

func (s *session) showC() error {
	_, err := os.Stdout.Write(s.code.C)
	if err == nil && s.code.EmbeddedC != nil {
		_, err = fmt.Printf("\n/* The embedded C, a file of its own: */\n%s", s.code.EmbeddedC)
	}
	return err
}

func (s *session) showPath() error {
	_, err := fmt.Println(s.built)
	return err
}
