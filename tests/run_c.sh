#!/usr/bin/env bash
# Builds the C tests in one way and runs them with CTest, in build/WAY:
#   tests/run_c.sh asan|asan32|ubsan32|fuzz [FUZZ_RUNS]
# HEAPSCOPE_UNTIL=SECONDS since 1970: fuzzing ends after three minutes or then, with fewer inputs.
# What cannot run here is skipped and named; with HEAPSCOPE_ALL=1 that is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."

way=$1
export CC=${CC:-cc} # may hold options too
tools=$PWD/.venv/bin
build=build/$way
mkdir -p "$build"
trap '[ $? = 0 ] || echo "FAILED $way" >>build/ran.txt' EXIT

skip() { # WHY
    echo "skipped $way: $1" | tee -a build/ran.txt
    if [ "${HEAPSCOPE_ALL:-0}" = 1 ]; then exit 1; else exit 0; fi
}

quietly() {
    "$@" >"$build/step.log" 2>&1 || { cat "$build/step.log"; exit 1; }
}

builds_and_runs() { # FILE COMPILER...: a C file that should compile, link and run
    local source=$1
    shift
    "$@" "$source" -o "$build/probe" >"$build/probe.log" 2>&1 && "$build/probe" -runs=0 \
        >>"$build/probe.log" 2>&1
}

fuzz_seconds() { # for each target, two at a time, after two minutes for the compiler; 0: no limit
    if [ -z "${HEAPSCOPE_UNTIL:-}" ]; then echo 0; return; fi
    local targets left
    targets=$(find tests/fuzz -name 'fuzz_*.c' | wc -l)
    left=$((HEAPSCOPE_UNTIL - $(date +%s) - 120))
    if [ $left -gt 180 ]; then left=180; fi # the slow tests want the rest
    left=$((left * 2 / targets))
    echo $((left > 10 ? left : 10))
}

echo 'int main(void) { return 0; }' >"$build/main.c"
case $way in
asan)
    # The forms that only chips have are tested on 32 bits.
    options=(-DHEAPSCOPE_TESTS=ON -DHEAPSCOPE_VARIANTS=OFF -DHEAPSCOPE_SANITIZE=address,undefined)
    builds_and_runs "$build/main.c" $CC -fsanitize=address,undefined ||
        skip "$CC has no address sanitizer; Debian package: libasan8, or libclang-rt-dev"
    ;;
asan32)
    options=(-DHEAPSCOPE_TESTS=ON -DHEAPSCOPE_SANITIZE=address,undefined -DHEAPSCOPE_M32=ON)
    builds_and_runs "$build/main.c" $CC -m32 -fsanitize=address,undefined ||
        skip "$CC cannot link 32-bit programs; Debian package: gcc-multilib"
    ;;
ubsan32)
    CC="$tools/python -m ziglang cc -target x86-linux-musl"
    options=(-DHEAPSCOPE_TESTS=ON -DHEAPSCOPE_SANITIZE=undefined)
    builds_and_runs "$build/main.c" $CC -fsanitize=undefined ||
        skip "zig's 32-bit programs do not run on this machine (it needs x86 Linux)"
    ;;
fuzz)
    CC=clang
    options=(-DHEAPSCOPE_FUZZ=ON -DHEAPSCOPE_SANITIZE=fuzzer-no-link,address,undefined
        -DHEAPSCOPE_WERROR=ON -DHEAPSCOPE_FUZZ_RUNS="${2:-100000}"
        -DHEAPSCOPE_FUZZ_SECONDS="$(fuzz_seconds)")
    echo 'int LLVMFuzzerTestOneInput(const char *b, long n) { return n < 0 && b[0]; }' \
        >"$build/target.c"
    builds_and_runs "$build/target.c" clang -fsanitize=fuzzer,address,undefined ||
        skip "clang with libFuzzer is missing; Debian packages: clang libclang-rt-dev"
    ;;
*)
    echo "$0: no such way: $way" >&2
    exit 2
    ;;
esac

echo "C tests: $way"
quietly "$tools/cmake" -S . -B "$build" -G Ninja -DCMAKE_MAKE_PROGRAM="$tools/ninja" "${options[@]}"
quietly "$tools/cmake" --build "$build"
"$tools/ctest" --test-dir "$build" --output-on-failure --no-tests=error --parallel 2 |
    tee "$build/ctest.log"
outcome=$(grep 'tests passed' "$build/ctest.log")
if [ "$way" = fuzz ]; then
    inputs=$(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$build/Testing/Temporary/LastTest.log")
    outcome="$outcome; inputs: $(echo $inputs)"
fi
echo "ran $way: $outcome" >>build/ran.txt
