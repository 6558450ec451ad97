// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"

	"gostap/elaborate/library"
	"gostap/elaborate/probepoint"
	"gostap/elaborate/probetype"
	"gostap/translator/syntax"
)

// dump prints the lists that --dump-… asks for, as stap does.
func (o *options) dump() error {
	if o.peer.cleanCache {
		cleanCaches()
		return nil
	}
	out := bufio.NewWriter(os.Stdout)
	if o.peer.dumpTypes {
		patterns := probetype.Patterns()
		if o.unprivileged() {
			patterns = probetype.ForUsers(patterns)
		}
		for _, pattern := range patterns {
			fmt.Fprintln(out, pattern)
		}
		return out.Flush()
	}
	inv, err := o.newInvocation()
	if err != nil {
		return err
	}
	library, diags := library.Open(inv.env(nil), inv.folders()...)
	if err := inv.diagnose(diags); err != nil {
		return err
	}
	var lines []string
	for _, file := range library.Files() {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *syntax.AliasDecl:
				if o.peer.dumpAliases && !strings.HasPrefix(d.Name.Components[0].Name, "_") {
					lines = append(lines, aliasLine(d))
				}
			case *syntax.FunctionDecl:
				if o.peer.dumpFunctions && !d.Private && !strings.HasPrefix(d.Name, "_") {
					lines = append(lines, signature(d))
				}
			}
		}
	}
	slices.Sort(lines)
	for _, line := range slices.Compact(lines) {
		fmt.Fprintln(out, line)
	}
	return out.Flush()
}

// aliasLine is an alias with its probe points.
func aliasLine(d *syntax.AliasDecl) string {
	points := make([]string, len(d.Points))
	for i, pt := range d.Points {
		points[i] = probepoint.Spell(pt)
		switch {
		case pt.Sufficient:
			points[i] += "!"
		case pt.Optional:
			points[i] += "?"
		}
	}
	sign := "="
	if d.Epilogue {
		sign = "+="
	}
	return probepoint.Spell(d.Name) + " " + sign + " " + strings.Join(points, ", ")
}

// signature is a function with its types, as far as they are written.
func signature(d *syntax.FunctionDecl) string {
	params := make([]string, len(d.Params))
	for i, p := range d.Params {
		params[i] = p.Name + ":" + typeOr(p.Type)
	}
	return fmt.Sprintf("%s:%s (%s)", d.Name, typeOr(d.Result), strings.Join(params, ", "))
}

func typeOr(t syntax.TypeName) string {
	if t == "" {
		return "unknown"
	}
	return string(t)
}
