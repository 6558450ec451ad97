// SPDX-License-Identifier: GPL-2.0-or-later

// Command where prints the cache's folder, for scripts.
package main

import (
	"fmt"

	"gostap/internal/cache"
)

func main() { fmt.Println(cache.Root()) }
