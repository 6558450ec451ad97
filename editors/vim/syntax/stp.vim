" SPDX-License-Identifier: GPL-2.0-or-later
if exists("b:current_syntax")
  finish
endif
syn keyword stpDeclaration probe function global private
syn keyword stpStatement if else for foreach in limit while break continue next return delete try catch
syn keyword stpType long string
syn match stpNumber "\<\(0[xX]\x\+\|\d\+\)\>"
syn match stpTarget "\$\+\h\w*\$*\|\$#\|\$\d\+"
syn match stpAt "@\h\w*\|@#\|@\d\+"
syn match stpPreprocessor "%(\|%?\|%:\|%)"
syn match stpEscape "\\\(\o\{1,3}\|x\x\+\|.\)" contained
syn match stpFormat "%[-+ #0]*\d*\(\.\d\+\)\?l\?[bcdimMopsuxX%]" contained
syn region stpString start=+"+ skip=+\\.+ end=+"+ contains=stpEscape,stpFormat
syn region stpCode start="%{" end="%}"
syn match stpComment "#.*$\|//.*$"
syn region stpComment start="/\*" end="\*/"
hi def link stpDeclaration Keyword
hi def link stpStatement Statement
hi def link stpType Type
hi def link stpNumber Number
hi def link stpTarget Identifier
hi def link stpAt Macro
hi def link stpPreprocessor PreProc
hi def link stpEscape SpecialChar
hi def link stpFormat SpecialChar
hi def link stpString String
hi def link stpCode Special
hi def link stpComment Comment
let b:current_syntax = "stp"
