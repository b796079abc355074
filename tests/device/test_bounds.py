"""No call executes more instructions than the bound that is derived from its machine code, and what
cannot be bounded is refused."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile
from emulation.bounds import Bounds
from emulation.bounds_code import CodeError
from emulation.bounds_held import Held
from emulation.bounds_loads import Addresses, loads, seen
from emulation.bounds_paths import END, Allowed, longest
from emulation.bounds_trace import Trace, held, loops_seen, rounds_apart, strays, without
from emulation.bounds_ways import APART, CALLS, MAP, WAYS, WIDE, bounds_of, function_of, held_of
from emulation.build import build_image
from emulation.machine import Machine
from emulation.run import SKIPPED, EmulatedHeap, Form
from emulation.targets import TARGETS

TARGET = TARGETS["rv32imc"]
LINES = ("-gline-tables-only",)
PROGRAMS = Path(__file__).parent / "bounds"

KNOWN = (PROGRAMS / "known.c").read_text(encoding="utf-8")

REFUSED = (PROGRAMS / "refused.c").read_text(encoding="utf-8")


HOLDING = (PROGRAMS / "holding.c").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def building(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """An image of a C text."""
    images: dict[str, Path] = {}

    def image(name: str, text: str) -> Path:
        if text not in images:
            source = tmp_path_factory.mktemp(name) / f"{name}.c"
            source.write_text(text, encoding="utf-8")
            images[text] = build_image(TARGET, [source], entry="none", more=LINES)
        return images[text]

    return image


def executed(machine: Machine, trace: Trace, function: str, *arguments: int) -> Addresses:
    machine.call(function, *arguments)
    (result,) = trace.taken()
    return result


@pytest.mark.parametrize(
    ("function", "spare"),
    [
        ("straight", 0),
        ("chosen", 0),
        ("counted", 0),
        ("at_least_once", 1),
        ("nested", 0),
        ("told", 0),
        ("calling", 0),
        ("in_all", 60),
        ("once", 20),
    ],
)
def test_the_longest_run_of_a_small_program_is_its_bound(
    building: Callable[..., Path], function: str, spare: int
) -> None:
    """`spare`: what no run needs of it, where data decide which way may follow which."""
    image = building("known", KNOWN)
    bounds = Bounds(image, meaning={"most": 30})
    machine = Machine(TARGET, image)
    trace = Trace(machine, 1 << 16)
    calls = [executed(machine, trace, function, n, 30) for n in range(40)]
    bound = bounds.of(function)
    most = max(map(len, calls))
    assert most <= bound.instructions <= most + spare
    assert sum(bound.visits.values()) == bound.instructions
    assert strays(bounds, calls) == []


@pytest.mark.parametrize(
    ("function", "why"),
    [
        ("unbounded", "no bound is stated beside this loop"),
        ("unnamed", "nobody says what rounds is"),
        ("itself", "calls itself"),
        ("anywhere", "a call of what a register says"),
        ("two_entries", "entered at two places"),
        ("beside", "no bound is stated beside this loop"),
    ],
)
def test_what_cannot_be_bounded_is_refused(
    building: Callable[..., Path], function: str, why: str
) -> None:
    with pytest.raises(CodeError, match=why):
        Bounds(building("refused", REFUSED)).of(function)


@pytest.mark.parametrize("function", ["held", "in_turn", "nesting", "never"])
def test_the_longest_time_with_a_lock_is_bounded(
    building: Callable[..., Path], function: str
) -> None:
    image = building("holding", HOLDING + "uint32_t never(uint32_t n) { return n; }")
    hooks = {"lock": ["take"], "unlock": ["give"]}
    bounds = Bounds(image, hooks=hooks)
    machine = Machine(TARGET, image)
    trace = Trace(machine, 1 << 16)
    calls = [executed(machine, trace, function, n) for n in range(10)]
    most = max(len(held(bounds, call, ["take"], ["give"])) for call in calls)
    bound = Held(bounds, ["take"], ["give"]).of(function)
    assert most <= bound <= most + 4  # a branch that data do not take
    assert (bound == 0) is (function == "never")


# ---- random programs ----------------------------------------------------------------------------


def statements(chance: random.Random, depth: int, name: str) -> Iterator[str]:
    """Any nesting of loops, choices and breaks whose course the argument decides."""
    for number in range(chance.randint(1, 3)):
        kinds = ["work", "if", "for", "do", *(["call"] if name[0] != "l" else [])]
        kind = chance.choice(kinds if depth < 3 else ["work"])
        own = f"{name}{number}"
        bit = f"(n >> {chance.randint(0, 15)} & 1)"
        if kind == "work":
            yield from ["sink = n;"] * chance.randint(1, 3)
        elif kind == "call":
            yield f"sink = leaf(n + {chance.randint(0, 99)});"
        elif kind == "if":
            yield f"if ({bit}) {{"
            yield from statements(chance, depth + 1, own)
            yield "} else {"
            yield from statements(chance, depth + 1, own)
            yield "}"
        else:
            most = chance.randint(1, 6)
            wanted = f"(n >> {chance.randint(0, 12)} & 7)"
            end = f"i{own} < {most} && i{own} < {wanted}"
            yield f"{{ uint32_t i{own} = 0;"
            first = f"while ({end})" if kind == "for" else "do"
            yield f"{first} {{ /* bound: {most} */"
            yield from statements(chance, depth + 1, own)
            if chance.random() < 0.3:
                yield f"if ({bit} && sink == i{own}) {{ break; }}"
            yield f"i{own}++;"
            yield "}" if kind == "for" else f"}} while ({end});"
            yield "}"


def program(seed: int) -> str:
    chance = random.Random(seed)
    lines = ["#include <stdint.h>", "volatile uint32_t sink;"]
    lines += ["__attribute__((noinline)) static uint32_t leaf(uint32_t n) {"]
    lines += [*statements(chance, 2, "l"), "return sink; }"]
    for number in range(12):
        lines += [f"uint32_t f{number}(uint32_t n) {{"]
        lines += [*statements(chance, 0, "v"), "return sink; }"]
    return "\n".join(lines) + "\n"


def test_no_run_of_a_random_program_exceeds_its_bound(
    building: Callable[..., Path], seed: int
) -> None:
    print(f"seed {seed}")
    image = building("random", program(seed))
    bounds = Bounds(image)
    machine = Machine(TARGET, image)
    trace = Trace(machine, 1 << 20)
    chance = random.Random(seed)
    bounded = 0
    arguments = [0, 0xFFFF, *(chance.getrandbits(16) for _ in range(60))]
    for number in range(12):
        calls = [executed(machine, trace, f"f{number}", n) for n in arguments]
        try:
            bound = bounds.of(f"f{number}").instructions
        except CodeError as error:
            reasons = ("entered at two places", "none in the source")  # as optimisers make them
            if not any(reason in str(error) for reason in reasons):
                raise
            continue
        bounded += 1
        assert max(map(len, calls)) <= bound <= 40 * max(map(len, calls))
        assert strays(bounds, calls) == []
        assert [loop for loop in loops_seen(bounds, calls) if loop.seen > loop.limit] == []
    assert bounded >= 6


def test_the_longest_way_of_a_graph_is_detected() -> None:
    """Two loops, one in the other: 10 + 3 * (5 + 4 * 2 + 1) rounds and the way out."""
    edges: Mapping[str, list[tuple[str | None, int]]] = {
        "begin": [("outer", 10)],
        "outer": [("inner", 5)],
        "inner": [("inner", 2), ("end", 2)],
        "end": [("outer", 1), (END, 7)],
    }
    passes = {"outer": 4, "inner": 4}
    path = longest("begin", edges, lambda loop, _: Allowed(passes[loop.head]))
    assert path.cost == 10 + 3 * (5 + 4 * 2 + 1) + 5 + 4 * 2 + 7
    assert path.visits == {"begin": 1, "outer": 4, "inner": 16, "end": 4}


# ---- the library --------------------------------------------------------------------------------


def heap_calls(image: Path, seed: int) -> tuple[dict[str, list[Addresses]], list[Addresses]]:
    """Collects what each call of a heap executed."""
    by_call: dict[str, list[Addresses]] = {}
    every: list[Addresses] = []
    for pool, rows in loads(seed, 400):
        heap = EmulatedHeap(TARGET, image, pool, form=Form.SMALL, counted=False)
        trace = Trace(heap.machine)
        results = heap.replay(rows).results
        built = rows["kind"][results != SKIPPED]
        calls = trace.taken()
        assert len(built) == len(calls)
        for kind, call in zip(built, calls, strict=True):
            by_call.setdefault(CALLS[int(kind)], []).append(call)
        every += calls
    return by_call, every


def test_no_call_of_the_heap_exceeds_its_bound_and_no_loop_its_statement(seed: int) -> None:
    print(f"seed {seed}")
    image = build_image(TARGET, more=LINES)
    bounds = Bounds(image, meaning={**dict.fromkeys(APART, 0), "map": MAP}, never=[WIDE])
    names = {call: bounds.of(f"hs_heap_{call}").instructions for call in CALLS.values()}
    by_call, every = heap_calls(image, seed)
    assert strays(bounds, every) == []
    apart = rounds_apart(bounds, APART)
    most = {name: max(without(call, apart) for call in calls) for name, calls in by_call.items()}
    assert {name: count for name, count in most.items() if count > names[name]} == {}
    loops = [loop for loop in loops_seen(bounds, every) if loop.bound not in APART]
    assert [loop for loop in loops if loop.seen > loop.limit] == []
    # A search looks at four blocks of its own bin, or at the first of a larger one and at three
    # more. The two more of the last bin are no loop in the machine code.
    reached = {loop.limit for loop in loops if loop.seen == loop.limit}
    assert {3, 4} <= reached


@pytest.mark.slow
def test_lines_change_no_instruction() -> None:
    results = []
    for more in ((), LINES):
        with build_image(TARGET, more=more).open("rb") as file:
            elf = ELFFile(file)
            results.append([elf.get_section_by_name(name).data() for name in (".text", ".rodata")])
    assert results[0] == results[1]


@pytest.mark.slow
@pytest.mark.parametrize("number", range(1, len(WAYS)), ids=[way.name for way in WAYS[1:]])
def test_no_call_of_a_guard_or_of_regions_exceeds_its_bound(number: int, seed: int) -> None:
    way = WAYS[number]
    result = seen(number, seed)
    for call, most in result.most.items():
        assert most <= bounds_of(way, call).of(function_of(way, call)).instructions, call
    bounds = bounds_of(way)
    loops = [loop for loop in loops_seen(bounds, list(result.traces)) if loop.bound not in APART]
    assert [loop for loop in loops if loop.seen > loop.limit] == []
    for call, most in result.held.items():
        assert 0 < most <= held_of(way, call), call
    if not way.regions:
        assert Held(bounds, (), ()).of(function_of(way, "malloc")) == 0


def test_traces_are_whole(building: Callable[..., Path]) -> None:
    machine = Machine(TARGET, building("known", KNOWN))
    trace = Trace(machine, 4)
    machine.call("counted", 5)
    with pytest.raises(RuntimeError, match="room for 4"):
        trace.taken()
    assert np.all(trace._addresses != 0)
