// SPDX-License-Identifier: GPL-2.0-or-later

package emit

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gostap/manifest"
)

func TestLimits(t *testing.T) {
	l := DefaultLimits()
	for _, c := range []struct {
		name, value string
		known, ok   bool
	}{
		{"MAXACTION", "50", true, true},
		{"MAXACTION", "0", true, false},
		{"MAXACTION", "many", true, false},
		{"MAXSTRINGLEN", "65536", true, false},
		{"MAXERRORS", "0x10", true, true},
		{"STP_NO_OVERLOAD", "1", true, true},
		{"STP_OVERLOAD_THRESHOLD", "0", true, false},
		{"STP_BUFSIZE", "1", false, true},
	} {
		known, err := l.Set(c.name, c.value)
		if known != c.known || (err == nil) != c.ok {
			t.Errorf("-D%s=%s: %t, %v", c.name, c.value, known, err)
		}
	}
	if l.MaxAction != 50 || l.cold() != 500 || l.MaxErrors != 16 {
		t.Errorf("limits are %+v", l)
	}
}

// Work with interrupts off is bounded, whatever -D says.
func TestMostWork(t *testing.T) {
	l := DefaultLimits()
	l.Set("MAXACTION", "4294967295")
	l.Set("MAXARRAYSTEPS", "1000000000000000")
	l.Set("MAXTRYLOCK", "4294967295")
	for _, delay := range []int64{0, 1, 10, 1000, maxLimit} {
		l.TryLockDelay = delay
		if wait := l.tryLock() * max(l.tryLockDelay(), 1); wait > maxHotWait || wait < maxHotWait/2 {
			t.Errorf("TRYLOCKDELAY=%d: %d attempts, %d µs apart", delay, l.tryLock(), l.tryLockDelay())
		}
	}
	if l.hot() != maxHotActions || l.steps() != maxHotSteps || l.cold() != maxLimit {
		t.Errorf("%d actions, %d steps; %d actions where others may run in between", l.hot(), l.steps(), l.cold())
	}
}

// The document lists each limit with its default, and no others.
func TestLimitsDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/LIMITS.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| ([^|]*) \\|").FindAllStringSubmatch(string(text), -1) {
		documented[m[1]] = m[2]
	}
	l := DefaultLimits()
	for _, limit := range limits {
		value, want := documented[limit.name], strconv.FormatInt(*limit.field(&l), 10)
		if n, err := strconv.Atoi(strings.ReplaceAll(value, ",", "")); err == nil && strconv.Itoa(n) != want {
			t.Errorf("the default of %s is %s; docs/LIMITS.md says %q", limit.name, want, value)
		}
		if value == "" {
			t.Errorf("docs/LIMITS.md does not speak of %s", limit.name)
		}
		delete(documented, limit.name)
	}
	for name := range documented {
		t.Errorf("docs/LIMITS.md speaks of %s, which is no limit", name)
	}
}

func TestManifestC(t *testing.T) {
	c, err := ManifestC(&manifest.Manifest{Formats: []manifest.Format{{Format: "%s\n\"\\", Args: "s"}}})
	if err != nil || !strings.Contains(string(c), manifest.Section) {
		t.Fatal(string(c), err)
	}
}
