// SPDX-License-Identifier: GPL-2.0-or-later

// Package page has what gostap's pages have in common: style, tables that sort and filter, histograms,
// flame graphs. Each page is one file that loads nothing (js/README has the libraries).
package page

import (
	"embed"
	"html/template"
	"io/fs"
)

//go:embed style.css view.js flame.js flamekeys.js js
var files embed.FS

// Parse parses the template of a page, a file in own. In it, {{style}} is the content of <style>, and
// {{script "NAME"}} that of <script>: a file in own, or of this package.
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
