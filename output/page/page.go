// SPDX-License-Identifier: GPL-2.0-or-later

// Package page is what gostap's pages have in common: how they look, tables that sort and filter, histograms, flame graphs.
// Each is one file that loads nothing (js/README has the libraries).
package page

import (
	"embed"
	"html/template"
	"io/fs"
)

//go:embed style.css view.js flame.js js
var files embed.FS

// Parse parses a page, which is one of its package's files. In it, {{style}} is what goes into <style>, and
// {{script "NAME"}} into <script>: a file of the package's, or one of these.
func Parse(own fs.FS, name string) *template.Template {
	read := func(name string) (string, error) {
		text, err := fs.ReadFile(own, name)
		if err != nil {
			text, err = files.ReadFile(name)
		}
		return string(text), err
	}
	functions := template.FuncMap{
		"style": func() (template.CSS, error) {
			text, err := read("style.css")
			return template.CSS(text), err
		},
		"script": func(name string) (template.JS, error) {
			text, err := read(name)
			return template.JS(text), err
		},
	}
	return template.Must(template.New(name).Funcs(functions).ParseFS(own, name))
}
