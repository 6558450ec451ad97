// SPDX-License-Identifier: GPL-2.0-or-later

package otlp

import (
	"strings"

	"go.opentelemetry.io/otel/attribute"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	resources "go.opentelemetry.io/proto/slim/otlp/resource/v1"

	"go.opentelemetry.io/otel/sdk/resource"

	"gostap/live"
)

// scope identifies gostap as the source of the data.
var scope = &common.InstrumentationScope{Name: "gostap"}

// resourceOf returns the message for a resource.
func resourceOf(r *resource.Resource) *resources.Resource {
	return &resources.Resource{Attributes: keyValues(r.Iter())}
}

func keyValues(i attribute.Iterator) []*common.KeyValue {
	list := make([]*common.KeyValue, 0, i.Len())
	for i.Next() {
		list = append(list, keyValue(i.Attribute()))
	}
	return list
}

func keyValue(kv attribute.KeyValue) *common.KeyValue {
	return &common.KeyValue{Key: valid(string(kv.Key)), Value: anyValue(kv.Value)}
}

func anyValue(v attribute.Value) *common.AnyValue {
	if v.Type() == attribute.INT64 {
		return &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: v.AsInt64()}}
	}
	return &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: valid(v.String())}}
}

// valid returns s as valid UTF-8, which messages require.
func valid(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

// lines returns a text of several lines with each line escaped like a label, but with tabs.
func lines(s string) string {
	s = strings.TrimSuffix(s, "\n")
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f }) {
		return s // the common case
	}
	list := strings.Split(s, "\n")
	for i, line := range list {
		parts := strings.Split(line, "\t")
		for j, part := range parts {
			parts[j] = live.Label(part)
		}
		list[i] = strings.Join(parts, "\t")
	}
	return strings.Join(list, "\n")
}
