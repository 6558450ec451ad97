# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of gostap's command line for bash: source <(gostap completion bash)
#
# Probe points hold characters that mean something to the shell: they are
# completed inside single quotes, gostap -l 'kernel.function("vfs_<TAB>

_gostap() {
	local current=${COMP_WORDS[COMP_CWORD]}
	local before=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
	mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" __complete "${before[@]}" "${current#[\'\"]}" 2>/dev/null |
		sed -e '/^:[0-9]*$/d' -e 's/\t.*//')
	# A word that stands alone would have its quote closed, and most go on.
	if [[ ${#COMPREPLY[@]} == 1 && $current == [\'\"]* ]]; then
		COMPREPLY+=("${COMPREPLY[0]} ")
	fi
}
complete -o nospace -o default -F _gostap gostap
