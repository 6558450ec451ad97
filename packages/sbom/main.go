// SPDX-License-Identifier: GPL-2.0-or-later

// Command sbom prints the software bill of materials of a Go program, by what
// the linker has written into it, as CycloneDX 1.5:
// https://cyclonedx.org/docs/1.5/json/
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
)

type component struct {
	Type    string `json:"type"`
	Ref     string `json:"bom-ref"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl,omitempty"` // https://github.com/package-url/purl-spec
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type document struct {
	Format   string `json:"bomFormat"`
	Spec     string `json:"specVersion"`
	Version  int    `json:"version"`
	Metadata struct {
		Component  component  `json:"component"`
		Properties []property `json:"properties"`
	} `json:"metadata"`
	Components []component `json:"components"`
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: sbom PROGRAM VERSION")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func write(program, version string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	doc := document{Format: "CycloneDX", Spec: "1.5", Version: 1}
	doc.Metadata.Component = component{Type: "application", Ref: "gostap", Name: "gostap", Version: version}
	// What the linker says of how it was built: -trimpath, CGO_ENABLED and the like.
	for _, s := range info.Settings {
		doc.Metadata.Properties = append(doc.Metadata.Properties, property{"go:build:" + s.Key, s.Value})
	}
	purl := func(path, version string) component {
		url := "pkg:golang/" + path + "@" + version
		return component{Type: "library", Ref: url, Name: path, Version: version, PURL: url}
	}
	doc.Components = append(doc.Components, purl("std", info.GoVersion[len("go"):]))
	for _, dep := range info.Deps {
		if dep.Replace != nil {
			dep = dep.Replace
		}
		doc.Components = append(doc.Components, purl(dep.Path, dep.Version))
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	return out.Encode(doc)
}
