// SPDX-License-Identifier: GPL-2.0-or-later

package consumer

import (
	"encoding/binary"
	"reflect"
	"testing"

	"github.com/mdlayher/netlink"
)

func TestDecodeStats(t *testing.T) {
	ae := netlink.NewAttributeEncoder()
	ae.Uint64(attrClockNow, 1)
	ae.Uint64(attrClockNs, 2)
	ae.Uint32(attrClockKhz, 3)
	ae.Uint32(attrState, stateRunning)
	ae.Uint64(attrErrors, 4)
	ae.Uint32(attrUnarmed, 5)
	words := func(n ...uint64) (b []byte) {
		for _, n := range n {
			b = binary.NativeEndian.AppendUint64(b, n)
		}
		return b
	}
	ae.Bytes(attrSkipped, words(1, 2, 3, 4, 5))
	ae.Bytes(attrLost, words(6, 7))
	ae.Bytes(attrWritten, words(8, 9))
	data, err := ae.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := decodeStats(data)
	want := &kernelStats{
		clock: clock{1, 2, 3}, state: stateRunning, errors: 4, unarmed: 5,
		skipped: []uint64{1, 2, 3, 4, 5}, lost: []uint64{6, 7}, written: []uint64{8, 9},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestDecodeMessage(t *testing.T) {
	ae := netlink.NewAttributeEncoder()
	ae.Uint32(attrMsgKind, msgError)
	ae.String(attrText, "text")
	ae.String(attrNear, "near")
	ae.String(attrPoint, "")
	data, err := ae.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := decodeMessage(data)
	if want := (message{kind: msgError, text: "text", near: "near"}); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
}
