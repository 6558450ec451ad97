# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes stacks of all kinds in bash, in an endless loop.
down() {
	local -a words=(one two "$1")
	local text="${words[*]/o/0}"
	if [ "$1" -gt 0 ]; then
		case $text in
		*three*) ;;
		*) down $(($1 - 1)) ;;
		esac
	fi
	REPLY+=${text:0:1}
}
declare -A seen
trap 'hits=$((hits + 1))' USR1
while :; do
	for ((i = 0; i < 20; i++)); do
		REPLY=
		down 8
		seen[$REPLY.$i]=$i
		[[ "key=$i;" =~ ^([a-z]+)=([0-9]+)\;$ ]] && last=${BASH_REMATCH[2]}
		printf -v line '%05d %s %q' "$i" "$last" "$REPLY $i"
		eval "copy=\"\${line}\""
		read -r first rest <<<"$copy"
		for word in /usr/[a-d]*; do set -- "$word" "$@"; done
		set --
	done
	kill -USR1 $$
	mapfile -t lines < <(:; echo "$copy")
done
