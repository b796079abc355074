"""The order of events: no replay sees an address used twice."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from needs import MissingError, c_compiler, need_thread_sanitizer
from recording.overlaps import Overlap, overlaps
from recording.programs import PROGRAMS, ROOT, Build, Recorded, events_of

from heapscope.native.events import event_dtype
from heapscope.native.recorder import NativeRecorder

MALLOC, REALLOC, FREE = 1, 4, 5


@pytest.mark.parametrize("flags", [(), ("-m32",)], ids=["native", "32-bit"])
def test_no_two_live_blocks_overlap_when_threads_pass_blocks_around(
    build: Build, recorded: Recorded, flags: tuple[str, ...]
) -> None:
    result = recorded(build("threads", *flags), 8, 4000, addresses=True)
    (image,) = result.images
    events = events_of(image)
    assert len(events) > 50_000
    assert overlaps(events) == []
    assert (image.unknown, image.lost, image.live_blocks_end) == (0, 0, 4)  # the C library's own


def test_a_block_that_changes_hands_within_free_is_freed_first(
    build: Build, recorded: Recorded
) -> None:
    """By an allocator that gives the block away before free returns: every time."""
    allocator = build("handover_allocator", "-shared", "-fPIC")
    folder = allocator.parent
    program = build("handover", str(allocator), f"-Wl,-rpath,{folder}")
    (image,) = recorded(program, addresses=True).images
    rows = events_of(image)
    (address,) = set(rows["key"][rows["size"] == 64].tolist())
    mine = rows[rows["key"] == address]
    assert mine["kind"].tolist() == [MALLOC, FREE, MALLOC, FREE]
    assert mine["task"].tolist()[0] == mine["task"].tolist()[1] == 0
    assert (image.unknown, image.implied) == (0, 0)


def test_the_checker_sees_an_address_used_twice() -> None:
    """A free whose place in the order is one too late is noticed."""
    rows = np.zeros(3, dtype=event_dtype())
    rows["kind"] = [MALLOC, MALLOC, FREE]
    rows["key"] = [4096, 4160, 4096]
    rows["size"] = [65, 10, 0]
    assert overlaps(rows) == [Overlap(event=1, address=4160)]
    assert overlaps(rows[[0, 2, 1]]) == []


def test_ids_and_addresses_tell_the_same_story(build: Build, recorded: Recorded) -> None:
    program = build("calls")
    (by_id,) = recorded(program).images
    (by_address,) = recorded(program, addresses=True).images
    left, right = events_of(by_id), events_of(by_address)
    for field in ("kind", "size", "task", "align_log2"):
        assert left[field].tolist() == right[field].tolist()
    assert len(set(left["key"][left["kind"] == FREE].tolist())) == 10


def test_the_ring_under_the_thread_sanitizer(tmp_path: Path) -> None:
    """Four writers and the reader, over the wrap of the 32-bit numbers."""
    need_thread_sanitizer()
    source = PROGRAMS / "ring_race.c"
    program = tmp_path / "ring_race"
    command = [
        *c_compiler(),
        "-std=gnu11",
        "-O1",
        "-g",
        "-fsanitize=thread",
        f"-I{ROOT / 'lab/native'}",
    ]
    subprocess.run([*command, source, "-o", program, "-pthread"], check=True)
    ran = subprocess.run(
        [program, "4", "60000"], capture_output=True, text=True, timeout=120, check=False
    )
    assert_no_race(ran.returncode, ran.stdout + ran.stderr)


def assert_no_race(code: int, text: str) -> None:
    if "unexpected memory mapping" in text:
        raise MissingError("a kernel under whose address layout the thread sanitizer runs")
    assert (code, text) == (0, "")


@pytest.mark.slow
def test_the_recorder_in_a_program_under_the_thread_sanitizer(
    tmp_path: Path,
) -> None:
    """All that goes into a program, with stacks, linked into one whose threads pass blocks around.
    Records are fewer than the ring has places: of the reader the sanitizer sees nothing."""
    need_thread_sanitizer()
    preload, program = ROOT / "lab/native/record/preload", tmp_path / "threads"
    flags = [line for line in (preload / "flags.txt").read_text().splitlines() if line[0] == "-"]
    sanitize = ["-g", "-fsanitize=thread", f"-I{ROOT / 'lab/native/record/include'}"]
    parts = [*flags, "-O1", *sanitize, "-DHS_REC_LINKED", *sorted(preload.glob("*.c"))]
    subprocess.run([*c_compiler(), *parts, "-c"], cwd=tmp_path, check=True)
    source = [PROGRAMS / "threads.c", *sorted(tmp_path.glob("*.o")), f"@{preload / 'wrap.txt'}"]
    whole = ["-D_GNU_SOURCE", "-fno-builtin", *sanitize, *source, "-o", program, "-pthread"]
    subprocess.run([*c_compiler(), *whole], check=True)
    with NativeRecorder(
        preload64="", preload32="", version="test", program="threads", frames=8
    ) as native:
        run = subprocess.Popen(
            [program, "4", "900"],
            env=os.environ | {"HEAPSCOPE_RECORD": native.variable},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        while run.poll() is None or native.running():
            native.pump(20)
        assert run.stderr is not None
        assert_no_race(run.returncode, run.stderr.read())
        image = native.image(0)
        assert image.events > 4 * 900
        assert image.stacks >= 4  # as many calls ask in it
        assert (image.lost, image.unknown) == (0, 0)
