"""A site is its frames from the allocating function outwards, and no two sites read the same."""

from __future__ import annotations

import random
import re

from hypothesis import given
from hypothesis import strategies as st

from heapscope.trace.call_sites import (
    ARROW,
    MORE,
    NAME_MAX,
    SiteNames,
    frames_of,
    shortened,
    site_name,
    site_names,
)

FRAMES = st.lists(
    st.sampled_from(
        [b"main", b"leaky", b"a;b", "x ← y".encode(), b"\x1b[31m", b"\\x1b[31m", b"\xff"]
    )
    | st.binary(min_size=1, max_size=300),
    min_size=1,
    max_size=12,
)


def named(*names: bytes | None) -> SiteNames:
    return site_names(dict(enumerate(names)))


def model(raw: bytes) -> tuple[bytes, ...]:
    """The frames of a name, from the leaf outwards."""
    parts = [part.strip() for part in raw.split(b";")]
    return tuple(part for part in reversed(parts) if part)


def test_the_allocating_function_comes_first() -> None:
    names = named(None, b"_start;main;worker;leaky (app.c:7)", b"malloc_site", b" ; ;")
    assert names[1] == "leaky (app.c:7) ← worker ← main ← _start"
    assert names.frames(1) == ("leaky (app.c:7)", "worker", "main", "_start")
    assert [names[index] for index in (0, 2, 3, 4)] == [
        "unknown site",
        "malloc_site",
        " ; ;",
        "site 4",
    ]


def test_what_the_trace_misses_is_marked_and_tells_sites_apart() -> None:
    names = named(b"", b"...;f;g", b"...;f;g", b"...;f;h", "…;f".encode())
    assert [names[index] for index in range(1, 5)] == [
        f"g (site 1) ← f ← {MORE}",
        f"g (site 2) ← f ← {MORE}",
        f"h ← f ← {MORE}",
        "f ← \\u2026",  # a function that somebody called so
    ]


def test_patterns_match_a_site_as_it_is_shown_and_as_the_trace_has_it() -> None:
    names = named(None, b"main;leaky")
    assert names.called(1) == {"leaky ← main", "main;leaky"}
    assert names.called(0) == {"unknown site"}


@given(st.lists(st.binary(max_size=255), min_size=1, max_size=8))
def test_no_two_sites_read_the_same(raw: list[bytes]) -> None:
    names = named(None, *raw)
    stacks = {index: model(name) for index, name in enumerate(raw, 1) if model(name)}
    shown = {index: names[index] for index in stacks}
    for one, first in stacks.items():
        assert shown[one].isprintable()
        assert len(frames_of(shown[one])) == len(first)
        for other, second in stacks.items():
            assert one == other or shown[one] != shown[other], (first, second)


@given(FRAMES)
def test_a_name_in_the_trace_fits_and_keeps_the_allocating_function(frames: list[bytes]) -> None:
    name = site_name(frames)
    assert len(name) <= NAME_MAX
    plain = [frame.replace(b";", b":") for frame in frames]
    kept = name.removeprefix(b"...;").split(b";")
    assert kept == plain[: len(kept)][::-1]
    assert name.startswith(b"...;") or kept == plain[::-1]


def test_long_functions_are_kept_whole() -> None:
    long = [b"f<" + b"x" * 200 + number + b"y" * 200 + b">(int)" for number in (b"1", b"2")]
    assert [site_name([frame, b"main"]) for frame in long] == [b"main;" + frame for frame in long]
    assert site_name(long, cut=True) == b"...;" + long[1] + b";" + long[0]


def test_a_stack_too_long_for_a_name_loses_the_frames_nearest_the_root() -> None:
    frames = [b"%05d" % number for number in range(20_000)]
    kept = site_name(frames).split(b";")
    assert kept[0] == b"..."
    assert kept[1:] == frames[: len(kept) - 1][::-1]
    assert NAME_MAX - 6 <= len(site_name(frames)) <= NAME_MAX


def test_sites_of_a_table_are_shortened_from_the_root_and_stay_apart(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(300):
        pool = [chance.choice("fgh") * chance.choice((1, 9, 40)) for _ in range(4)]
        results = [
            ARROW.join(chance.choice(pool) for _ in range(chance.randrange(1, 30)))
            for _ in range(chance.randrange(1, 12))
        ]
        room = chance.choice((1, 20, 48, 90))
        short = shortened(results, room)
        assert len(set(short)) == len(set(results))
        for text, form in zip(results, short, strict=True):
            frames, shown = frames_of(text), frames_of(form)
            assert len(form) <= len(text) + len(" (99)") or len(text) > room
            if len(text) <= room:
                assert form == text
                continue
            kept = [frame for frame in shown if not frame.startswith(MORE)]
            for frame, whole in zip(kept, frames, strict=False):
                start, dots, end = frame.partition(MORE)
                end = re.sub(r" \(\d+\)$", "", end) if frame is kept[-1] else end
                assert whole.startswith(start if dots else re.sub(r" \(\d+\)$", "", start))
                assert whole.endswith(end)
                assert not dots or len(whole) > max(room, 32) // 2
            if len(kept) < len(frames):
                assert shown[-1].startswith(f"{MORE} {len(frames) - len(kept)} more")
