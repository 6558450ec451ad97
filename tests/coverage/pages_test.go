// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"reflect"
	"testing"
)

func TestParsePage(t *testing.T) {
	got := parsePage("f", `.SH "NAME"
function::f \- two forms
.SH "SYNOPSIS"
.sp
.nf
1) f:string(addr:long)
.fi
.sp
.nf
2) f:string(addr:long,err_msg:string)
.fi
.SH "VALUES"
.PP
\fIbytes_to_read\fR
.RS 4
how many
.RE
.PP
\fIa, \fR\fI$b\fR
.RS 4
two of them
.RE
.SH "CONTEXT"
.PP
\fInothing\fR
.RS 4
`)
	want := page{
		name:     "f",
		synopsis: []string{"f:string(addr:long)", "f:string(addr:long,err_msg:string)"},
		values:   []string{"bytes_to_read", "a", "$b"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestCalls(t *testing.T) {
	for text, want := range map[string][]string{
		"f:long(a:long,b:string)": {`print(f(1, "a"))`, `f(1, "a")`},
		"f()":                     {"f()"},
		"f(a)":                    {`f("a")`, "f(1)"},
		"nothing":                 nil,
	} {
		if got := calls(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
