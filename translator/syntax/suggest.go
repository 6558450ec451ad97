// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import "gostap/translator/suggest"

// didYouMean returns a hint that names the one of known that is nearest to
// name, with prefix before it, or "" if none is near.
func didYouMean(name string, known []string, prefix string) string {
	near := suggest.Nearest(name, known, 1)
	if len(near) == 0 {
		return ""
	}
	return `did you mean "` + prefix + near[0] + `"?`
}
