// SPDX-License-Identifier: GPL-2.0-or-later

package query_test

import (
	"strings"
	"testing"

	"gostap/elaborate/image"
	"gostap/elaborate/internal/testkernel"
	"gostap/elaborate/library"
	"gostap/elaborate/query"
	"gostap/tapsets"
	"gostap/translator/syntax"
)

func TestListTracepoints(t *testing.T) {
	env := &syntax.Env{Arch: "x86_64", Runtime: "kernel", StapVersion: "4.8"}
	points, diags := syntax.ParseProbePoint(`kernel.trace("sched:sched_wakeup*")`, env)
	lib, more := library.Load(env, library.Folder{FS: tapsets.FS, Path: "tapset"})
	lines, last := query.List(points, lib, image.NewTarget(testkernel.Releases(t)[0], false), true)
	want := []string{`kernel.trace("sched:sched_wakeup") $p:struct task_struct*`, `kernel.trace("sched:sched_wakeup_new") $p:struct task_struct*`}
	if len(diags)+len(more)+len(last) > 0 || strings.Join(spelled(lines), "\n") != strings.Join(want, "\n") {
		t.Errorf("%q, %v %v %v", lines, diags, more, last)
	}
}
