// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

// Title is the name of a module, or of the kernel itself (""), in messages.
func Title(module, release string) string {
	if module != "" {
		return "module " + module
	}
	return "kernel " + release
}
