# Heapscope for developers and for a first look. `make` lists the targets.
# Everything is made in .venv and build, and the native libraries in lab/heapscope/native and
# studies/heapscope_studies.
#   PYTHON=python3.12   another interpreter than python3
#   CC=clang            another C compiler than cc
#   HEAPSCOPE_ALL=1     a test that cannot run for want of a tool fails instead of being skipped
#   HEAPSCOPE_UNTIL=S   what takes long does not begin later than at this second since 1970

SHELL = /bin/bash
PYTHON ?= python3
BASE ?= main
VENV = .venv/bin
# Python compiles a module when it is first imported: most of what is installed never is.
PIP = $(VENV)/python -m pip --disable-pip-version-check install --quiet --no-compile
# uv fetches and unpacks packages in a fifth of pip's time. It does not read pip's settings: where they name
# another index, and where uv fails, pip does it.
OURS = --reinstall-package heapscope --reinstall-package heapscope-studies
FETCH = fetch() { \
    if [ -x $(VENV)/uv ] && ! $(VENV)/python -m pip config list | grep -q index && \
        $(VENV)/uv pip install --quiet --python $(VENV)/python $(OURS) "$$@"; then return; fi; \
    $(PIP) "$$@"; }
NATIVE = CMakeLists.txt cmake pyproject.toml device lab/models lab/native studies/CMakeLists.txt \
    studies/pyproject.toml studies/native
C_FOLDERS = device lab emulation tests benches studies

# What takes long. The slow tests come last: they fill the time that is left.
LONG = asan32 ubsan32 fuzz slow

# Runs a command; shows what it printed only if it fails.
QUIETLY = quietly() { mkdir -p build; "$$@" >build/step.log 2>&1 || { cat build/step.log; exit 1; }; }

export CC
# The matrices of the fits are small: threads for them wait for each other (6 times the time).
export OPENBLAS_NUM_THREADS = 1
# The tests start thousands of processes. Each would compile all that it imports where this is set.
export PYTHONDONTWRITEBYTECODE =
.NOTPARALLEL:
.PHONY: help demo firmware-demo test test-all test-long bare bench workloads lint style mutants-of-change generated packages wheels site pictures fuzz coverage clean
.PHONY: installed native tools dev

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1	\2/p' Makefile

demo: installed ## a real TLS client's memory on an ESP32, under two SDK versions
	@$(VENV)/python studies/workloads/mix/demo.py

firmware-demo: dev ## a whole firmware in emulation: its heap beside the lab's replay (needs QEMU)
	@command -v qemu-system-riscv32 >/dev/null || { \
	    [ "$$(id -u)" = 0 ] && apt-get install -qq -y --no-install-recommends qemu-system-misc; } || \
	    echo "The demo needs QEMU. Debian package: qemu-system-misc"
	@$(VENV)/python emulation/firmware/demo.py

test: ## C tests with sanitizers, Python tests, lint; and how long each took
	@tests/run.sh setup asan python+lint

test-all: ## the same, and all that takes long: C tests of 32 bit, slow tests, fuzzing
	@tests/run.sh setup asan python+lint $(LONG)

test-long: ## only what `make test` leaves out of `make test-all`
	@tests/run.sh setup $(LONG)

bare: ## `make demo test` in a clone on a bare Debian, and how long that takes (needs root)
	@tests/bare.sh

bench: installed ## speed and density on this machine, nothing asserted
	@$(VENV)/python benches/machine.py
	@for bench in benches/bench_*.py; do \
	    [ -e "$$bench" ] || continue; \
	    echo; echo "== $$bench"; $(VENV)/python "$$bench" || exit 1; \
	done

workloads: dev ## record the captured traces again from the programs' sources (needs cargo)
	@$(VENV)/python studies/workloads/make.py

lint: style ## style, types, format, and the rules of the repository
	@$(VENV)/python -m pytest --quiet tests/lab/test_repository.py \
	    tests/repository/test_walls.py tests/repository/test_english.py

style: dev ## style and types of Python, format of C: lint without the rules
	@mkdir -p build; failed=0; \
	( $(VENV)/ruff check --quiet || failed=1; \
	$(VENV)/ruff format --quiet --check || { failed=1; $(VENV)/ruff format --diff; }; \
	find $(C_FOLDERS) -name '*.[ch]' -exec $(VENV)/clang-format --dry-run -Werror {} + || failed=1; \
	exit $$failed ) & beside=$$!; \
	$(VENV)/mypy --num-workers 2 || failed=1; \
	wait $$beside || failed=1; \
	exit $$failed

mutants-of-change: dev ## breaks what changed since BASE=main in its known places, and sees a test fail
	@$(VENV)/python tests/mutations/run.py --changed-since $(BASE)

generated: dev ## every generated file: reference pages, schemas, golden traces
	@$(VENV)/python docs/generators

native: .venv/made ## the lab's library alone, in seconds after a change of C; not optimised across files
	@[ -e .venv/builders.txt ] || $(MAKE) --no-print-directory installed
	@$(QUIETLY); quietly $(VENV)/cmake -S . -B build/native -G Ninja \
	    -DCMAKE_MAKE_PROGRAM="$$PWD/$(VENV)/ninja" -DCMAKE_BUILD_TYPE=RelWithDebInfo; \
	quietly $(VENV)/cmake --build build/native --target heapscope_lab; \
	for made in build/native/*heapscope_lab.so build/native/*heapscope_lab.dylib; do \
	    [ ! -e "$$made" ] || { cp "$$made" build/native/new && mv build/native/new \
	        "lab/heapscope/native/$${made##*/}"; }; \
	done; \
	$(VENV)/python cmake/declare.py lab/native lab/heapscope/native/declarations.py

packages: .venv/made ## for Arduino, PlatformIO, ESP-IDF and Rust, in build/packages; URL=where the repository is
	@$(VENV)/python device/packages/pack.py build/packages --url "$(URL)"

wheels: dev ## of all systems, cross-built by zig, in build/wheels; ONLY=linux-x86_64 for one
	@$(VENV)/python cmake/wheels build/wheels $(addprefix --only ,$(ONLY))

site: dev ## the documentation as pages that work from the file system, in build/site/html
	@$(VENV)/python docs/site

pictures: dev ## take the pictures of pages anew that look otherwise, and make a sheet of all
	@$(VENV)/python tests/browser/pictures.py

fuzz: dev ## the fuzz targets with libFuzzer; FUZZ_RUNS=1000000 for more inputs
	@tests/run_c.sh fuzz $(FUZZ_RUNS)

coverage: dev ## branch coverage of the device's heap by its tests, 98 % at least (needs gcc)
	@$(VENV)/python tests/coverage.py

clean: ## remove everything that was made
	rm -rf .venv build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	rm -f lab/heapscope/native/declarations.py lab/heapscope/native/*heapscope_lab.*
	rm -f lab/heapscope/native/engine.wasm
	rm -f studies/heapscope_studies/week.h studies/heapscope_studies/*heapscope_studies.*
	rm -rf lab/heapscope/native/record lab/heapscope/native/*heapscope_record.*
	find lab emulation tests benches studies -name __pycache__ -prune -exec rm -rf {} +

# ---- set-up ------------------------------------------------------------------------------------

.venv/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "Heapscope needs Python 3.11 or newer and $(PYTHON) is not." \
	        "Name another one: make PYTHON=python3.12 ..."; exit 1; }
	@command -v $(CC) >/dev/null || { \
	    echo "Heapscope needs a C compiler and found no '$(CC)'. Debian package: gcc." \
	        "Name another one: make CC=clang ..."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || { \
	    echo "$(PYTHON) cannot make virtual environments. Debian package: python3-venv."; exit 1; }
	@echo "Making .venv"
	@rm -rf .venv; $(QUIETLY); quietly $(PYTHON) -m venv .venv && { $(PIP) uv 2>/dev/null || true; }
	@touch .venv/made

# Heapscope, the studies and what both need, used in place. Reinstalls when a C file or the list of C
# files changes. What builds them is installed beside them: an environment for each build takes longer.
BUILDERS = import tomllib; \
    print("cmake>=3.20", "ninja>=1.11", *{need for file in ("pyproject.toml", "studies/pyproject.toml") \
    for need in tomllib.load(open(file, "rb"))["build-system"]["requires"]}, sep="\n")
installed: .venv/made
	@if [ -e lab/heapscope/native/declarations.py ] && [ -e studies/heapscope_studies/week.h ] && \
	    [ -e .venv/installed ] && \
	    [ -z "$$(find $(NATIVE) -newer .venv/installed | head -n 1)" ]; then exit 0; fi; \
	echo "Building and installing heapscope into .venv"; $(QUIETLY); $(FETCH); \
	touch .venv/begun; strict=OFF; \
	if [ "$$HEAPSCOPE_ALL" = 1 ]; then strict=ON; fi; \
	$(VENV)/python -c '$(BUILDERS)' >.venv/builders.txt && \
	quietly fetch --requirement .venv/builders.txt && \
	quietly fetch --no-build-isolation --editable '.[all]' --editable studies \
	    --config-settings=cmake.define.HEAPSCOPE_WERROR=$$strict && \
	mv .venv/begun .venv/installed

# The tools of the extra "dev", and with zig, which is one of them, the engine of the pages; where they are
# there first, the build of Heapscope makes it.
ENGINE = lab/heapscope/native/engine.wasm
dev: tools installed
	@if [ -e $(ENGINE) ] && [ -z "$$(find device/include device/src lab/models lab/native \
	    cmake/engine.py -newer $(ENGINE) | head -n 1)" ]; then exit 0; fi; \
	echo "Building the engine of the pages"; $(QUIETLY); \
	quietly $(VENV)/python cmake/engine.py . $(ENGINE)

tools: .venv/made
	@if [ -e .venv/dev ] && [ -z "$$(find pyproject.toml -newer .venv/dev)" ]; then exit 0; fi; \
	echo "Installing the tools for tests into .venv"; $(QUIETLY); $(FETCH); \
	$(VENV)/python -c 'import tomllib; \
	    project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	    print(*project["optional-dependencies"]["dev"], sep="\n")' >.venv/dev.txt && \
	quietly fetch --requirement .venv/dev.txt && touch .venv/dev
