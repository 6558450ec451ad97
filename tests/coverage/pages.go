// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A page is one manual page of SystemTap's tapset reference, for a function or a probe alias.
type page struct {
	name     string
	synopsis []string // a function's signatures, "user_string:string(addr:long)"
	values   []string // a probe alias' variables
}

var (
	section  = regexp.MustCompile(`(?m)^\.SH "?([A-Z ]+)"?`)
	fonts    = regexp.MustCompile(`\\f[A-Z]`)
	numbered = regexp.MustCompile(`^\d+\) `)
	variable = regexp.MustCompile(`(?m)^\.PP\n\\fI(.*?)\\fR\n\.RS`)
	word     = regexp.MustCompile(`^\$?\w+$`)
)

// readPages reads the pages of one kind, "function" or "probe", in a folder of manual pages
// (systemtap-doc's is /usr/share/man/man3).
func readPages(folder, kind string) ([]page, error) {
	files, err := filepath.Glob(filepath.Join(folder, kind+"::*.3stap.gz"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s has no pages %s::*.3stap.gz: install systemtap-doc", folder, kind)
	}
	var pages []page
	for _, name := range files {
		text, err := gunzip(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		title := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), kind+"::"), ".3stap.gz")
		pages = append(pages, parsePage(title, text))
	}
	return pages, nil
}

func gunzip(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	r, err := gzip.NewReader(file)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(r)
	return string(text), err
}

// parsePage parses the synopsis and variables in a page's troff source.
func parsePage(name, text string) page {
	p := page{name: name}
	heads := section.FindAllStringSubmatchIndex(text, -1)
	for i, head := range heads {
		end := len(text)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		body := strings.ReplaceAll(text[head[1]:end], `\&`, "")
		switch strings.TrimSpace(text[head[2]:head[3]]) {
		case "SYNOPSIS":
			for line := range strings.Lines(body) {
				line = strings.TrimSpace(fonts.ReplaceAllString(line, ""))
				if line != "" && !strings.HasPrefix(line, ".") {
					p.synopsis = append(p.synopsis, numbered.ReplaceAllString(line, ""))
				}
			}
		case "VALUES":
			for _, m := range variable.FindAllStringSubmatch(body, -1) {
				for v := range strings.FieldsFuncSeq(fonts.ReplaceAllString(m[1], ""), func(r rune) bool { return r == ',' || r == ' ' || r == '/' }) {
					if v = strings.ReplaceAll(v, `\-`, "-"); word.MatchString(v) {
						p.values = append(p.values, v)
					}
				}
			}
		}
	}
	return p
}
