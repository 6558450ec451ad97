// SPDX-License-Identifier: GPL-2.0-or-later

package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gostap/vm"
)

// ask makes neovim start gostap lsp for script.stp and write the responses to answer.json.
const ask = `
local file = vim.fn.expand("%:p")
local client = vim.lsp.start_client({ name = "gostap", cmd = { "gostap", "lsp", "-r", vim.env.RELEASE }, root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(0, client)
local function told() return #vim.diagnostic.get(0) > 0 end
vim.wait(120000, told, 50)
local function at(method, line, character, more)
	local params = { textDocument = { uri = vim.uri_from_fname(file) }, position = { line = line, character = character } }
	for name, value in pairs(more or {}) do params[name] = value end
	local all = vim.lsp.buf_request_sync(0, method, params, 120000) or {}
	return all[client] and all[client].result or vim.NIL
end
local answer = { diagnostics = vim.tbl_map(function(d) return { line = d.lnum, text = d.message } end, vim.diagnostic.get(0)) }
local items = at("textDocument/completion", 1, 8)
answer.completion = vim.tbl_map(function(item) return item.label end, items.items or items)
answer.hover = at("textDocument/hover", 0, 34)
answer.definition = at("textDocument/definition", 0, 34)
vim.lsp.util.apply_workspace_edit(at("textDocument/rename", 0, 7, { newName = "count" }), "utf-16")
answer.text = vim.api.nvim_buf_get_lines(0, 0, -1, false)
local members = at("textDocument/completion", 3, 54)
answer.members = vim.tbl_map(function(item) return item.label .. " " .. (item.detail or "") end, members.items or members)
answer.type = at("textDocument/hover", 3, 46)
vim.api.nvim_buf_set_lines(0, 0, -1, false, { "probe   begin {", "  if(1){", "println( 1 )", "}", "}" })
answer.folds = at("textDocument/foldingRange", 0, 0)
local edits = at("textDocument/formatting", 0, 0, { options = { tabSize = 8, insertSpaces = false } })
vim.lsp.util.apply_text_edits(edits, 0, "utf-16")
answer.formatted = vim.api.nvim_buf_get_lines(0, 0, -1, false)
vim.fn.writefile({ vim.fn.json_encode(answer) }, "answer.json")
vim.cmd("qa!")
`

const edited = `global n probe syscall.read { n[execname()]++ }
probe vf
probe end { foreach (k in n) println(k, n[k]) nosuch() }
probe kernel.function("vfs_read") { println($file->f_p
`

// Neovim's own client gets diagnostics, completions, documentation, types, definitions and folds, and
// renames and formats.
func TestNeovim(t *testing.T) {
	nvim, err := exec.LookPath("nvim")
	if err != nil {
		t.Fatal("there is no neovim: run tests/setup test")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"ask.lua": ask, "script.stp": edited} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(nvim, "--headless", "-u", "NONE", "-i", "NONE", "script.stp", "-c", "luafile ask.lua")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(build(t))+":"+os.Getenv("PATH"), "RELEASE="+vm.Releases()[0], "XDG_STATE_HOME="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "answer.json"))
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Diagnostics []struct {
			Line int
			Text string
		}
		Completion []string
		Hover      struct{ Contents struct{ Value string } }
		Definition any
		Text       []string
		Members    []string
		Type       struct{ Contents struct{ Value string } }
		Folds      []struct{ StartLine, EndLine int }
		Formatted  []string
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if len(answer.Diagnostics) == 0 || answer.Diagnostics[0].Line != 2 || !strings.Contains(answer.Diagnostics[0].Text, "expected '{'") {
		t.Errorf("diagnostics: %v", answer.Diagnostics)
	}
	if !strings.Contains(strings.Join(answer.Completion, " "), "vfs") {
		t.Errorf("completions of vf: %.20q", answer.Completion)
	}
	if !strings.Contains(answer.Hover.Contents.Value, "execname") {
		t.Errorf("hover over execname: %q", answer.Hover.Contents.Value)
	}
	if place, _ := json.Marshal(answer.Definition); !strings.Contains(string(place), ".stp") {
		t.Errorf("definition of execname: %s", place)
	}
	if !slices.Contains(answer.Members, "f_pos loff_t") {
		t.Errorf("members of struct file: %q", answer.Members)
	}
	if !strings.Contains(answer.Type.Contents.Value, "struct file*") {
		t.Errorf("hover over $file: %q", answer.Type.Contents.Value)
	}
	if fmt.Sprint(answer.Folds) != "[{1 2} {0 3}]" {
		t.Errorf("folds: %v", answer.Folds)
	}
	if got := strings.Join(answer.Formatted, "\n"); got != "probe begin {\n    if (1) {\n        println(1)\n    }\n}" {
		t.Errorf("formatted:\n%s", got)
	}
	if got := strings.Join(answer.Text, "\n"); !strings.HasPrefix(got, "global count probe syscall.read { count[execname()]++ }") ||
		!strings.Contains(got, "foreach (k in count) println(k, count[k])") {
		t.Errorf("after the renaming:\n%s", got)
	}
	if t.Failed() {
		t.Logf("%s", text)
	}
}
