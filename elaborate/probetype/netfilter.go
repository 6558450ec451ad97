// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gostap/elaborate/probepoint"
	"gostap/translator/program"
	"gostap/translator/suggest"
	"gostap/translator/syntax"
)

func init() {
	register(netfilterHook,
		"netfilter.hook(string).pf(string)", "netfilter.hook(string).pf(string).priority(string)",
		"netfilter.pf(string).hook(string)", "netfilter.pf(string).hook(string).priority(string)")
}

// Protocol families of netfilter that have hooks by hook number
// (include/uapi/linux/netfilter.h).
const (
	nfInet   = 1 // both versions of IP
	nfIPv4   = 2
	nfARP    = 3
	nfBridge = 7
	nfIPv6   = 10
)

var nfFamilies = map[string]int64{"NFPROTO_IPV4": nfIPv4, "NFPROTO_IPV6": nfIPv6, "NFPROTO_ARP": nfARP, "NFPROTO_BRIDGE": nfBridge}

// nfHooks are the hooks of each protocol family by their numbers, behind the
// prefixes that their names may have.
var nfHooks = map[int64]struct {
	prefixes, names []string
}{
	nfInet:   {[]string{"NF_INET_"}, ipHooks},
	nfIPv4:   {[]string{"NF_INET_", "NF_IP_"}, ipHooks},
	nfIPv6:   {[]string{"NF_INET_", "NF_IP6_"}, ipHooks},
	nfARP:    {[]string{"NF_ARP_"}, []string{"IN", "OUT", "FORWARD"}},
	nfBridge: {[]string{"NF_BR_"}, ipHooks},
}

var ipHooks = []string{"PRE_ROUTING", "LOCAL_IN", "FORWARD", "LOCAL_OUT", "POST_ROUTING"}

// Named priorities, behind NF_IP_PRI_, NF_IP6_PRI_ and NF_BR_PRI_ (include/uapi/linux/netfilter_ipv4.h, netfilter_bridge.h).
var (
	ipPriorities = map[string]int64{
		"FIRST": math.MinInt32, "RAW_BEFORE_DEFRAG": -450, "CONNTRACK_DEFRAG": -400, "RAW": -300, "SELINUX_FIRST": -225,
		"CONNTRACK": -200, "MANGLE": -150, "NAT_DST": -100, "FILTER": 0, "SECURITY": 50, "NAT_SRC": 100, "SELINUX_LAST": 225,
		"CONNTRACK_HELPER": 300, "CONNTRACK_CONFIRM": math.MaxInt32, "LAST": math.MaxInt32,
	}
	bridgePriorities = map[string]int64{
		"FIRST": math.MinInt32, "NAT_DST_BRIDGED": -300, "FILTER_BRIDGED": -200, "BRNF": 0, "NAT_DST_OTHER": 100,
		"FILTER_OTHER": 200, "NAT_SRC": 300, "LAST": math.MaxInt32,
	}
	nfPriorities = map[int64]struct {
		prefix string
		values map[string]int64
	}{
		nfInet: {"NF_IP_PRI_", ipPriorities}, nfIPv4: {"NF_IP_PRI_", ipPriorities}, nfIPv6: {"NF_IP6_PRI_", ipPriorities},
		nfBridge: {"NF_BR_PRI_", bridgePriorities},
	}
)

// netfilterHook builds netfilter.hook: packets on their way through the kernel,
// in all network namespaces.
func netfilterHook(c *Context, m match) ([]*ProbeSite, *syntax.Diagnostic) {
	if _, d := c.kernel(m); d != nil {
		return nil, d
	}
	k, err := c.Target.Kernel()
	if err != nil {
		return nil, c.Target.Complain(m.At, err)
	}
	if len(k.Lookup("nf_register_net_hooks")) == 0 {
		return nil, m.Errorf("kernel %s has no netfilter: it was built without CONFIG_NETFILTER", k.Release)
	}
	family, d := c.nfFamily(m)
	if d != nil {
		return nil, d
	}
	hook, d := c.nfHook(m, family)
	if d != nil {
		return nil, d
	}
	priority, d := nfPriority(m, family)
	if d != nil {
		return nil, d
	}
	return []*ProbeSite{{
		Point: &program.Point{
			At:     m.At,
			Family: "netfilter",
			Name:   probepoint.Spell(m.ProbePoint),
			Args:   [2]int64{family<<8 | hook, priority},
		},
		Vars: c.Hook(),
	}}, nil
}

// nfFamily returns the number of the protocol family; in guru mode it may be
// given as a number, and stand for both versions of IP.
func (c *Context) nfFamily(m match) (int64, *syntax.Diagnostic) {
	name := m.Text("pf")
	if n, ok := nfFamilies[name]; ok {
		return n, nil
	}
	if c.Target.Guru {
		n, err := strconv.ParseInt(name, 0, 32)
		if name == "NFPROTO_INET" {
			n, err = nfInet, nil
		}
		if _, known := nfHooks[n]; err == nil && known {
			return n, nil
		}
	}
	d := m.Errorf("netfilter has no protocol family %q", name)
	d.Hint = "there are " + strings.Join(slices.Sorted(maps.Keys(nfFamilies)), ", ")
	return 0, d
}

// nfHook returns the number of the hook of a family; in guru mode it may be given as such.
func (c *Context) nfHook(m match, family int64) (int64, *syntax.Diagnostic) {
	name := m.Text("hook")
	hooks := nfHooks[family]
	var all []string
	for _, prefix := range hooks.prefixes {
		for i, n := range hooks.names {
			if name == prefix+n {
				return int64(i), nil
			}
			all = append(all, prefix+n)
		}
	}
	if n, err := strconv.ParseInt(name, 0, 32); err == nil && c.Target.Guru && n >= 0 && n < int64(len(hooks.names)) {
		return n, nil
	}
	d := m.Errorf("%s has no hook %q", m.Text("pf"), name)
	if near := suggest.Nearest(name, all, 1); len(near) > 0 {
		d.Hint = suggest.DidYouMean(near)
	} else {
		d.Hint = "there are " + strings.Join(all[:len(hooks.names)], ", ")
	}
	return 0, d
}

// nfPriority returns the priority, a number of 32 bits or a name; 0 if none is given.
func nfPriority(m match, family int64) (int64, *syntax.Diagnostic) {
	text := m.Text("priority")
	if !m.Has("priority") {
		return 0, nil
	}
	if n, err := strconv.ParseInt(text, 0, 32); err == nil {
		return n, nil
	}
	known := nfPriorities[family]
	if name, ok := strings.CutPrefix(text, known.prefix); ok && known.prefix != "" {
		if n, ok := known.values[name]; ok {
			return n, nil
		}
	}
	d := m.Errorf("%q is no priority of %s", text, m.Text("pf"))
	d.Hint = "it is a number of 32 bits"
	if known.prefix != "" {
		d.Hint += fmt.Sprintf(", or a name like %sFIRST", known.prefix)
	}
	return 0, d
}
