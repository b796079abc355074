"""A table names the function that asked the allocator; --fold leaves frames out of it."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from heapscope.answers.leaks.suppress import read_suppressions
from heapscope.capture.export.stacks import own_frames as exported
from heapscope.simulation.replay.rule_names import matches
from heapscope.trace.call_sites import ARROW, MORE, frames_of, shortened, site_names
from heapscope.trace.fold_sites import fold, inner_frames, own_frames

NEW = "operator new(unsigned long) in libstdc++.so.6"
ALLOCATE = "std::__new_allocator<char>::allocate(unsigned long, void const*) (new_allocator.h:147)"
TEMPLATE = "Deeply<std::map<int, char, std::allocator<char> > >::leaky(int) (t.cpp:8)"
START = "__libc_start_call_main (libc_start_call_main.h:58) in libc.so.6"


@contextlib.contextmanager
def folded(*patterns: str) -> Iterator[None]:
    fold(patterns)
    try:
        yield
    finally:
        fold(())


@pytest.mark.parametrize(
    "wrapper",
    [
        NEW,
        ALLOCATE,
        "malloc",
        "malloc (rtld-malloc.h:56) in ld-linux-x86-64.so.2",
        "__libc_calloc in libc.so.6",
        "heap_caps_malloc (heap_caps.c:143)",
        "operator new[](unsigned int)",
        "pvPortMalloc",
        "_malloc_r (syscalls.c:12)",
        "__rustc::__rust_alloc (main.rs:3)",
        "alloc::alloc::alloc_zeroed (alloc.rs:95)",
        "<alloc::alloc::Global as core::alloc::Allocator>::grow (alloc.rs:429)",
        "alloc::raw_vec::RawVecInner<A>::grow_amortized (raw_vec.rs:5)",
        "<heapscope::recorded::Recorded<A,_> as core::alloc::global::GlobalAlloc>::alloc",
        "hs_rust_allocated (rust_recorder.c:62)",
        "std::allocator_traits<std::allocator<int> >::allocate(unsigned long)",
        "std::_Vector_base<int, std::allocator<int> >::_M_allocate(unsigned long)",
    ],
)
def test_the_function_that_requested_comes_before_the_allocators_own(wrapper: str) -> None:
    assert list(inner_frames([wrapper, NEW, "leaky", "main"])) == ["leaky", "main"]
    assert list(inner_frames(["leaky", wrapper, "main"])) == ["leaky", wrapper, "main"]
    assert list(inner_frames([wrapper])) == [wrapper]
    assert list(inner_frames([wrapper, MORE])) == [wrapper, MORE]


@pytest.mark.parametrize(
    "own",
    [
        TEMPLATE,
        "malloc_buffers (app.c:3)",
        "my::malloc(int)",
        "mallocs",
        "operator newer",
        "pool<std::allocator<int> >::get()",
        "void std::sort<int*>(int*, int*)",
        "strdup in libc.so.6",
        "alloc::vec::Vec<T,A>::push (mod.rs:7)",
        "allocator::alloc::new",
        "gateway::alloc::alloc",
        "malloc.c+0x12",
    ],
)
def test_functions_of_the_program_are_not_taken_for_the_allocator(own: str) -> None:
    assert list(inner_frames([NEW, own, "main"])) == [own, "main"]


def test_patterns_fold_functions_and_libraries() -> None:
    stack = [NEW, "std::vector<int>::grow()", TEMPLATE, "main", START, "libm.so.6+0x12", "_start"]
    with folded("std::"):
        assert list(own_frames(stack)) == [NEW, *stack[2:]]
        assert list(inner_frames(stack)) == stack[2:]
    with folded("*.so*"):
        assert list(own_frames(stack)) == ["std::vector<int>::grow()", TEMPLATE, "main", "_start"]
    with folded("lib*", "_start", "std::*"):
        assert list(own_frames(stack)) == [TEMPLATE, "main"]
        assert list(exported(stack)) == [TEMPLATE, "main"]
    with folded("*"):
        assert list(own_frames(stack)) == stack
    assert list(own_frames(stack)) == stack


def test_sites_that_differ_in_folded_frames_stay_apart() -> None:
    sites = [ARROW.join((first, "leaky (a.c:3)", "main")) for first in ("malloc", "calloc", NEW)]
    assert shortened(sites[:1], 60) == ["leaky (a.c:3) ← main"]
    assert shortened(sites, 60) == [
        "malloc ← leaky (a.c:3) ← main",
        "calloc ← leaky (a.c:3) ← main",
        "operator new(unsigned long) in libstdc++.so.6 ← … 2 more",
    ]


def test_sites_of_one_name_show_who_requested_and_their_numbers() -> None:
    stack = b";".join(frame.encode() for frame in ("main", TEMPLATE, NEW))
    names = site_names({1: stack, 2: stack})
    short = shortened([names[1], names[2]], 100)
    assert short == [f"{TEMPLATE} (site {number}) ← main" for number in (1, 2)]
    assert matches(short[0], 1, names)
    assert not matches(short[0], 2, names)


def test_sites_that_differ_near_the_root_alone_show_who_requested() -> None:
    callers = [f"caller_{number} (app.cpp:{number})" for number in range(5)]
    texts = [ARROW.join((NEW, TEMPLATE, *callers, root)) for root in ("main", "worker")]
    short = shortened(texts, 100)
    assert len(set(short)) == 2
    assert all(text.startswith(TEMPLATE) for text in short)


def test_what_is_shown_of_random_stacks_is_of_the_program_and_apart(seed: int) -> None:
    chance = random.Random(seed)
    pool = [
        NEW,
        ALLOCATE,
        TEMPLATE,
        START,
        "main",
        "f",
        "g (x.c:1)",
        "std::sort",
        "malloc",
        "x" * 90,
    ]
    for _ in range(300):
        results = [
            ARROW.join(chance.choice(pool) for _ in range(chance.randrange(1, 12)))
            for _ in range(chance.randrange(1, 20))
        ]
        with folded(*chance.sample(("std::", "*.so*", "main"), chance.randrange(3))):
            short = shortened(results, chance.choice((30, 48, 100)))
            assert len(set(short)) == len(set(results))
            if len(set(results)) == 1:
                inner = inner_frames(frames_of(results[0]))[0]
                assert frames_of(short[0])[0].removesuffix("…")[:8] == inner[:8]


def test_rules_of_traces_that_named_no_libraries_go_on_to_match() -> None:
    names = site_names(
        {1: b"_start;__libc_start_main (x.h:1) in libc.so.6;main;malloc in libc.so.6"}
    )
    assert names.called(1) >= {
        "_start;__libc_start_main (x.h:1);main;malloc",
        "_start;__libc_start_main (x.h:1) in libc.so.6;main;malloc in libc.so.6",
        "malloc ← main ← __libc_start_main (x.h:1) ← _start",
        "main ← __libc_start_main (x.h:1) in libc.so.6 ← _start",
    }


def test_a_name_that_a_table_or_an_older_trace_shortened_is_a_pattern(tmp_path: Path) -> None:
    stack = [NEW, TEMPLATE, *(f"caller_{n} (app.cpp:{n})" for n in range(12)), "main", START]
    raw = ";".join(reversed(stack)).encode()
    other = raw.replace(b"caller_0", b"another")
    names = site_names({1: raw, 2: other})
    older = "...;" + ";".join(part.partition(" in ")[0] for part in reversed(stack[:5]))
    for label in (shortened([names[1]], 150)[0], shortened([names[1]], 400)[0], older, names[1]):
        file = tmp_path / "known.txt"
        file.write_text(f'# rules\nsite="{label}" size=1..9  # why\n', encoding="utf-8")
        (rule,) = read_suppressions(file)
        assert rule.matches(task="t", sites=names.called(1), size=5), label
        assert not rule.matches(task="t", sites=names.called(2), size=5), label
        assert matches(label, 1, names)
        assert not matches(label, 2, names)
