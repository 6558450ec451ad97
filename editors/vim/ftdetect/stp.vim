" SPDX-License-Identifier: GPL-2.0-or-later
autocmd BufRead,BufNewFile *.stp,*.stpm setfiletype stp
