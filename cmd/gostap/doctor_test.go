// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"strings"
	"testing"

	"gostap/doctor"
)

// The last line points to a VM where the running kernel can't be used and a VM can.
func TestConclusion(t *testing.T) {
	failed := []doctor.Finding{{Status: doctor.OK}, {Status: doctor.Error}}
	here := doctor.Facts{Live: &doctor.Live{}, VM: doctor.VM{Release: "6.1.0-56-cloud-amd64"}}
	if text := conclusion(here, failed); !strings.Contains(text, "gostap --vm") || !strings.Contains(text, "gostap doctor -r 6.1.0-56-cloud-amd64") {
		t.Error(text)
	}
	here.VM.Missing = []string{"qemu"}
	if text := conclusion(here, failed); strings.Contains(text, "--vm") {
		t.Error(text)
	}
	if text := conclusion(here, failed[:1]); text != "Nothing is missing." {
		t.Error(text)
	}
}
