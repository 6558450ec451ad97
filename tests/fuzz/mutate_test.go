// SPDX-License-Identifier: GPL-2.0-or-later

package fuzz

import (
	"regexp"
	"slices"
	"strings"
)

// words matches the tokens that mutations work on.
var words = regexp.MustCompile(`(?s)%\{.*?%\}|"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/|[@$&]*[A-Za-z_]\w*\$*|0[xX][0-9a-fA-F]+|\d+|->|<<<|%\(|%\)|%\?|%:|[-+*/%<>=!&|^.~]=|&&|\|\||\+\+|--|\s+|.`)

// A mutation is a script that is being mutated.
type mutation struct {
	*generator
	words []string
}

// mutate changes a script according to the choices; others are scripts to take parts from.
func (g *generator) mutate(script string, others []string) string {
	m := &mutation{generator: g, words: words.FindAllString(script, -1)}
	for _, w := range m.words {
		if isName(w) && !slices.Contains(keywords, w) {
			m.names = append(m.names, w)
		}
	}
	if g.c.one(2) {
		m.retarget()
	}
	for i := 0; i < 8 && (i == 0 || g.c.more()); i++ {
		m.step(others)
	}
	return strings.Join(m.words, "")
}

// keywords are the words that are not identifiers.
var keywords = strings.Fields("probe global private function if else for while foreach in limit return next break continue delete try catch " +
	"long string print println printf printd printdln sprint sprintf sprintln sprintd sprintdln begin end")

// initial is a word's first letter, which determines its kind.
func initial(word string) byte {
	if word == "" {
		return ' '
	}
	return word[0]
}

func isName(word string) bool {
	c := initial(word)
	return c == '_' || c|32 >= 'a' && c|32 <= 'z'
}

func (m *mutation) step(others []string) {
	switch m.c.n(16) {
	case 0, 1, 2:
		if probes := m.at(func(w string) bool { return w == "probe" }); len(probes) > 0 {
			m.replacePoints(pick(m.c, probes...))
		}
	case 3, 4:
		m.replaceWord()
	case 5:
		m.insert(m.statement(3))
	case 6, 7:
		m.replaceGroup("(", ")", m.expr(3))
	case 8:
		m.replaceGroup("{", "}", m.block(2))
	case 9:
		m.words = append(m.words, "\n", m.declaration(), "\n")
	case 10:
		m.remove()
	case 11:
		m.repeat()
	case 12:
		m.splice(others)
	case 13:
		m.guard()
	case 14, 15:
		m.use()
	}
}

// use adds a use of one of the script's declarations to a probe.
func (m *mutation) use() {
	i := pick(m.c, m.at(func(w string) bool { return w == "probe" || w == "function" })...)
	if i+2 >= len(m.words) || !isName(m.words[i+2]) {
		return
	}
	to := i + 2
	for to < len(m.words) && isName(m.words[to]) || to < len(m.words) && m.words[to] == "." {
		to++
	}
	name := strings.Join(m.words[i+2:to], "")
	if m.words[i] == "probe" {
		m.words = append(m.words, "\nprobe "+name+" { println("+m.list(2)+") }")
		return
	}
	m.words = append(m.words, "\nprobe "+m.points()+" { println("+name+"("+m.list(2)+")) }")
}

// at returns the indexes of words for which is holds.
func (m *mutation) at(is func(string) bool) []int {
	var list []int
	for i, w := range m.words {
		if is(w) {
			list = append(list, i)
		}
	}
	return list
}

func (m *mutation) replace(from, to int, by string) {
	m.words = append(m.words[:from:from], append([]string{by}, m.words[to:]...)...)
}

// retarget replaces the probe points of every probe: those of SystemTap's examples are mostly aliases
// of its own library.
func (m *mutation) retarget() {
	probes := m.at(func(w string) bool { return w == "probe" })
	for _, i := range slices.Backward(probes) {
		m.replacePoints(i)
	}
}

// replacePoints replaces the probe points of the probe at word i.
func (m *mutation) replacePoints(i int) {
	from := i + 1
	to := from
	for to < len(m.words) && m.words[to] != "{" && m.words[to] != "=" {
		to++
	}
	if to < len(m.words) && m.words[to] == "=" {
		for from = to + 1; to < len(m.words) && m.words[to] != "{"; to++ {
		}
	}
	m.replace(from, to, " "+m.points()+" ")
}

// replaceWord replaces a word by another one of its kind.
func (m *mutation) replaceWord() {
	if len(m.words) == 0 {
		return
	}
	i := m.c.n(len(m.words))
	w := m.words[i]
	switch c := initial(w); {
	case c == '$' || c == '@' || c == '&':
		m.words[i] = m.chain()
	case c == '"':
		m.words[i] = m.text()
	case c >= '0' && c <= '9':
		m.words[i] = m.number()
	case isName(w) && i+1 < len(m.words) && m.words[i+1] == "(":
		m.words[i] = pick(m.c, m.calls...)
	case isName(w):
		m.words[i] = pick(m.c, m.name(), m.chain(), m.expr(2))
	default:
		m.words[i] = pick(m.c, "+", "-", "(", ")", "{", "}", "[", "]", ",", "=", "->", "<<<", ".", "!", "?", ":", ";", "%(", "%)", "@", "$", "*")
	}
}

// insert inserts a statement at a place where one is allowed.
func (m *mutation) insert(statement string) {
	ends := m.at(func(w string) bool { return w == "{" || w == "}" || w == ";" })
	if len(ends) > 0 {
		i := pick(m.c, ends...) + 1
		m.replace(i, i, " "+statement+" ")
	}
}

// group returns the range between a pair of brackets.
func (m *mutation) group(open, shut string) (from, to int, ok bool) {
	opens := m.at(func(w string) bool { return w == open })
	if len(opens) == 0 {
		return 0, 0, false
	}
	from = pick(m.c, opens...) + 1
	for depth := 0; from+to < len(m.words); to++ {
		switch m.words[from+to] {
		case open:
			depth++
		case shut:
			if depth--; depth < 0 {
				return from, from + to, true
			}
		}
	}
	return 0, 0, false
}

func (m *mutation) replaceGroup(open, shut, by string) {
	if from, to, ok := m.group(open, shut); ok {
		m.replace(from, to, by)
	}
}

// remove removes some words.
func (m *mutation) remove() {
	if len(m.words) == 0 {
		return
	}
	from := m.c.n(len(m.words))
	m.replace(from, min(len(m.words), from+1+m.c.n(6)), "")
}

// repeat copies a block to another place.
func (m *mutation) repeat() {
	if from, to, ok := m.group("{", "}"); ok {
		m.insert(strings.Join(m.words[from:to], ""))
	}
}

// splice adds a part of another script.
func (m *mutation) splice(others []string) {
	if len(others) == 0 {
		return
	}
	other := &mutation{generator: m.generator, words: words.FindAllString(pick(m.c, others...), -1)}
	if from, to, ok := other.group("{", "}"); ok && m.c.one(2) {
		m.insert(strings.Join(other.words[from:to], ""))
		return
	}
	m.words = append(m.words, "\n", strings.Join(other.words, ""))
}

// guard adds a test whether a target variable is defined.
func (m *mutation) guard() {
	vars := m.at(func(w string) bool { return initial(w) == '$' })
	if len(vars) > 0 {
		i := pick(m.c, vars...)
		m.words[i] = pick(m.c, "(@defined("+m.words[i]+") ? "+m.words[i]+" : "+m.expr(2)+")",
			"@choose_defined("+m.words[i]+", "+m.chain()+")", "@entry("+m.words[i]+")", "&"+m.words[i], m.words[i]+"$")
	}
}
