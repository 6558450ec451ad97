// SPDX-License-Identifier: GPL-2.0-or-later

package probetype_test

import (
	"strings"
	"testing"

	"gostap/elaborate/internal/elaborated"
	"gostap/elaborate/internal/testkernel"
)

func TestNetfilter(t *testing.T) {
	release := testkernel.Releases(t)[0]
	for _, c := range []struct {
		point string
		want  [2]int64
	}{
		{`netfilter.hook("NF_INET_LOCAL_IN").pf("NFPROTO_IPV4")`, [2]int64{2<<8 | 1, 0}},
		{`netfilter.pf("NFPROTO_IPV6").hook("NF_IP6_POST_ROUTING").priority("NF_IP6_PRI_LAST")`, [2]int64{10<<8 | 4, 1<<31 - 1}},
		{`netfilter.hook("NF_ARP_FORWARD").pf("NFPROTO_ARP").priority("-17")`, [2]int64{3<<8 | 2, -17}},
		{`netfilter.hook("NF_BR_LOCAL_OUT").pf("NFPROTO_BRIDGE").priority("0x10")`, [2]int64{7<<8 | 3, 16}},
	} {
		e, diags := elaborated.OnKernel(t, release, "probe "+c.point+" { println($skb->len, $in, $out, $hooknum) }")
		if len(diags) > 0 {
			t.Errorf("%s: %v", c.point, diags)
			continue
		}
		if pt := e.Probes[0].Points[0]; pt.Family != "netfilter" || pt.Args != c.want {
			t.Errorf("%s: %+v", c.point, pt)
		}
	}
	for _, c := range []struct{ point, want string }{
		{`netfilter.hook("NF_IP6_LOCAL_IN").pf("NFPROTO_IPV4")`, `NFPROTO_IPV4 has no hook "NF_IP6_LOCAL_IN"`},
		{`netfilter.hook("5").pf("NFPROTO_IPV4")`, `NFPROTO_IPV4 has no hook "5"`}, // beyond the kernel's last
		{`netfilter.hook("NF_BR_BROUTING").pf("NFPROTO_BRIDGE")`, `has no hook`},
		{`netfilter.hook("NF_INET_LOCAL_IN").pf("NFPROTO_IPX")`, `netfilter has no protocol family "NFPROTO_IPX"`},
		{`netfilter.hook("NF_ARP_IN").pf("NFPROTO_ARP").priority("NF_IP_PRI_FIRST")`, `is no priority of NFPROTO_ARP`},
		{`netfilter.hook("NF_INET_LOCAL_IN").pf("NFPROTO_IPV4").priority("0x100000000")`, `it is a number of 32 bits`},
		{`netfilter.hook("NF_INET_LOCAL_IN")`, `is not complete`},
	} {
		if _, diags := elaborated.OnKernel(t, release, "probe "+c.point+" { }"); diags.Err() == nil || !strings.Contains(diags[0].Error(), c.want) {
			t.Errorf("%s: %v", c.point, diags)
		}
	}
}

func TestProcfs(t *testing.T) {
	release := testkernel.Releases(t)[0]
	for _, c := range []struct {
		point, file string
		want        [2]int64
	}{
		{`procfs.read`, "command", [2]int64{1<<16 | 0o400, 0}},
		{`procfs.write`, "command", [2]int64{1<<17 | 0o200, 0}},
		{`procfs("net/counts").umask(0040).read.maxsize(70000)`, "net/counts", [2]int64{1<<16 | 0o404, 70000}},
		{`procfs("x").umask(0).maxsize(2).read`, "x", [2]int64{1<<16 | 0o444, 2}},
		{`procfs.umask(0022).write`, "command", [2]int64{1<<17 | 0o200, 0}},
	} {
		e, diags := elaborated.OnKernel(t, release, "probe "+c.point+" { }")
		if len(diags) > 0 {
			t.Errorf("%s: %v", c.point, diags)
			continue
		}
		if pt := e.Probes[0].Points[0]; pt.Family != "procfs" || pt.Args != c.want || pt.File != c.file {
			t.Errorf("%s: %+v", c.point, pt)
		}
	}
	for _, c := range []struct{ script, want string }{
		{`probe procfs("/x").read { }`, `a path below the session's folder`},
		{`probe procfs("a/../x").read { }`, `a path below the session's folder`},
		{`probe procfs("..").read { }`, `a path below the session's folder`},
		{`probe procfs("x").umask(01000).read { }`, `must be from 0 to 0777`},
		{`probe procfs("x").read.maxsize(0) { }`, `must be from 2 to 16777216`},
		{`probe procfs("x").read { } probe procfs("x").read { }`, `another probe has .read of it`},
		{`probe procfs("x/y").read { } probe procfs("x").write { }`, `"x" is a file, and can't be a folder besides`},
	} {
		if _, diags := elaborated.OnKernel(t, release, c.script); diags.Err() == nil || !strings.Contains(diags[0].Error(), c.want) {
			t.Errorf("%s: %v", c.script, diags)
		}
	}
	// Several probes may read what is written.
	if _, diags := elaborated.OnKernel(t, release, `probe procfs("x").write { } probe procfs("x").write { println($value) }`); len(diags) > 0 {
		t.Error(diags)
	}
}
