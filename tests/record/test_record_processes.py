"""fork, exec, posix_spawn, vfork: everything that a program starts is recorded."""

from __future__ import annotations

import os
import signal
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from needs import c_compiler, need_static_library
from recording.programs import Build, Recorded, events_of

from heapscope.capture.record.recording import ImageRecord
from heapscope.trace.info import read_info
from heapscope.trace.provenance import limits_of

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


def stories(images: Sequence[ImageRecord]) -> list[list[tuple[int, int]]]:
    """Kind and size of each event; a free has the size of its block, 0: of none that is known."""
    reported = []
    for image in images:
        sizes: dict[int, int] = {}
        story = []
        for event in events_of(image):
            kind, key, size = int(event["kind"]), int(event["key"]), int(event["size"])
            if kind == MALLOC:
                sizes[key] = size
            story.append((kind, sizes.pop(key, 0) if kind == FREE else size))
        reported.append(story)
    return sorted(reported)


HEIR = [(MALLOC, 111), (FREE, 111), (MALLOC, 77), (FREE, 77)]
PARENT = [(MALLOC, 111), (FREE, 111)]
DESCENDANTS = {
    "chain": [PARENT, HEIR],
    "daemon": [[(MALLOC, 77), (FREE, 77)], [(MALLOC, 111)], HEIR],
    "siblings": [PARENT, *[HEIR] * 4],
    "vfork": [PARENT, HEIR],
}


@pytest.mark.parametrize("flags", [(), ("-m32",), ("musl",)], ids=["native", "32-bit", "musl"])
@pytest.mark.parametrize("how", ["chain", "daemon", "siblings", "vfork", "again"])
def test_a_fork_before_the_first_call_leaves_its_blocks_to_all_who_have_them(
    build: Build, recorded: Recorded, how: str, flags: tuple[str, ...]
) -> None:
    musl = flags == ("musl",)
    program = build("descend", *(() if musl else flags), musl=musl)
    images = [i for i in recorded(program, how).images if i.program.endswith(program.name)]
    reported = stories([image for image in images if image.events])
    if how == "again":
        own = [*HEIR, (MALLOC, 222)]
        assert reported == sorted(
            [PARENT, own, [(MALLOC, 222), (FREE, 222), (MALLOC, 77), (FREE, 77)]]
        )
    else:
        assert reported == sorted(story for story in DESCENDANTS[how] if story)
    assert [(image.unknown, image.implied, image.begun_late) for image in images] == [
        (0, 0, False)
    ] * len(images)


@pytest.mark.parametrize("how", ["clone", "clones"])
def test_a_copy_that_nobody_sees_being_built_invents_nothing(
    build: Build, recorded: Recorded, how: str
) -> None:
    """A raw system call starts it. A copy of one that was forked, and asked nothing, is known."""
    result = recorded(build("descend"), how)
    *_, copy = result.images
    if how == "clones":
        assert stories([copy]) == [HEIR]
        assert (copy.begun_late, copy.unknown) == (False, 0)
        return
    assert stories([copy]) == [[(MALLOC, 77), (FREE, 77)]]
    assert (copy.begun_late, copy.unknown, copy.live_end) == (True, 1, 0)
    assert any("nobody saw made" in message for message in result.messages)
    assert not result.complete
    limits = limits_of(read_info(copy.file).metadata)
    assert any("began when the heap had blocks" in sentence for sentence in limits)


def test_a_process_that_is_left_behind_and_quiet_is_waited_for(
    build: Build, recorded: Recorded
) -> None:
    result = recorded(build("straggler"), 700)
    results = [int(e["size"]) for image in result.images for e in events_of(image)]
    assert [size for size in results if size >= 2000] == list(range(2000, 3000))
    assert (result.complete, result.unrecorded) == (True, 0)


def test_one_that_cannot_be_recorded_is_named_and_not_waited_for(
    tmp_path: Path, recorded: Recorded
) -> None:
    source = tmp_path / "quiet.c"
    source.write_text("#include <unistd.h>\nint main(void) { sleep(30); return 0; }\n")
    need_static_library()
    static = [*c_compiler(), "-static", str(source), "-o", str(tmp_path / "quiet")]
    subprocess.run(static, check=True)
    result = recorded("sh", "-c", f"{tmp_path / 'quiet'} & echo $! >{tmp_path / 'pid'}")
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
    assert any("quiet (" in message and "not recorded" in message for message in result.messages)
    assert not result.complete
