# SPDX-License-Identifier: GPL-2.0-or-later

GO ?= go
GOFLAGS := -trimpath
BIN := bin/gostap

.PHONY: all demo test bench unit setup setup-test clean

all: $(BIN)

.PHONY: $(BIN)
$(BIN):
	$(GO) build $(GOFLAGS) -o $@ ./cmd/gostap

# What the main job is: a script's answer from a real kernel, in a throwaway VM.
demo: setup $(BIN)
	$(BIN) --vm -c 'dd if=/dev/zero of=/dev/null bs=1 count=20000' examples/vfs-reads.stp

test: setup-test $(BIN)
	tests/run

bench: setup-test $(BIN)
	$(GO) run ./tests/bench

# What Debian has to give: setup for running scripts, setup-test for the tests too.
setup:
	tests/setup demo

setup-test:
	tests/setup test

clean:
	rm -rf bin
