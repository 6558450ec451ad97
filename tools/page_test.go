// SPDX-License-Identifier: GPL-2.0-or-later

package tools

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// docs/TOOLS.md has each tool under its subject, with the summary that `gostap tool` prints.
func TestPage(t *testing.T) {
	text, err := os.ReadFile("../docs/TOOLS.md")
	if err != nil {
		t.Fatal(err)
	}
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for section := range strings.SplitSeq(string(text), "\n## ") {
		name, body, _ := strings.Cut(section, "\n")
		sections[name] = body
	}
	for _, tool := range all {
		if line := fmt.Sprintf("| %s | %s |\n", tool.Name, tool.Summary); !strings.Contains(sections[tool.Subject], line) {
			t.Errorf("docs/TOOLS.md lacks this in its section %q: %s", tool.Subject, line)
		}
	}
}
