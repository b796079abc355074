"""fork, exec, posix_spawn, vfork: everything that a program starts is recorded."""

from __future__ import annotations

from collections import Counter

import pytest
from recording.programs import Build, Recorded, events_of

MALLOC, FREE = 1, 5


@pytest.mark.parametrize("musl", [False, True], ids=["native", "musl"])
def test_a_fork_goes_on_in_its_own_file_with_what_it_inherited(
    build: Build, recorded: Recorded, musl: bool
) -> None:
    result = recorded(build("forks", musl=musl), 20)
    assert result.exit_code == 3
    parent, *children = result.images
    assert [int(e["size"]) for e in events_of(parent)] == [12345, 0]
    assert len(children) == 40
    stories = Counter(
        tuple((int(e["kind"]), int(e["key"]), int(e["size"])) for e in events_of(child))
        for child in children
    )
    first = ((MALLOC, 0, 12345), (MALLOC, 1, 77), (FREE, 0, 0))
    second = ((MALLOC, 0, 77), (MALLOC, 1, 77), (FREE, 0, 0))
    assert stories == {first: 20, second: 20}
    assert all(child.unknown == 0 and child.inherited == 1 for child in children)
    assert len({image.file for image in result.images}) == 41


@pytest.mark.parametrize("how", ["exec", "list", "spawn", "vfork"])
def test_a_chain_of_images_is_recorded_across_word_sizes(
    build: Build, recorded: Recorded, how: str
) -> None:
    wide, narrow = build("chain"), build("chain", "-m32")
    result = recorded(wide, how, narrow, wide, narrow)
    assert (result.exit_code, result.messages) == (5, ())
    assert sorted((image.word_size, image.live_peak) for image in result.images) == [
        (4, 4000), (4, 4000), (8, 8000), (8, 8000)
    ]  # fmt: skip
    own = [image for image in result.images if image.file.endswith("/T.hst")]
    assert [image.word_size for image in own] == [4 if how in ("exec", "list") else 8]


def test_a_32_bit_program_starts_64_bit_ones(build: Build, recorded: Recorded) -> None:
    result = recorded(build("chain", "-m32"), "spawn", build("chain"))
    assert [image.word_size for image in result.images] == [4, 8]


def test_what_it_starts_can_be_left_out(build: Build, recorded: Recorded) -> None:
    result = recorded(build("forks"), 2, children=False)
    assert [bool(image.file) for image in result.images] == [True, False, False, False, False]


def test_a_program_without_descriptors_with_signals_is_recorded_to_its_end(
    build: Build, recorded: Recorded
) -> None:
    result = recorded(build("descriptors"))
    parent, child = result.images
    sizes = Counter(int(e["size"]) for e in events_of(parent) if e["kind"] == MALLOC)
    assert sizes[4242] == 1  # before main
    assert sizes[777] == 1  # after it
    assert sum(sizes.values()) == 100_002
    assert (parent.unknown, parent.live_blocks_end) == (0, 0)
    assert [int(e["size"]) for e in events_of(child)][-2:] == [999, 0]
