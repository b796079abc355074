"""`import` and `import`: files that the tools themselves made in this run."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from needs import MissingError, c_compiler, need_program

from heapscope.base.errors import InputError
from heapscope.capture.line_forms import LINE_FORMS
from heapscope.capture.line_import import ImportResult, LineForm, import_lines
from heapscope.native.events import Events, keep_events, take_events
from heapscope.native.reader import NativeReader
from heapscope.trace.all_names import read_all_names
from heapscope.trace.feed import read_trace
from heapscope.trace.info import read_info

HEAPTRACK, MTRACE = LINE_FORMS["heaptrack"], LINE_FORMS["mtrace"]

SOURCE = Path(__file__).with_name("recorded_program.c")
MALLOC, REALLOC, FREE, FAILED = 1, 4, 5, 6  # hs_event_kind_t
OWN = {71000, 72001, 72002, 72003, 72004}  # sizes that only the program asks for


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("program") / "recorded"
    # So that each call stays one, with its own place.
    flags = ["-g", "-O0", "-fno-builtin", "-w"]
    subprocess.run([*c_compiler(), *flags, str(SOURCE), "-o", str(out)], check=True)
    return out


def heaptrack(program: Path, *options: str, out: Path) -> Path:
    tool = need_program("heaptrack", package="heaptrack")
    command = [tool, *options, "-o", str(out / "data"), str(program)]
    subprocess.run(command, check=True, capture_output=True, cwd=out)
    return next(path for path in out.iterdir() if path.name.startswith("data"))


def events_of(trace: Path) -> Events:
    with NativeReader() as reader:
        keep_events(reader)
        read_trace(trace, reader)
        return np.concatenate(list(take_events(reader)))


def taken(path: Path, form: LineForm) -> tuple[ImportResult, Events, Path]:
    trace = path.with_name("T.hst")
    result = import_lines(path, trace, form)
    return result, events_of(trace), trace


def requested(events: Events) -> Counter[int]:
    """How often each of the program's own sizes was asked for."""
    sizes = events["size"][np.isin(events["kind"], (MALLOC, REALLOC))]
    return Counter(int(size) for size in sizes if int(size) in OWN)


def live_at_end(events: Events) -> Counter[int]:
    sizes: dict[int, int] = {}
    for event in events:
        kind, key = int(event["kind"]), int(event["key"])
        if kind in (MALLOC, REALLOC):
            sizes[key] = int(event["size"])
        elif kind == FREE:
            sizes.pop(key, None)
    return Counter(size for size in sizes.values() if size in OWN)


WHOLE = Counter({71000: 5, 72001: 1, 72002: 1, 72003: 1, 72004: 1})
LEFT = Counter({71000: 1, 72002: 1})


def site_of(events: Events, trace: Path, size: int) -> str:
    site = int(events["site"][events["size"] == size][0])
    name = read_all_names(trace).sites.known[site]
    assert name is not None
    return name.decode()


def test_heaptracks_data_brings_sizes_stacks_and_times(program: Path, tmp_path: Path) -> None:
    result, events, trace = taken(heaptrack(program, out=tmp_path), HEAPTRACK)
    assert requested(events) == WHOLE
    assert live_at_end(events) == LEFT
    assert result.bad_lines == 0
    stack = site_of(events, trace, 72001)
    assert [frame.split(" ")[0] for frame in stack.split(";")][-5:] == ["main", *["deep"] * 4]
    assert "recorded_program.c:" in stack
    assert read_info(trace).metadata["source"] == "heaptrack"
    # Five blocks of one pair, freed one by one: all but the last free is a guess.
    assert result.guessed >= 4
    assert "--raw" in result.messages[-1]


def test_raw_data_tells_blocks_apart(program: Path, tmp_path: Path) -> None:
    result, events, trace = taken(heaptrack(program, "--raw", out=tmp_path), HEAPTRACK)
    assert requested(events) == WHOLE
    assert live_at_end(events) == LEFT
    assert result.guessed == 0
    # The first four of the five are freed, in that order.
    five = [int(key) for key in events["key"][events["size"] == 71000]]
    freed = [int(key) for key in events["key"][events["kind"] == FREE]]
    assert [key for key in freed if key in five] == five[:4]
    frames = site_of(events, trace, 72001).split(";")
    assert all(frame.startswith("recorded+0x") for frame in frames[-5:])


def test_interpreted_data_takes_the_youngest(program: Path, tmp_path: Path) -> None:
    _, events, _ = taken(heaptrack(program, out=tmp_path), HEAPTRACK)
    five = [int(key) for key in events["key"][events["size"] == 71000]]
    freed = [int(key) for key in events["key"][events["kind"] == FREE]]
    assert [key for key in freed if key in five] == five[:0:-1]


def test_a_log_of_mtrace_is_exact(program: Path, tmp_path: Path) -> None:
    log = tmp_path / "mtrace.txt"
    environment = os.environ | {"MALLOC_TRACE": str(log), "LD_PRELOAD": "libc_malloc_debug.so.0"}
    subprocess.run([str(program)], check=True, env=environment, capture_output=True)
    if not log.exists():
        raise MissingError("a C library that logs mtrace; Debian package: libc6")
    result, events, trace = taken(log, MTRACE)
    assert result.bad_lines == 0
    assert requested(events) == WHOLE
    assert live_at_end(events) == LEFT
    moved = events[events["kind"] == REALLOC]
    assert [int(size) for size in moved["size"]] == [72002]
    assert moved["key"][0] == events["key"][events["size"] == 72001][0]
    assert int((events["kind"] == FAILED).sum()) == 1
    assert "recorded" in site_of(events, trace, 72001)
    assert read_info(trace).metadata["word_size"] == "8"


@pytest.mark.parametrize(
    ("form", "text", "message"),
    [
        (HEAPTRACK, b"a 0 100\nf 0\n", "text form"),
        (HEAPTRACK, b"v 10400 3\n# strings: 0\n", "no allocation"),
        (HEAPTRACK, b"\x1f\x8b\x08\x00", "empty"),
        (HEAPTRACK, b"", "empty"),
        (MTRACE, b"= Start\n= End\n", "without an allocation"),
        (MTRACE, b"v 10400 3\n+ 1\n", "heaptrack's data"),
        (MTRACE, bytes(range(256)), "not a log of mtrace"),
    ],
)
def test_another_file_is_named(form: LineForm, text: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "F").write_bytes(text)
    with pytest.raises(InputError, match=message) as error:
        import_lines(tmp_path / "F", tmp_path / "T.hst", form)
    assert error.value.remedy
    assert not (tmp_path / "T.hst").exists()


def import_bytes(form: LineForm, text: bytes, folder: Path) -> tuple[ImportResult, Events]:
    (folder / "F").write_bytes(text)
    result = import_lines(folder / "F", folder / "T.hst", form)
    return result, events_of(folder / "T.hst")


def test_wrong_numbers_in_heaptracks_data_are_left_out(tmp_path: Path) -> None:
    lines = b"v 10400 3\na 64 1\n+ 0\n+ 7\n- 9\n+ zz\nq 1\n- 0\n- 0\nt 5 99\na 10 1\n+ 1\n"
    result, events = import_bytes(HEAPTRACK, lines, tmp_path)
    assert (result.events, result.bad_lines) == (4, 4)
    assert result.first_bad is not None
    assert (result.first_bad.number, result.first_bad.text) == (4, "+ 7")
    assert [int(size) for size in events["size"]] == [0x64, 0, 0, 0x10]


def test_heaptracks_first_version_had_addresses(tmp_path: Path) -> None:
    lines = b"v 10000\n+ 64 0 1000\n+ 64 0 2000\n- 1000\n"
    result, events = import_bytes(HEAPTRACK, lines, tmp_path)
    assert (result.guessed, result.bad_lines) == (0, 0)
    assert [int(key) for key in events["key"]] == [0, 1, 0]


def test_odd_lines_of_mtrace(tmp_path: Path) -> None:
    lines = (
        b"= Start\n@ ./a + b:(f+0x1)[0x11] + 0x1000 0x10\n+ 0x2000 0x20\n- 0x9000\n"
        b"@ p:[0x1] < 0x1000\n@ p:[0x1] > 0x3000 0x30\n@ p:[0x1] ! 0x3000 0x7fffffff\n"
        b"noise\n- 0x3000\n- 0x2000"
    )
    result, events = import_bytes(MTRACE, lines, tmp_path)
    assert (result.lines, result.events, result.bad_lines) == (10, 7, 1)
    assert [int(kind) for kind in events["kind"]] == [1, 1, FREE, REALLOC, FAILED, FREE, FREE]
    assert int(events["key"][5]) == int(events["key"][0])
    assert read_all_names(tmp_path / "T.hst").sites[1] == "./a + b:(f+0x1)[0x11]"
    assert read_info(tmp_path / "T.hst").metadata["word_size"] == "4"


def test_a_line_of_heaptrack_that_cannot_be_read_takes_its_turn(tmp_path: Path) -> None:
    """Else all that follow have each other's names and sizes."""
    inlined = " ".join("1 0 0" for _ in range(40))  # more frames than are kept
    text = (
        "v 10500 3\ns zz\ns 1 b\ns 1 c\nstray\n"
        f"i 7f0000001000 1 {inlined}\ni 7f0000002000 1 x\ni 7f0000003000 1 2 0 0\n"
        f"i 7f0000004000 1 {' '.join(['3'] * 9000)}\ni 7f0000005000 1 3 0 0\n"
        "t 3 0\nt x\nt 5 0\na 10 1\na x\na 30 3\n+ 0\n+ 1\n+ 2\n- 1\n- 2\n"
    )
    result, events = import_bytes(HEAPTRACK, text.encode(), tmp_path)
    assert (result.events, result.bad_lines) == (3, 8)
    assert [int(size) for size in events["size"]] == [0x10, 0x30, 0]
    assert int(events["key"][2]) == int(events["key"][1])
    sites = read_all_names(tmp_path / "T.hst").sites
    assert [sites[int(site)] for site in events["site"][:2]] == ["b", "c"]


def test_mtrace_keeps_a_block_that_was_there_before_the_log_and_moved(tmp_path: Path) -> None:
    lines = b"= Start\n@ p:[0x1] < 0x1000\n@ p:[0x1] > 0x3000 0x30\n@ p:[0x1] - 0x3000\n"
    result, events = import_bytes(MTRACE, lines, tmp_path)
    assert [int(kind) for kind in events["kind"]] == [FREE, MALLOC, FREE]
    assert [int(events["size"][1]), result.bad_lines] == [0x30, 0]
    assert int(events["key"][2]) == int(events["key"][1]) != int(events["key"][0])
