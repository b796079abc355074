"""Who asked: call stacks, out of unwind tables and by frame pointers, with inlines and names."""

from __future__ import annotations

import pytest
from recording.programs import Build, Recorded, events_of
from recording.requests import names, requests_by

from heapscope.capture.record.symbols import Symbols, site_name
from heapscope.native.recorder import ModuleRow
from heapscope.trace.info import read_info


@pytest.mark.parametrize(
    "flags",
    [
        ("-O0",),
        ("-O2", "-g"),
        ("-O2", "-fno-asynchronous-unwind-tables", "-fno-omit-frame-pointer"),
        ("-m32", "-O2", "-g"),
    ],
    ids=["tables", "inlines", "frame pointers", "32-bit"],
)
def test_a_site_is_the_stack_that_requested(
    build: Build, recorded: Recorded, flags: tuple[str, ...]
) -> None:
    image, child = recorded(build("stacks", *flags), frames=16).images
    sites = names(image.file)
    result = requests_by(image, range(1001, 1008)) | requests_by(child, range(1008, 1009))
    inlined = ["inlined"] if "-g" in flags else []
    first = result.pop(1007)
    assert first[first.index("first") :] == ["first", "middle", *inlined]
    main = [frames[frames.index("main") :] for frames in result.values()]
    assert main == [
        ["main", "outer", "middle", *inlined],
        ["main", "middle", *inlined],
        ["main", "recursive", "recursive", "recursive", "middle", *inlined],
        ["main"],  # realloc
        ["main"],  # aligned_alloc
        ["main"],  # calloc
        ["main", "middle", *inlined],  # a fork's child
    ]
    if "-g" in flags:
        assert "stacks.c:" in sites[int(events_of(image)[-1]["site"] or 1)] or any(
            "(stacks.c:" in site for site in sites.values()
        )


def test_code_that_lies_where_other_code_was_has_its_own_name(
    build: Build, recorded: Recorded
) -> None:
    """dlopen, dlclose, dlopen: the loader gives the second object the first one's addresses."""
    objects = [build("plugin", "-shared", "-fPIC", f"-DNAME={name}") for name in ("one", "another")]
    (image,) = recorded(build("plugins"), *objects, objects[0], frames=4).images
    result = requests_by(image, range(3001, 3004))
    assert [result[size][-3:] for size in (3001, 3002, 3003)] == [
        ["main", "plugin", name] for name in ("one", "another", "one")
    ]


def test_a_file_that_is_loaded_again_and_again_has_its_sites_once(
    build: Build, recorded: Recorded
) -> None:
    """300 cycles of dlopen and dlclose, by turns of two objects: of four calls in each file."""
    objects = [build("plugin", "-shared", "-fPIC", f"-DNAME={name}") for name in ("one", "another")]
    (few,) = recorded(build("plugins"), *objects * 2, frames=16).images
    (image,) = recorded(build("plugins"), *objects * 150, frames=16).images
    once, often = read_info(few.file).site_count, read_info(image.file).site_count
    assert image.events > 50 * few.events
    assert often <= once + 2
    result = requests_by(image, range(3001, 3301))
    assert [result[size][-1] for size in range(3001, 3301)] == ["one", "another"] * 150


def test_a_stack_has_as_many_frames_as_were_requested(build: Build, recorded: Recorded) -> None:
    image, _ = recorded(build("stacks", "-O0"), frames=2).images
    sites = names(image.file).values()
    cut = {site.split(";")[0]: site.count(";") for site in sites if "recursive" in site}
    assert cut == {"...": 2}


def test_a_trace_without_stacks_has_no_sites(build: Build, recorded: Recorded) -> None:
    image, _ = recorded(build("stacks", "-O0")).images
    assert names(image.file) == {}


def test_a_name_of_any_length_is_whole() -> None:
    symbols = Symbols(
        [ModuleRow(path="/none/" + "x" * 60, start=0, size=1 << 20, file_offset=0)], ""
    )
    frames = [f"{'x' * 60}+{16 * (i + 1) - 1:#x}" for i in reversed(range(10))]
    stack = [16 * (i + 1) for i in range(10)]
    assert site_name(stack, symbols, 1).decode() == ";".join(frames)
    assert site_name([*stack, 0], symbols, 1).decode() == ";".join(["...", *frames])
