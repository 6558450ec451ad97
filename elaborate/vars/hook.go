// SPDX-License-Identifier: GPL-2.0-or-later

package vars

import (
	"strings"

	"gostap/elaborate/btf"
	"gostap/translator/syntax"
)

// A hook is the site of a netfilter hook. The runtime hands its variables over
// as a function's arguments, in the order of hookVariables
// (runtime-c/kernel/families/netfilter.c).
type hook struct{ nowhere }

// hookVariables are the variables of a netfilter hook with their types;
// stapprobes(3stap), "Netfilter hooks".
var hookVariables = []struct{ name, kind string }{
	{"hooknum", "unsigned int"},
	{"skb", "struct sk_buff *"},
	{"in", "struct net_device *"},
	{"out", "struct net_device *"},
	{verdict, "unsigned int"},
}

// verdict is the variable with the hook's verdict on the packet.
const verdict = "verdict"

// Hook returns the variables of a netfilter hook.
func (e *Env) Hook() *Resolver { return &Resolver{env: e, site: &hook{nowhere{env: e}}} }

func (h *hook) String() string { return "a netfilter hook" }
func (h *hook) key() string    { return "netfilter hook" }

func (h *hook) prototype() (*btf.Proto, bool) {
	types, err := h.types()
	if err != nil {
		return nil, false
	}
	p := &btf.Proto{}
	for _, v := range hookVariables {
		kinds := typesNamed(types, strings.TrimSpace(v.kind))
		if len(kinds) == 0 {
			return nil, false
		}
		p.Params = append(p.Params, param{Name: v.name, Type: kinds[0]})
	}
	return p, true
}

// param returns where the i-th variable is: only the verdict can be changed.
func (h *hook) param(types btf.Named, p *btf.Proto, i int, at syntax.Pos) *location {
	l := paramLocation(types, p, i, at)
	if p.Params[i].Name != verdict {
		l.store = nil
	}
	return l
}

func (h *hook) undescribed(at syntax.Pos, what string) *syntax.Diagnostic {
	return syntax.Errorf(at, "%s: the kernel's BTF does not describe struct sk_buff and struct net_device", what)
}
