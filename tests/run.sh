#!/usr/bin/env bash
# Runs parts of the suite, one after the other, and tells at the end how each went, in seconds and in
# seconds of processors:
#   tests/run.sh PART...       PART+PART: side by side, as one of them leaves processors idle
#   setup                      the virtual environment, the library and the tools
#   asan asan32 ubsan32 fuzz   the C tests, built in this way (tests/run_c.sh)
#   python                     the Python tests that are not slow
#   slow                       the others, and hypothesis' tests with more inputs
#   lint                       style and types; the rules of the repository are Python tests
# The last lines name what failed, which is in build/failed.txt too.
# HEAPSCOPE_UNTIL=SECONDS since 1970: no part and no slow test begins later, nor does a part that
# takes longer than is left. That is counted at the end and is not a failure.
# HEAPSCOPE_TURN=NUMBER says with which of the slow tests their part begins; else the hour does.
set -uo pipefail
cd "$(dirname "$0")/.."
mkdir -p build
deadline=${HEAPSCOPE_UNTIL:-}
table=build/parts.txt
failures=build/failed.txt
failed=0
: >"$table"
: >"$failures"

measure() { # PART: seconds of processors that this shell's commands took, in $used
    times >"build/$1.times"
    used=$(awk 'NR == 2 { gsub("[ms]", " "); $0 = $0; printf "%d", 60 * ($1 + $3) + $2 + $4 }' \
        "build/$1.times")
}

python_tests() { # NAME MARK [OPTION...]
    local name=$1 mark=$2
    shift 2
    rm -f "build/$name.folders"
    # One worker more than there are processors: tests wait for programs that they start.
    local workers
    workers=$(.venv/bin/python -c 'import os; print(os.cpu_count() + 1)')
    HEAPSCOPE_FOLDERS=build/$name.folders HEAPSCOPE_FAILED=$failures .venv/bin/python -m pytest --quiet -n "$workers" \
        --dist worksteal --durations=40 --durations-min=5 -m "$mark" "$@" | tee "build/$name.log"
    local code=${PIPESTATUS[0]}
    outcome=$(tail -n 1 "build/$name.log")
    [ "$code" = 0 ] || [ "$code" = 5 ] # 5: there are none
}

c_tests() { # WAY [FUZZ_RUNS]
    : >build/ran.txt
    tests/run_c.sh "$@"
    local code=$?
    outcome=$(tail -n 1 build/ran.txt)
    [ $code = 0 ] || sed "s/^[0-9]*:/FAILED $1 /" \
        "build/$1/Testing/Temporary/LastTestsFailed.log" >>"$failures" 2>/dev/null
    return $code
}

run_part() { # PART
    outcome=
    case $1 in
    setup) make --no-print-directory dev ;;
    asan | asan32 | ubsan32 | fuzz) c_tests "$1" ;;
    python) python_tests python "not slow" ;;
    slow) HEAPSCOPE_TURN=${HEAPSCOPE_TURN:-$(($(date +%s) / 3600))} \
        python_tests slow "slow or hypothesis" --hypothesis-profile=full ;;
    lint) make --no-print-directory style ;;
    *)
        echo "$0: no such part: $1" >&2
        exit 2
        ;;
    esac
}

takes() { # PART: seconds that must be left for it to begin, on two cores
    case $1 in
    fuzz) echo 300 ;;
    asan | asan32 | ubsan32) echo 300 ;;
    *) echo 0 ;; # slow tests look at the time themselves
    esac
}

one_part() { # PART: its row into the table; called in a subshell, whose processes are only this part's
    local part=$1 now code=0 verdict=
    now=$(date +%s)
    if [ -n "$deadline" ] && [ "$part" != setup ] && [ $((now + $(takes "$part"))) -gt "$deadline" ]; then
        printf '%-8s%31s  did not fit into the time\n' "$part" "" >>"$table"
        return
    fi
    run_part "$part" || { code=1 verdict="FAILED "; echo "FAILED $part" >>"$failures"; }
    measure "$part"
    {
        printf '%-8s%6d s %6d s of processors  %s\n' "$part" $(($(date +%s) - now)) "$used" \
            "$verdict$outcome"
        if [ "$part" = python ] || [ "$part" = slow ]; then cat "build/$part.folders"; fi
    } >>"$table"
    return $code
}

begun=$(date +%s)
for group in "$@"; do
    first=${group%%+*} beside=
    rest=${group#"$first"}
    for part in ${rest//+/ }; do # what they print comes when all have ended
        (one_part "$part") >"build/$part.out" 2>&1 &
        beside="$beside $!"
    done
    (one_part "$first") || failed=1
    for process in $beside; do wait "$process" || failed=1; done
    for part in ${rest//+/ }; do cat "build/$part.out"; done
    if [ "$group" = setup ] && [ $failed = 1 ]; then break; fi
done
echo
cat "$table"
printf '%-8s%6d s\n' total $(($(date +%s) - begun))
cat "$failures"
exit $failed
