"""Programs that bring allocators along: they are named before the program runs, and recorded where
the linker puts the generated file in front of them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from recording.programs import PROGRAMS, compiler
from typer.testing import CliRunner

from heapscope.capture.record.allocators import FAMILIES, look_at
from heapscope.capture.record.recording import ImageRecord, RecordResult
from heapscope.capture.record.session import RecordOptions, record
from heapscope.capture.record.wrap import _FUNCTIONS, CALLOC, FREE, REALLOC, write_wrap
from heapscope.cli.app import app
from heapscope.errors import InputError
from heapscope.native.events import Events, keep_events, take_events
from heapscope.native.reader import NameTable, NativeReader
from heapscope.trace.info import read_info
from heapscope.verbs.record import unrecorded

FIRMWARE = PROGRAMS.parent / "firmware"
MALLOC, ALIGNED, REALLOCATED, FREED, FAILED = 1, 3, 4, 5, 6
HOOKS = ("my_take=malloc", "my_give=free", "lv_malloc", "lv_free")

Link = Callable[..., Path]


@pytest.fixture(scope="module")
def link(tmp_path_factory: pytest.TempPathFactory) -> Link:
    """link("-static", wrap=folder): the firmware as a program of this machine."""
    folder = tmp_path_factory.mktemp("firmware")

    def made(*flags: str, wrap: Path | None = None, name: str = "firmware") -> Path:
        files = sorted(FIRMWARE.glob("*.c"))
        own = [] if wrap is None else [wrap / "heapscope_wrap.c", f"@{wrap / 'heapscope_wrap.txt'}"]
        out = folder / f"{name}{len(list(folder.iterdir()))}"
        command = [
            *compiler(),
            "-O1",
            "-w",
            "-fno-builtin",
            *flags,
            *files,
            *own,
            "-lpthread",
            "-o",
            out,
        ]
        done = subprocess.run([str(one) for one in command], capture_output=True, text=True)
        if done.returncode:
            raise AssertionError(done.stderr)
        return out

    return made


@pytest.fixture(scope="module")
def plain(link: Link) -> Path:
    return link("-rdynamic")


@pytest.fixture(scope="module")
def wrapped(link: Link, plain: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wrap")
    write_wrap(folder, plain, HOOKS)
    return link("-Wall", "-Wextra", "-Werror=implicit", wrap=folder)


def recorded(program: Path, out: Path, **settings: object) -> tuple[ImageRecord, RecordResult]:
    options = replace(RecordOptions(out=str(out)), **settings)  # type: ignore[arg-type]
    result = record([str(program)], options)
    assert result.exit_code == 0
    return result.images[0], result


def events_of(trace: Path) -> Events:
    with NativeReader() as reader:
        keep_events(reader)
        reader.push(trace.read_bytes())
        parts = list(take_events(reader))
        reader.finish()
        return np.concatenate([*parts, *take_events(reader)])


def sizes(trace: Path, *kinds: int) -> list[int]:
    events = events_of(trace)
    return [int(row["size"]) for row in events if int(row["kind"]) in kinds]


# ---- the look at the program ----


def test_what_a_program_brings_along_is_said_before_it_runs(plain: Path) -> None:
    look = look_at(plain)
    assert {one.name: (one.linkage, one.recorded) for one in look.allocators} == {
        "FreeRTOS": ("global", False),
        "ESP-IDF": ("global", False),
        "umm_malloc": ("local", False),
        "LVGL": ("local", False),
    }
    said = unrecorded([str(plain)])
    assert all(name in said for name in ("FreeRTOS (pvPortMalloc)", "umm_malloc", "--wrap"))
    assert unrecorded(["true"]) == ""


def test_a_stripped_program_is_known_as_one(plain: Path, tmp_path: Path, link: Link) -> None:
    stripped = link("-s")
    assert look_at(stripped).stripped
    assert look_at(stripped).allocators == ()
    with pytest.raises(InputError, match="is stripped"):
        write_wrap(tmp_path, stripped)


def test_a_file_that_is_no_program_has_none(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"\x7fELF" + bytes(100))
    assert look_at(tmp_path / "x").allocators == ()
    assert look_at(tmp_path / "gone").allocators == ()


def test_every_function_that_gives_memory_is_of_a_known_allocator() -> None:
    known = {name for names in FAMILIES.values() for name in names}
    assert {name for name, (kind, _) in _FUNCTIONS.items() if kind not in (FREE, REALLOC)} <= known


# ---- without the file ----


def test_a_recording_without_them_says_so_in_every_answer(plain: Path, tmp_path: Path) -> None:
    _, result = recorded(plain, tmp_path / "T.hst")
    assert not result.complete
    assert any("FreeRTOS (pvPortMalloc)" in message for message in result.messages)
    asked = sizes(tmp_path / "T.hst", MALLOC)
    assert {4001, 4002} <= set(asked)
    assert not {101, 1701} & set(asked)
    assert "FreeRTOS" in read_info(tmp_path / "T.hst").metadata["unrecorded"]
    for verb in (["replay", "--pool", "64KB"], ["leaks"], ["fit", "--allocator", "idf-5.5"]):
        done = CliRunner().invoke(app, [verb[0], str(tmp_path / "T.hst"), *verb[1:]])
        text = " ".join(done.output.split())
        assert "own allocators are not in this recording" in text, verb


# ---- with it ----


def test_its_own_calls_are_recorded_and_those_of_the_library_are_not(
    wrapped: Path, tmp_path: Path
) -> None:
    trace = tmp_path / "T.hst"
    image, result = recorded(wrapped, trace)
    assert sizes(trace, MALLOC) == [101, 1701, 102, 60001, 103, 105]
    assert sizes(trace, 2) == [1100, 106]  # and not the malloc within the calloc
    assert sizes(trace, ALIGNED) == [1703]
    assert sizes(trace, REALLOCATED) == [1702]
    assert sizes(trace, FAILED) == [60002, 2 ** (8 * image.word_size) - 1]
    assert len(sizes(trace, FREED)) == 8
    assert image.unknown == 0
    assert image.live_blocks_end == 1  # 60001
    assert image.left_out >= 4
    facts = read_info(trace).metadata
    assert facts["allocator"].startswith("FreeRTOS (pvPortMalloc), ESP-IDF (heap_caps_malloc)")
    assert facts["unrecorded"] == "umm_malloc (umm_malloc)"
    assert any("were left out" in message for message in result.messages)


def test_capabilities_and_tasks_are_the_firmwares(wrapped: Path, tmp_path: Path) -> None:
    recorded(wrapped, tmp_path / "T.hst")
    events = events_of(tmp_path / "T.hst")
    by_size = {int(row["size"]): row for row in events if row["size"]}
    assert {size: int(by_size[size]["caps"]) for size in (1701, 1702, 1100, 1703, 101)} == {
        1701: 0x1804,
        1702: 0x0C,
        1100: 0x04,
        1703: 0x08,
        101: 0,
    }
    assert 1 << int(by_size[1703]["align_log2"]) == 64
    with NativeReader() as reader:
        reader.push((tmp_path / "T.hst").read_bytes())
        reader.finish()
        task = {
            size: reader.name(NameTable.TASK, int(row["task"])) for size, row in by_size.items()
        }
    assert (task[1701], task[102]) == (b"net rx", b"main task")
    assert task[101] not in (b"net rx", b"main task")  # before the scheduler runs


def test_the_librarys_heap_is_recorded_where_it_is_asked_for(wrapped: Path, tmp_path: Path) -> None:
    image, _ = recorded(wrapped, tmp_path / "T.hst", libc=True)
    asked = sizes(tmp_path / "T.hst", MALLOC)
    assert {4001, 4002} <= set(asked)
    assert not {101, 1701} & set(asked)
    assert image.left_out == 21
    assert not any(one.recorded for one in image.allocators)


def test_sites_begin_at_the_caller_of_the_allocator(wrapped: Path, tmp_path: Path) -> None:
    pytest.importorskip("symbolic")
    recorded(wrapped, tmp_path / "T.hst", frames=8)
    done = CliRunner().invoke(app, ["leaks", str(tmp_path / "T.hst")])
    assert re.search(r"main(?: \(app\.c:\d+\))?", done.stdout)
    assert "__wrap_" not in done.stdout


def test_the_program_runs_as_before_where_it_is_not_recorded(wrapped: Path) -> None:
    assert subprocess.run([str(wrapped)], check=False).returncode == 0


def test_a_shell_that_starts_it_changes_nothing(wrapped: Path, tmp_path: Path) -> None:
    result = record(["sh", "-c", f"{wrapped}; true"], RecordOptions(out=str(tmp_path / "T.hst")))
    image = next(one for one in result.images if one.program == str(wrapped))
    assert 101 in sizes(Path(image.file), MALLOC)
    assert 4001 not in sizes(Path(image.file), MALLOC)


# ---- what cannot be wrapped ----


def test_a_static_one_is_named_and_a_linker_refuses_it(
    plain: Path, tmp_path: Path, link: Link
) -> None:
    made = write_wrap(tmp_path, plain)
    assert set(made.beyond) == {"umm_malloc", "lv_malloc", "lv_free"}
    write_wrap(tmp_path, plain, ["umm_malloc"])
    with pytest.raises(AssertionError, match="umm_malloc"):
        link(wrap=tmp_path)


@pytest.mark.parametrize(
    ("hook", "said"),
    [
        ("my_take", "names no function to hook"),
        ("my_take=alloc", "names no function to hook"),
        ("nothing=malloc", "has no function nothing"),
    ],
)
def test_a_hook_that_cannot_be_is_refused(
    plain: Path, tmp_path: Path, hook: str, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        write_wrap(tmp_path, plain, [hook])


def test_a_program_without_one_is_told_how_to_name_it(tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text("int main(void) { return 0; }\n")
    subprocess.run([*compiler(), str(source), "-o", str(tmp_path / "x")], check=True)
    with pytest.raises(InputError, match="no allocator that is known here") as caught:
        write_wrap(tmp_path, tmp_path / "x")
    assert "--hook" in caught.value.remedy


def test_the_command_writes_the_file_and_says_how_to_link_it(plain: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["record", "--wrap", str(tmp_path / "w"), "--", str(plain)])
    assert done.exit_code == 0
    assert "link it so" in done.stdout
    assert "recorded: pvPortMalloc" in done.stdout
    assert (tmp_path / "w" / "heapscope_wrap.c").is_file()
    done = CliRunner().invoke(app, ["record", "--hook", "x=malloc", "--", "true"])
    assert done.exit_code == 2


def test_every_known_function_compiles(tmp_path: Path) -> None:
    from heapscope.capture.record.wrap import _TASKS, _source

    (tmp_path / "x.c").write_text(_source(_FUNCTIONS, _TASKS[1:]))
    for flags in (["-std=c99"], ["-std=gnu17", "-O2"]):
        command = [*compiler(), *flags, "-Wall", "-Wextra", "-Wno-pedantic", "-Werror", "-c", "-o"]
        subprocess.run([*command, str(tmp_path / "x.o"), str(tmp_path / "x.c")], check=True)
    assert CALLOC in {kind for kind, _ in _FUNCTIONS.values()}
