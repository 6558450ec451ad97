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

// interval is the time between events.
const interval = time.Second

// writePatience is the time in which a client must read an event before it is disconnected.
const writePatience = 5 * time.Second

// maxRows is the maximal number of elements of an array in an event: those with the largest values.
// /session.json has all.
const maxRows = 500

// An event is the data sent to the page.
type event struct {
	*live.Snapshot
	Globals  []shownGlobal `json:"globals"`
	Output   string        `json:"output"`   // the script's output since the previous event
	Controls bool          `json:"controls"` // whether this client may reset and switch
}

type shownGlobal struct {
	live.Global
	Total int `json:"total"` // number of elements; Rows may have fewer
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

// sendEvent sends the session's state, and its output since a position.
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
