"""All that the page shows, measured: plain data, ready for JSON."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import article
import counts
from emulation.events import load
from emulation.places import MissingError
from emulation.run import Form
from emulation.targets import GCC_X86, TARGETS, Target, need_compiler
from instructions import CALLS, Job, Tally, count, merge
from needed import OURS, Needed, needed, over_traces, per_program
from places import HERE
from sets import REAL, Trace
from timing import ROUNDS, SHORT, SHORT_ROUNDS, program, time_events

__all__ = [
    "ALIGNED_TO",
    "WIDE",
    "available",
    "measure",
    "measure_instructions",
    "measure_ours",
    "rivals",
]

WIDE = "heapscope-wide"
#: Our heap with blocks aligned otherwise than by default: alignment, and the model's name, if it is
#: another one.
ALIGNED_TO = {4: OURS, 16: "heapscope-16"}
#: Those whose instructions are counted, beside gcc's x86-32.
CHIPS = ("x86-32", "rv32imc", "cortex-m4")
ROOM = 1.25  # of the larger pool that each trace is run in, beside the needed one


def rivals() -> dict[str, Any]:
    return tomllib.loads((HERE / "rivals.toml").read_text(encoding="utf-8"))


def available() -> list[Target]:
    """The targets on which instructions are counted; a missing one is named."""
    results = []
    for target in (GCC_X86, *(TARGETS[name] for name in CHIPS)):
        try:
            need_compiler(target)
            results.append(target)
        except MissingError as error:
            print(f"left out: {target.name}, missing: {error}", file=sys.stderr)
    return results


def say(what: str) -> Callable[[int, int], None]:
    """Progress on a terminal, and nothing elsewhere."""

    def done(number: int, of: int) -> None:
        if sys.stderr.isatty():
            end = "\n" if number == of else ""
            print(f"\r{what}: {number} of {of}", end=end, file=sys.stderr, flush=True)

    return done


def measure(
    traces: Sequence[Trace], fresh: Sequence[Trace], names: Sequence[str]
) -> dict[str, Any]:
    """`traces`: what everything is measured on; `fresh`: what the needed pools are, too; `names`:
    of the allocators."""
    result = needed([*traces, *fresh], names, done=say("needed pools"))
    return {
        "density": counts.density(names),
        "control": counts.control(names),
        **_of(result, names, traces, fresh),
    }


def measure_ours(
    traces: Sequence[Trace], fresh: Sequence[Trace], before: Mapping[str, Any]
) -> dict[str, Any]:
    """The same, of our heap alone. `before`: an earlier run, from which the others are kept; a
    trace that is not the one of that run is measured on all."""
    names = list(before["needed"]["means"]["real"])
    ours = [name for name in names if name.startswith(OURS)]
    every = [*traces, *fresh]
    result = needed(every, ours, done=say("needed pools of ours"))
    kept = before["needed"]["traces"]
    changed = []
    for trace in every:
        row = result[trace.name]
        if trace.name in kept and kept[trace.name]["peak_live"] == row[OURS].peak_live:
            row.update({who: n for who, n in _kept(kept[trace.name]).items() if who not in ours})
        else:
            changed.append(trace)
    if changed:
        result.update(needed(changed, names, done=say("needed pools of changed traces")))
    return {
        "density": {**before["density"], **counts.density(ours)},
        "control": {**before["control"], **counts.control(ours)},
        **_of(result, names, traces, fresh),
    }


def _of(
    result: Mapping[str, Mapping[str, Needed]],
    names: Sequence[str],
    traces: Sequence[Trace],
    fresh: Sequence[Trace],
) -> dict[str, Any]:
    """The needed pools, and what our heap does in them."""
    served = [trace for trace in traces if result[trace.name][OURS].pool]
    return {
        "needed": pools(result, names, traces, fresh),
        "instructions": all_instructions(served, result),
        "sizes": counts.sizes(compilers()),
        **times(served, result),
    }


def measure_instructions(
    traces: Sequence[Trace], before: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """`before`: the traces of an earlier run with the pools that they need."""
    result = {trace.name: _kept(before[trace.name]) for trace in traces if trace.name in before}
    served = [trace for trace in traces if trace.name in result and result[trace.name][OURS].pool]
    return {
        "instructions": all_instructions(served, result),
        "sizes": counts.sizes(compilers()),
    }


def _kept(row: Mapping[str, Any]) -> dict[str, Needed]:
    """A trace's row of an earlier run."""
    return {
        who: Needed(pool=pool, peak_live=row["peak_live"], reason=row["reasons"].get(who, ""))
        for who, pool in row["pools"].items()
    }


def compilers() -> list[Target]:
    """The programs whose code sizes are measured."""
    return [*TARGETS.values(), *(target for target in available() if target.by_gcc)]


# ---- needed pools -------------------------------------------------------------------------------


def pools(
    result: Mapping[str, Mapping[str, Needed]],
    names: Sequence[str],
    traces: Sequence[Trace],
    fresh: Sequence[Trace],
) -> dict[str, Any]:
    real = [trace for trace in traces if trace.kind == REAL]
    means = {
        "real": {who: over_traces(result, [t.name for t in real], who) for who in names},
        "real, by program": {who: per_program(result, real, who) for who in names},
        "synthetic": {who: over_traces(result, [t.name for t in fresh], who) for who in names},
    }
    return {
        "means": {key: {who: asdict(m) for who, m in row.items()} for key, row in means.items()},
        "traces": {
            trace.name: {
                "kind": trace.kind,
                "program": trace.program,
                "peak_live": result[trace.name][OURS].peak_live,
                "pools": {who: result[trace.name][who].pool for who in names},
                "reasons": {w: n.reason for w, n in result[trace.name].items() if n.reason},
            }
            for trace in (*traces, *fresh)
        },
    }


# ---- instructions -------------------------------------------------------------------------------


def all_instructions(
    traces: Sequence[Trace], result: Mapping[str, Mapping[str, Needed]]
) -> dict[str, Any]:
    """By a run's name, then by call; and the better compiler's figures of x86-32."""
    runs: dict[str, dict[str, Any]] = {}

    def run(name: str, target: Target, who: str, room: float, **how: Any) -> None:
        chosen = [(t, result[t.name][who].pool) for t in traces]
        jobs = [
            Job(target, t.name, t.path, int(pool * room) & ~7, **how) for t, pool in chosen if pool
        ]
        results = count(jobs, done=say(name))
        runs[name] = tallied([tallies for tallies, _ in results])
        for call, row in runs[name].items():
            own = {
                job.name: r[0][call] for job, r in zip(jobs, results, strict=True) if call in r[0]
            }
            row["means"] = {trace: round(tally.mean, 2) for trace, tally in own.items()}

    for target in available():
        for room in (1.0, ROOM):
            run(f"{target.name}, {room:g}x", target, OURS, room)
        if target.machine == "x86":
            run(f"{target.name}, wide", target, WIDE, 1.0, form=Form.WIDE)
    for alignment, who in ALIGNED_TO.items():
        name = f"x86-32, aligned to {alignment}"
        run(name, TARGETS["x86-32"], who, 1.0, alignment=alignment)
    return {"runs": runs, "best": best(runs)}


def tallied(parts: Sequence[Mapping[str, Tally]]) -> dict[str, Any]:
    """All calls as one; `by_trace`: the mean of the traces' means, each trace the same."""
    rows = {}
    for call in CALLS:
        own = [part[call] for part in parts if call in part]
        whole = merge(own)
        if whole is not None:
            by_trace = sum(tally.mean for tally in own) / len(own)
            rows[call] = {**whole.to_json(), "by_trace": round(by_trace, 2)}
    return rows


def best(runs: Mapping[str, Mapping[str, Any]]) -> dict[str, tuple[float, float]]:
    """Mean and worst on x86-32 of the compiler whose mean is less; of both pools, and of both ways
    of taking the mean, what is more."""
    rows = {}
    wanted = {f"{w}{call}": (w, call) for w in ("", "wide ") for call in ("malloc", "free")}
    for key, (wide, call) in wanted.items():
        sides = []
        for compiler in ("x86-32", GCC_X86.name):
            ends = ("wide",) if wide else ("1x", f"{ROOM:g}x")
            own = [runs[n][call] for n in (f"{compiler}, {end}" for end in ends) if n in runs]
            if own:
                means = [max(row["mean"], row["by_trace"]) for row in own]
                sides.append((max(means), max(row["max"] for row in own)))
        rows[key] = min(sides)
    return rows


# ---- time ---------------------------------------------------------------------------------------


def times(
    traces: Sequence[Trace], result: Mapping[str, Mapping[str, Needed]]
) -> dict[str, dict[str, Any]]:
    binary, built = program()
    rows, done = {}, say("nanoseconds")
    for number, trace in enumerate(traces, 1):
        pool = result[trace.name][OURS].pool
        assert pool is not None
        events = load(trace.path)
        timed = time_events(binary, events, pool)
        alone = time_events(binary, events[:SHORT], pool, rounds=SHORT_ROUNDS)
        first = {
            "within": round(float(timed.each[:SHORT].mean()), 1),
            "alone": round(float(alone.each.mean()), 1),
        }
        rows[trace.name] = {**timed.to_json(events), "first": first}
        done(number, len(traces))
    on_article: dict[str, Any] = {key: {"instructions": {}, "ns": {}} for key in article.KEYS}
    for target in available():
        for key, value in article.instructions(target).items():
            on_article[key]["instructions"][f"{target.name}, -O2"] = value
    for key, nanoseconds in article.nanoseconds(binary).items():
        on_article[key]["ns"][built] = nanoseconds
    return {"times": {"built": built, "rounds": ROUNDS, "traces": rows}, "article": on_article}
