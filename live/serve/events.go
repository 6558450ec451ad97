// SPDX-License-Identifier: GPL-2.0-or-later

package serve

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"gostap/live"
)

// interval is how often the page is told of changes.
const interval = time.Second

// writePatience is how long a client may take to read an event; then it is left.
const writePatience = 5 * time.Second

// maxRows is how many elements of an array the page is told: those with the largest values. /session.json has all.
const maxRows = 500

// An event is what the page is told.
type event struct {
	*live.Snapshot
	Globals  []shownGlobal `json:"globals"`
	Output   string        `json:"output"`   // what the script has printed since the last one
	Controls bool          `json:"controls"` // whether this client may reset and switch
}

type shownGlobal struct {
	live.Global
	Total int `json:"total"` // elements, of which Rows may hold fewer
}

func (s *Server) events(clients chan struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case clients <- struct{}{}:
			defer func() { <-clients }()
		default:
			http.Error(w, fmt.Sprintf("%d clients follow the session already", maxClients), http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Cache-Control", "no-store")
		control := http.NewResponseController(w)
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for position, over := uint64(0), false; ; {
			_ = control.SetWriteDeadline(time.Now().Add(writePatience))
			next, err := s.sendEvent(w, position, s.access.mayControl())
			if err != nil || control.Flush() != nil {
				return
			}
			if position = next; over {
				fmt.Fprint(w, "event: over\ndata: {}\n\n")
				_ = control.Flush()
				return
			}
			select {
			case <-tick.C:
			case <-s.over:
				over = true
			case <-r.Context().Done():
				return
			}
		}
	}
}

// sendEvent writes how the session is now, and what has been printed since that position.
func (s *Server) sendEvent(w io.Writer, position uint64, controls bool) (next uint64, err error) {
	snapshot, err := s.snapshot()
	if err != nil {
		_, err = fmt.Fprint(w, ": not yet\n\n")
		return position, err
	}
	e := event{Snapshot: snapshot, Controls: controls}
	e.Output, next = s.tail.Since(position)
	for _, g := range snapshot.Globals {
		shown := shownGlobal{g, len(g.Rows)}
		if len(g.Rows) > maxRows {
			shown.Rows = slices.Clone(g.Rows)
			slices.SortStableFunc(shown.Rows, func(a, b live.Row) int { return b.Value.Compare(a.Value) })
			shown.Rows = shown.Rows[:maxRows]
		}
		e.Globals = append(e.Globals, shown)
	}
	data, err := json.Marshal(e)
	if err == nil {
		_, err = fmt.Fprintf(w, "data: %s\n\n", data)
	}
	return next, err
}
