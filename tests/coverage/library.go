// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"text/tabwriter"
)

// contexts are probes that a function may be called in; the first one that works counts.
var contexts = []string{
	`probe begin { %s println() }`,
	`probe kernel.function("vfs_read") { %s println() }`,
	`probe kernel.function("vfs_read").return { %s println() }`,
	`probe error { %s println() }`,
}

var signature = regexp.MustCompile(`^(\w+)(?::(\w+))?\s*\((.*)\)$`)

// library prints a table of the tapset reference's functions and aliases that gostap has.
func (a asker) library(man string, releases []string) error {
	functions, err := readPages(man, "function")
	if err != nil {
		return err
	}
	aliases, err := readPages(man, "probe")
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "kernel\tfunctions\taliases\tvariables")
	for _, release := range releases {
		f := a.functions(release, functions)
		p := a.aliases(release, aliases)
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", release, f, p[0], p[1])
	}
	return table.Flush()
}

// A share is the number of existing items out of all.
type share struct{ there, all int }

func (s share) String() string { return fmt.Sprintf("%d/%d", s.there, s.all) }

// functions tests each function with each of its documented signatures.
func (a asker) functions(release string, pages []page) share {
	pages = filter(pages, a.wants)
	why := each(pages, func(p page) string { return a.function(release, p) })
	s := share{all: len(pages)}
	var failed [][2]string
	for i, p := range pages {
		if why[i] == "" {
			s.there++
		} else {
			failed = append(failed, [2]string{p.name, why[i]})
		}
	}
	a.list("function", release, failed)
	return s
}

func filter(pages []page, wants func(string) bool) []page {
	var kept []page
	for _, p := range pages {
		if wants(p.name) {
			kept = append(kept, p)
		}
	}
	return kept
}

// function returns why a function can't be called by one of its signatures, "" if it can.
func (a asker) function(release string, p page) string {
	for _, text := range p.synopsis {
		var first string
		ok := false
		for _, call := range calls(text) {
			for _, context := range contexts {
				why := a.elaborates(release, fmt.Sprintf(context, call))
				if why == "" {
					ok = true
					break
				}
				if first == "" {
					first = why
				}
				if strings.Contains(why, "unknown function") {
					break
				}
			}
			if ok {
				break
			}
		}
		if !ok {
			return first
		}
	}
	return ""
}

// calls returns the calls for a signature: a parameter without a type may be a number or a string.
func calls(text string) []string {
	m := signature.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	list := []string{""}
	for param := range strings.SplitSeq(m[3], ",") {
		name, kind, _ := strings.Cut(strings.TrimSpace(param), ":")
		var values []string
		switch {
		case name == "":
			values = []string{""}
		case kind == "long":
			values = []string{"1"}
		case kind == "string":
			values = []string{`"a"`}
		default:
			values = []string{`"a"`, "1"}
		}
		var longer []string
		for _, head := range list {
			for _, v := range values {
				longer = append(longer, strings.TrimPrefix(head+", "+v, ", "))
			}
		}
		list = longer
	}
	var spelled []string
	for _, args := range list {
		call := m[1] + "(" + args + ")"
		if m[2] != "" {
			spelled = append(spelled, "print("+call+")") // otherwise pass 2 may drop the call
		}
		spelled = append(spelled, call)
	}
	return spelled
}

// aliases tests each alias, alone and with each of its variables.
func (a asker) aliases(release string, pages []page) [2]share {
	pages = filter(pages, func(name string) bool { return a.wants(name) && !ofTools(name) })
	type answer struct {
		why     string
		missing [][2]string
	}
	answers := each(pages, func(p page) answer {
		var found answer
		if found.why = a.elaborates(release, probe(p.name, nil)); found.why != "" {
			return found
		}
		if len(p.values) == 0 || a.elaborates(release, probe(p.name, p.values)) == "" {
			return found
		}
		for _, v := range p.values {
			if why := a.elaborates(release, probe(p.name, []string{v})); why != "" {
				found.missing = append(found.missing, [2]string{p.name + " " + v, why})
			}
		}
		return found
	})
	var points, values share
	var failed [][2]string
	for i, p := range pages {
		points.all++
		values.all += len(p.values)
		if answers[i].why != "" {
			failed = append(failed, [2]string{p.name, answers[i].why})
			continue
		}
		points.there++
		values.there += len(p.values) - len(answers[i].missing)
		failed = append(failed, answers[i].missing...)
	}
	a.list("probe", release, failed)
	return [2]share{points, values}
}

// ofTools reports whether an alias is for SystemTap's own programs, which users of gostap do not have.
func ofTools(name string) bool {
	tool, _, _ := strings.Cut(name, ".")
	return tool == "stap" || tool == "stapio" || tool == "staprun"
}

// probe returns the text of a probe that reads variables.
func probe(name string, values []string) string {
	script := "probe " + name + " { "
	for _, v := range values {
		script += "print(" + v + ") "
	}
	return script + "}"
}
