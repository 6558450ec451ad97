// SPDX-License-Identifier: GPL-2.0-or-later

package serve

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gostap/live"
)

// The page shows the session's data, and names as plain text.
func TestInBrowser(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no chromium: apt-get install chromium")
	}
	tail := &live.Tail{}
	tail.Write([]byte("printed " + hostile + "\x1b[31m\n"))
	s, err := Listen(Options{Address: "127.0.0.1:0"}, tail)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	session := newFakeSession()
	end := s.Watch(session)
	// The page's event stream lasts as long as the session, and the browser waits for it: end the
	// session after two events.
	go func() {
		for session.asked() < 2 {
			time.Sleep(50 * time.Millisecond)
		}
		end()
	}()
	cmd := exec.Command(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+filepath.Join(t.TempDir(), "profile"),
		"--virtual-time-budget=2000", "--dump-dom", s.URL())
	cmd.WaitDelay = time.Minute
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", cmd, err)
	}
	dom := string(out)
	for _, want := range []string{"timer.s(1)", `<td class="n">42</td>`, `<td class="n">77</td>`, "1152921504606846976", "&lt;/script&gt;&lt;img src=x",
		"printed &lt;/script&gt;", "12 records, 0 lost", `<td class="n">33</td>`} {
		if !strings.Contains(dom, want) {
			t.Errorf("the page doesn't show %q", want)
		}
	}
	if strings.Contains(dom, "<img") || strings.Contains(dom, "<title>run") || strings.Contains(dom, "\x1b") {
		t.Error("a name has become markup")
	}
	if t.Failed() {
		t.Log(dom[max(strings.Index(dom, "<body"), 0):])
	}
}
