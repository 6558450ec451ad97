# SPDX-License-Identifier: GPL-2.0-or-later

GO ?= go
GOFLAGS := -trimpath -tags=nethttpomithttp2
# A static binary takes no C library to be built or run.
export CGO_ENABLED := 0
BIN := bin/gostap

.PHONY: all demo reference man book packages test-packages test test-kernels bench torture fuzz debug-kernel setup setup-test setup-kernels setup-dwarf clean

all: $(BIN)

.PHONY: $(BIN)
$(BIN):
	$(GO) build $(GOFLAGS) -o $@ ./cmd/gostap

# What the main job is: a script's answer from a real kernel, in a throwaway VM.
demo: setup $(BIN)
	$(BIN) --vm -c 'dd if=/dev/zero of=/dev/null bs=1 count=20000' examples/vfs-reads.stp

# What the tapset library's functions and aliases do, of their comments.
reference: $(BIN)
	$(BIN) help --reference >docs/REFERENCE.md

# Manual pages, of the same texts.
man: $(BIN)
	GO="$(GO)" packages/man $(BIN) bin/man

# docs/ as a book, in bin/book, by Debian 12's MkDocs. tests/book runs the commands that stand in it.
book:
	tests/setup book
	mkdocs build --quiet
	rm -f bin/book/*.go

# deb and rpm for amd64, in bin/packages: the same bytes of the same commit.
packages:
	GO="$(GO)" packages/build bin/packages

# Installs, uses and removes them in fresh Debian 12 and 13, which takes root.
test-packages: packages
	tests/setup packages
	GOSTAP_PACKAGES=$(CURDIR)/bin/packages $(GO) test -v -count=1 -timeout 30m ./tests/packages

test: setup-test $(BIN)
	tests/run

# End to end and the short torture, on more kernels than test: those of other Debian releases,
# PREEMPT_RT. Writes README's table. KERNELS chooses some of them by release.
test-kernels: setup-kernels $(BIN)
	GOSTAP_KERNELS="$(KERNELS)" tests/kernels/run

bench: setup-test $(BIN)
	$(GO) run ./tests/bench

# What must not harm the kernel, at length: half an hour or more for each kernel. KERNEL is a release,
# or debug or race for one that looks for bugs itself, or for races; default: all that are installed.
torture: setup-test $(BIN)
ifneq ($(filter debug race,$(KERNEL)),)
	tests/setup debug-kernel
	kernel=$$(tests/debug-kernel/build tests/debug-kernel/base tests/debug-kernel/$(KERNEL)) && GOSTAP_TORTURE=long GOSTAP_KERNELS=$$kernel $(GO) test -v -p 1 -timeout 24h ./tests/torture ./tests/cross
else
	GOSTAP_TORTURE=long GOSTAP_KERNELS="$(KERNEL)" $(GO) test -v -p 1 -timeout 24h ./tests/torture ./tests/cross
endif

# Looks for what passes 1 to 3 panic or hang on, and for scripts of which they make C that does not
# compile: each fuzzer for FUZZTIME, or only those whose names match FUZZ; FUZZ=Passes is the one of all passes.
FUZZTIME ?= 10m
fuzz: setup-test
	GO="$(GO)" tests/fuzz/run $(FUZZTIME) $(FUZZ)

# Half an hour on two cores, once.
debug-kernel:
	tests/setup debug-kernel
	tests/debug-kernel/build

# What Debian has to give: setup for running scripts, setup-test for the tests too.
setup:
	tests/setup demo

setup-test:
	tests/setup test

# 1.5 GB of other distributions' kernels and compilers, in gostap's cache.
setup-kernels: setup-test
	tests/kernels/releases fetch

# A kernel's debuginfo, 1.8 GB: without it the tests that need it are skipped.
setup-dwarf:
	tests/setup dwarf

clean:
	rm -rf bin
