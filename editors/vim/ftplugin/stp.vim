" SPDX-License-Identifier: GPL-2.0-or-later
if exists("b:did_ftplugin")
  finish
endif
let b:did_ftplugin = 1
setlocal commentstring=//\ %s comments=s1:/*,mb:*,ex:*/,://,:#
setlocal noexpandtab
let b:undo_ftplugin = "setlocal commentstring< comments< expandtab<"

" Neovim starts gostap lsp itself.
if has("nvim-0.8") && executable("gostap")
  lua vim.lsp.start({ name = "gostap", cmd = { "gostap", "lsp" }, root_dir = vim.fn.getcwd() })
endif
