// SPDX-License-Identifier: GPL-2.0-or-later

package syntax

import "gostap/translator/suggest"

// didYouMean returns a hint with the name in known that is most similar to name, with prefix before it,
// or "" if none is similar.
func didYouMean(name string, known []string, prefix string) string {
	near := suggest.Nearest(name, known, 1)
	if len(near) == 0 {
		return ""
	}
	return `did you mean "` + prefix + near[0] + `"?`
}
