// SPDX-License-Identifier: GPL-2.0-or-later

package qualified

import "testing"

func TestCalled(t *testing.T) {
	for _, c := range []struct {
		full, name string
		want       bool
	}{
		{"main", "main", true}, {"main", "ain", false}, {"ns::Class::method", "method", true}, {"ns::Class::method", "Class::method", true},
		{"ns::Class::method", "ns::Class::method", true}, {"ns::Class::method", "ns::method", false}, {"ns::Class::method", "thod", false},
		{"ns::Box<ns::T>::get", "get", true}, {"ns::Box<ns::T>::get", "Box<ns::T>::get", true}, {"ns::most<int>", "most", true},
		{"ns::most<int>", "ns::most", true}, {"ns::most<int>", "most<int>", true}, {"ns::operator>", "operator>", true}, {"a", "", false},
		{"ns::(anonymous namespace)::f", "ns::f", true}, {"(anonymous namespace)::T::f", "T::f", true}, {"a::(anonymous namespace)::f", "b::f", false},
	} {
		if c.name != "" && Called(c.full, c.name) != c.want {
			t.Errorf("%s called %s: want %t", c.full, c.name, c.want)
		}
	}
}

func TestInner(t *testing.T) {
	for name, want := range map[string]string{"a::b::c": "b::c", "a<x::y>::b": "b", "(anonymous namespace)::f": "f", "{impl#0}::f": "f", "f": "", "f<a::b>": ""} {
		if got, ok := Inner(name); got != want || ok != (want != "") {
			t.Errorf("%s: %q %t", name, got, ok)
		}
	}
}

func TestDemangled(t *testing.T) {
	for _, c := range []struct{ symbol, full, name string }{
		{"_ZN2ns5Class6methodEd", "ns::Class::method(double)", "ns::Class::method"},
		{"_ZN2ns3BoxIiE3getEi", "ns::Box<int>::get(int)", "ns::Box<int>::get"},
		{"_ZN4main5thing3get17h0123456789abcdefE", "main::thing::get", "main::thing::get"}, // Rust's legacy mangling
		{"_RNvNtCs1234_4main5thing3get", "main::thing::get", "main::thing::get"},
		{"main", "main", "main"}, {"_Zx", "_Zx", "_Zx"},
	} {
		if full, name := Demangled(c.symbol), Name(c.symbol); full != c.full || name != c.name {
			t.Errorf("%s: %s, %s", c.symbol, full, name)
		}
	}
}

func TestCut(t *testing.T) {
	for name, want := range map[string][2]string{
		"ns::f(int, char*)": {"ns::f", "(int, char*)"}, "f": {"f", ""}, "C::operator()": {"C::operator()", ""},
		"C::operator()(int) const": {"C::operator()", "(int) const"}, "ns::(anonymous namespace)::f(int)": {"ns::(anonymous namespace)::f", "(int)"},
		"(anonymous namespace)::f": {"(anonymous namespace)::f", ""},
	} {
		if before, params := Cut(name); before != want[0] || params != want[1] {
			t.Errorf("%s: %q %q", name, before, params)
		}
	}
}
