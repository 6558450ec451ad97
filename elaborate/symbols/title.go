// SPDX-License-Identifier: GPL-2.0-or-later

package symbols

// Title is how messages name a module, or the kernel itself if that is "".
func Title(module, release string) string {
	if module != "" {
		return "module " + module
	}
	return "kernel " + release
}
