// SPDX-License-Identifier: GPL-2.0-or-later

// Package monitor shows a session in a terminal, and lets its user disable probes and reset globals,
// with the keys of SystemTap's --monitor.
package monitor

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"gostap/live"
)

// A Monitor is the user interface of one session.
type Monitor struct {
	session  live.Session
	tail     *live.Tail
	interval time.Duration
	quit     func() // requests the end of the session

	app                           *tview.Application
	pages                         *tview.Flex
	head, probes, globals, output *tview.TextView
	prompt                        *tview.InputField
	ask                           func(answer string) // receives the prompt's answer

	// The following fields are used only in the application's goroutine.
	view     view
	snapshot *live.Snapshot
	printed  uint64 // the position in the tail of the end of the output pane
	hidden   bool   // the status pane
	said     string // the outcome of the last command
}

// Start shows a session. The function that it returns ends the display and restores the terminal. quit
// is called when the user requests the end of the session. If screen is nil, it is that of the
// terminal.
func Start(session live.Session, tail *live.Tail, interval time.Duration, screen tcell.Screen, quit func()) (end func()) {
	m := &Monitor{session: session, tail: tail, interval: interval, quit: quit, view: newView()}
	m.build()
	if screen != nil {
		m.app.SetScreen(screen)
	}
	over, gone := make(chan struct{}), make(chan struct{})
	go m.follow(over)
	go func() {
		defer close(gone)
		if err := m.app.Run(); err != nil {
			fmt.Fprintf(tail, "gostap: the terminal can't be used: %v\n", err)
			quit()
		}
	}()
	var once sync.Once
	return func() {
		once.Do(func() {
			close(over)
			m.app.Stop()
			<-gone
		})
	}
}

// follow takes a snapshot at each interval.
func (m *Monitor) follow(over <-chan struct{}) {
	tick := time.NewTicker(m.interval)
	defer tick.Stop()
	for {
		snapshot, err := m.session.Snapshot()
		m.app.QueueUpdateDraw(func() { m.take(snapshot, err) })
		select {
		case <-tick.C:
		case <-over:
			return
		}
	}
}

func (m *Monitor) take(snapshot *live.Snapshot, err error) {
	if err != nil {
		m.said = err.Error()
	} else {
		m.snapshot = snapshot
		m.view.note(snapshot)
	}
	text, next := m.tail.Since(m.printed)
	if next != m.printed {
		m.printed = next
		fmt.Fprint(m.output, lines(lastLines(text, maxOutputLines)))
	}
	m.draw()
}

func (m *Monitor) build() {
	pane := func(title string) *tview.TextView {
		v := tview.NewTextView().SetWrap(false) // without style tags, as names are plain text
		v.SetBorder(title != "").SetTitle(title)
		return v
	}
	m.head, m.probes, m.globals, m.output = pane(""), pane(" probes "), pane(" globals "), pane(" output ")
	m.output.SetMaxLines(maxOutputLines).ScrollToEnd()
	m.prompt = tview.NewInputField().SetFieldBackgroundColor(tcell.ColorDefault)
	m.prompt.SetDoneFunc(m.answered)
	m.app = tview.NewApplication()
	m.pages = tview.NewFlex().SetDirection(tview.FlexRow)
	m.lay(0)
	m.app.SetRoot(m.pages, true).SetInputCapture(m.key)
	// Use the terminal's own colours.
	for _, v := range []*tview.TextView{m.head, m.probes, m.globals, m.output} {
		v.SetTextColor(tcell.ColorDefault).SetBackgroundColor(tcell.ColorDefault)
	}
	m.prompt.SetBackgroundColor(tcell.ColorDefault)
	m.app.SetFocus(m.globals)
}

// lay arranges the panes in the window; the probes' pane has room for n probes.
func (m *Monitor) lay(n int) {
	m.pages.Clear()
	if !m.hidden {
		m.pages.AddItem(m.head, 2, 0, false).AddItem(m.probes, min(n+3, 12), 0, false).AddItem(m.globals, 0, 3, true)
	}
	m.pages.AddItem(m.output, 0, 1, m.hidden).AddItem(m.prompt, 1, 0, false)
}

func (m *Monitor) draw() {
	if m.snapshot == nil {
		return
	}
	m.lay(len(m.snapshot.Probes))
	m.head.SetText(m.view.head(m.snapshot))
	m.probes.SetText(m.view.probes(m.snapshot.Probes))
	m.globals.SetText(m.view.globals(m.snapshot.Globals))
	if m.ask == nil {
		m.prompt.SetLabel(m.said + "q quit  Tab pane  t toggle  p pause  r resume  c reset  s sort probes  o sort elements  x hide  / filter").SetText("")
	}
}

// key executes the command of a key. An open prompt gets the keys itself.
func (m *Monitor) key(e *tcell.EventKey) *tcell.EventKey {
	if e.Key() == tcell.KeyCtrlC {
		m.quit()
		return nil
	}
	if m.ask != nil {
		return e
	}
	if e.Key() == tcell.KeyTab {
		m.nextPane()
		return nil
	}
	if e.Key() != tcell.KeyRune {
		return e
	}
	m.said = ""
	switch e.Rune() {
	case 'q':
		m.quit()
	case 'c':
		m.did("the globals are reset", m.session.Reset())
	case 's':
		m.view.nextOrder()
		m.said = "probes by " + m.view.order() + " │ "
	case 'o':
		m.view.elementsBy = (m.view.elementsBy + 1) % len(elementOrders)
		m.said = "elements by " + elementOrders[m.view.elementsBy].name + " │ "
	case 't':
		m.open("toggle probe number: ", m.toggle)
	case 'r':
		m.switchAll(true)
	case 'p':
		m.switchAll(false)
	case 'x':
		m.hidden = !m.hidden
		m.nextPane()
	case '/':
		m.open("elements with: ", func(text string) { m.view.filter = text })
	default:
		return e
	}
	m.draw()
	return nil
}

// nextPane directs the keys for scrolling to the next visible pane.
func (m *Monitor) nextPane() {
	panes := []*tview.TextView{m.globals, m.probes, m.output}
	if m.hidden {
		panes = panes[2:]
	}
	for i, p := range panes {
		if p.HasFocus() {
			m.app.SetFocus(panes[(i+1)%len(panes)])
			return
		}
	}
	m.app.SetFocus(panes[0])
}

// did shows the outcome of a command.
func (m *Monitor) did(what string, err error) {
	if err != nil {
		what = err.Error()
	}
	m.said = what + " │ "
}

func (m *Monitor) open(question string, answer func(string)) {
	m.ask = answer
	m.prompt.SetLabel(question).SetText("")
	m.app.SetFocus(m.prompt)
}

func (m *Monitor) answered(key tcell.Key) {
	answer := m.ask
	m.ask = nil
	m.app.SetFocus(m.globals)
	if key == tcell.KeyEnter && answer != nil {
		answer(strings.TrimSpace(m.prompt.GetText()))
	}
	m.draw()
}

func (m *Monitor) toggle(number string) {
	i, err := strconv.Atoi(number)
	if err != nil || m.snapshot == nil || i < 0 || i >= len(m.snapshot.Probes) {
		m.said = "there is no probe " + strconv.Quote(number) + " │ "
		return
	}
	p := &m.snapshot.Probes[i]
	err = m.session.Switch(i, !p.On)
	if err == nil {
		p.On = !p.On
	}
	m.did(fmt.Sprintf("probe %d is %s", i, onOff(p.On)), err)
}

func (m *Monitor) switchAll(on bool) {
	if m.snapshot == nil {
		return
	}
	var failed error
	for i := range m.snapshot.Probes {
		if err := m.session.Switch(i, on); err != nil {
			failed = err
			continue
		}
		m.snapshot.Probes[i].On = on
	}
	m.did("all probes are "+onOff(on), failed)
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// maxOutputLines is the number of lines of the script's output that the pane keeps. The time for drawing
// is proportional to it, and handlers can print as many lines in a hundredth of a second.
const maxOutputLines = 1000

// lastLines returns the last n lines of text.
func lastLines(text string, n int) string {
	for i := len(text) - 1; i > 0; i-- {
		if text[i-1] == '\n' {
			if n--; n == 0 {
				return text[i:]
			}
		}
	}
	return text
}
