// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"gostap/vm"
)

// guestArg is the first argument of this program when it runs in the guest; the second is a key of
// guests.
const guestArg = "in-the-guest"

// guests are the parts of measurements that run inside the VM. Each prints name=value lines.
var guests map[string]func(args []string)

func init() {
	guests = map[string]func([]string){"hits": guestHits, "userhits": guestUserHits, "attach": guestAttach, "memory": guestMemory, "throughput": guestThroughput, "tools": guestTools, "live": guestLive}
}

// inGuest runs a part in the VM, with the scratch folder as its first argument, and returns the printed
// values.
func (b *bench) inGuest(part string, icount bool, args ...string) (map[string]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var out, console bytes.Buffer
	code, err := vm.Run(context.Background(), vm.Config{
		Release: b.release, MemoryMB: 2048, ICount: icount, Dir: b.dir,
		Args: append([]string{self, guestArg, part, b.dir}, args...), Stdout: io.MultiWriter(&out, os.Stderr), Stderr: os.Stderr, Console: &console,
	})
	if err != nil || code != 0 {
		return nil, fmt.Errorf("the guest ended with %d, %v\n%s", code, err, console.String())
	}
	found := map[string]string{}
	for line := range strings.Lines(out.String()) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			found[key] = value
		}
	}
	return found, nil
}
