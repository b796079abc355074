"""Each way into a recorder, compiled against what it is for or against stand-ins with the same
declarations, and run: the events of its trace are the calls of the program."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from needs import c_compiler, cxx_compiler

import heapscope

ROOT = Path(__file__).parents[2]
DEVICE = ROOT / "device"
GLUE = DEVICE / "compat" / "recorder"
HERE = ROOT / "tests" / "device" / "recorder_glue"
KERNEL = ROOT / "emulation" / "freertos"
RECORDER = [
    *sorted((DEVICE / "src/recorder").glob("*.c")),
    *sorted((DEVICE / "src/trace").glob("*.c")),
]
HEAPS = [
    path
    for part in ("heap", "regions", "owners", "guard", "text")
    for path in sorted((DEVICE / "src" / part).glob("*.c"))
]
ROUNDS = 20  #: of script.h, and what it asks for in each
EVENTS = {"mallocs": 20, "callocs": 10, "aligneds": 1, "reallocs": 6, "frees": 31, "marks": 1}
ONE_FAILED = {name: ROUNDS * count for name, count in EVENTS.items()} | {"failed": 1}


@dataclass(frozen=True)
class Way:
    """`options`: the linker's, from a file beside the glue."""

    sources: Sequence[Path]
    expected: Mapping[str, int]
    options: str = ""
    flags: Sequence[str] = ()
    folders: Sequence[Path] = ()


WAYS = {
    "libc": Way([HERE / "libc.c", GLUE / "recorder_libc.c"], ONE_FAILED, "libc_wrap.opt"),
    "picolibc": Way(
        [HERE / "picolibc.c", HERE / "picolibc_calls.c", GLUE / "recorder_libc.c"],
        ONE_FAILED,
        "libc_wrap.opt",
    ),
    "esp_idf": Way(
        [
            HERE / "esp_idf.c",
            GLUE / "recorder_esp_idf.c",
            *sorted((DEVICE / "compat/esp_idf/src").glob("*.c")),
            *HEAPS,
        ],
        ONE_FAILED
        | {
            "mallocs": ROUNDS * 20 + 3,
            "callocs": ROUNDS * 10 + 2,
            "aligneds": ROUNDS + 1,
            "reallocs": ROUNDS * 6 + 3,
            "frees": ROUNDS * 31 + 6,
        },
        "esp_idf_wrap.opt",
        ["-DHS_KINDS_MAX=8", "-Wno-deprecated-declarations", "-DTEST_IDF=502"],
        [DEVICE / "compat/esp_idf/include", HERE / "sdk"],
    ),
    "regions": Way(
        [HERE / "regions.c", GLUE / "recorder_regions.c", *HEAPS], ONE_FAILED, "regions_wrap.opt"
    ),
    "heap": Way(
        [HERE / "regions.c", GLUE / "recorder_heap.c", *HEAPS],
        ONE_FAILED,
        "heap_wrap.opt",
        ["-DWITH_HEAP"],
    ),
    "freertos": Way(
        [
            HERE / "freertos.c",
            KERNEL / "kernel.c",
            GLUE / "recorder_freertos.c",
            DEVICE / "compat/freertos/heap_heapscope.c",
            DEVICE / "compat/arenas/arenas.c",
            DEVICE / "port/freertos/port.c",
            *HEAPS,
        ],
        {
            "mallocs": ROUNDS * (30 + 6 + 1),
            "frees": ROUNDS * (31 + 6),
            "marks": ROUNDS,
            "failed": 1,
        },
        flags=[
            "-DHEAPSCOPE_RECORDS",
            "-DconfigTOTAL_HEAP_SIZE=((size_t)60000)",
            '-DHS_RECORDER_PORT="port_freertos.h"',
        ],
        folders=[
            KERNEL,
            KERNEL / "kernel",
            DEVICE / "compat/arenas",
            DEVICE / "port/freertos",
        ],
    ),
    "zephyr": Way(
        [HERE / "zephyr.c", HERE / "zephyr/heap.c", GLUE / "recorder_zephyr.c"],
        {
            "mallocs": ROUNDS * 31,
            "reallocs": ROUNDS * 6,
            "frees": ROUNDS * 31,
            "marks": ROUNDS,
            "failed": 0,
        },
        flags=["-Wl,--wrap=sys_heap_realloc,--wrap=sys_heap_aligned_realloc"],
        folders=[HERE / "zephyr"],
    ),
}


def events_of(trace: Path) -> tuple[Mapping[str, int], int]:
    """By kind, and how many of the heap stand in front of the first whole snapshot."""
    document = heapscope.replay(trace).to_json()
    assert document["metadata"]["source"] == "device"
    assert document["health"]["lost_events"] == 0, document["health"]
    events: Mapping[str, int] = document["events"]
    return events, document["recording"]["events_before"]


@pytest.mark.slow
@pytest.mark.cells(1)
@pytest.mark.parametrize("name", WAYS)
def test_a_way_into_the_recorder_records_each_call_once(name: str, tmp_path: Path) -> None:
    way = WAYS[name]
    program, trace = tmp_path / "program", tmp_path / "recorded.hst"
    sources = [*way.sources, GLUE / "recorder_glue.c", *RECORDER]
    flags = ["-std=gnu11", "-O1", "-fno-builtin", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE"]
    flags += [f"-I{folder}" for folder in (DEVICE / "include", GLUE, HERE, *way.folders)]
    flags += way.flags
    if way.options:
        flags.append(f"-Wl,@{GLUE / way.options}")
    subprocess.run([*c_compiler(), *flags, *map(str, sources), "-o", str(program)], check=True)
    subprocess.run([str(program), str(trace)], check=True, timeout=60)
    events, before = events_of(trace)
    counted = {kind: events[kind] for kind in way.expected}
    if not before:
        assert counted == way.expected
    heard = sum(count for kind, count in counted.items() if kind != "marks")
    requested = sum(count for kind, count in way.expected.items() if kind != "marks")
    assert heard + before == requested


def test_a_sketch_is_recorded_by_one_build_flag(tmp_path: Path) -> None:
    """The library is an archive, as the cores' builders make it."""
    flags = ["-O1", "-fno-builtin", "-DARDUINO=10819", "-Wall", "-Wextra", "-Werror"]
    flags += [f"-I{folder}" for folder in (DEVICE / "include", GLUE, HERE / "arduino")]
    objects = []
    for source in (*RECORDER, *sorted(GLUE.glob("recorder_[agl]*.c*"))):
        built = tmp_path / f"{source.parent.name}_{source.stem}.o"
        command = cxx_compiler() if source.suffix == ".cpp" else c_compiler()
        subprocess.run([*command, *flags, "-c", str(source), "-o", str(built)], check=True)
        objects.append(str(built))
    library = tmp_path / "libheapscope.a"
    subprocess.run(["ar", "rcs", str(library), *objects], check=True)
    sketch = [str(HERE / "arduino" / name) for name in ("sketch.cpp", "core.cpp")]
    build = [*cxx_compiler(), *flags, *sketch, str(library), "-o", str(tmp_path / "sketch")]
    trace = tmp_path / "recorded.hst"

    subprocess.run([*build, f"-Wl,@{GLUE / 'arduino_wrap.opt'}"], check=True)
    subprocess.run([tmp_path / "sketch", str(trace)], check=True, timeout=60)
    events, _ = events_of(trace)
    assert events["mallocs"] >= 4 + 199  # the last drain comes before the last flush
    assert events["reallocs"] >= 199
    assert events["frees"] >= 199
