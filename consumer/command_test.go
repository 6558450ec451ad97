// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

func TestCommand(t *testing.T) {
	path := t.TempDir() + "/out"
	c, err := startCommand(fmt.Sprintf(`sh -c 'echo $$' >%s`, path), os.Stdout)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond)
	if _, err := os.Stat(path); err == nil {
		t.Error("it did not wait")
	}
	c.release()
	<-c.done
	if out, _ := os.ReadFile(path); string(out) != fmt.Sprintln(c.pid()) {
		t.Errorf("pid %d, %q", c.pid(), out)
	}
	if how := c.failure(); how != "" {
		t.Error(how)
	}
	for text, want := range map[string]string{"exit 3": "exited with status 3", "kill -9 $$": "exited with signal 9 (killed)"} {
		c, err := startCommand(text, os.Stdout)
		if err != nil {
			t.Fatal(err)
		}
		c.release()
		<-c.done
		if how := c.failure(); !strings.Contains(how, want) {
			t.Errorf("%s: %q", text, how)
		}
	}
}

func TestCommandCancel(t *testing.T) {
	path := t.TempDir() + "/out"
	c, err := startCommand("echo >"+path, os.Stdout)
	if err != nil {
		t.Fatal(err)
	}
	c.cancel()
	if _, err := os.Stat(path); err == nil {
		t.Error("it ran")
	}
}

func TestDirect(t *testing.T) {
	for text, want := range map[string]bool{
		"sleep 1":              true,
		"ls $HOME >/x 2>&1":    true,
		"A=1 ls":               false,
		"ls; ls":               false,
		"ls | cat":             false,
		"ls &":                 false,
		"(ls)":                 false,
		"exit 1":               false,
		"if true\nthen ls\nfi": false,
		"":                     false,
	} {
		if got := strings.HasPrefix(direct(text), "exec "); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
