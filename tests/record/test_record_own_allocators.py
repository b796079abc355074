"""Programs that bring allocators along: they are named before the program runs, and recorded where
the linker puts the generated file in front of them."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from needs import c_compiler
from recording.programs import PROGRAMS
from recording.traces import events_of, recorded, sizes, tasks_by_size
from typer.testing import CliRunner

from heapscope.base.errors import InputError
from heapscope.capture.record.allocators import FAMILIES, LIBRARY_CALLS, look_at
from heapscope.capture.record.functions import FREE, FUNCTIONS, LIBRARY, REALLOC
from heapscope.capture.record.session import RecordOptions, record
from heapscope.capture.record.wrap import write_wrap
from heapscope.capture.record.wrap_source import EXPORT, wrap_source
from heapscope.cli.app import app
from heapscope.cli.verbs.record import unrecorded
from heapscope.trace.info import read_info

FIRMWARE = PROGRAMS.parent / "firmware"
MALLOC, ALIGNED, REALLOCATED, FREED, FAILED = 1, 3, 4, 5, 6
HOOKS = ("my_take=malloc", "my_give=free", "lv_malloc", "lv_free")

Link = Callable[..., Path]


@pytest.fixture(scope="module")
def link(tmp_path_factory: pytest.TempPathFactory) -> Link:
    """link("-static", wrap=folder): the firmware as a program of this machine."""
    folder = tmp_path_factory.mktemp("firmware")

    def built(*flags: str, wrap: Path | None = None, name: str = "firmware") -> Path:
        files = [FIRMWARE / f"{part}.c" for part in ("app", "calloc", "heap")]
        own = [] if wrap is None else [wrap / "heapscope_wrap.c", f"@{wrap / 'heapscope_wrap.txt'}"]
        out = folder / f"{name}{len(list(folder.iterdir()))}"
        command = [
            *c_compiler(),
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

    return built


@pytest.fixture(scope="module")
def plain(link: Link) -> Path:
    return link("-rdynamic")


@pytest.fixture(scope="module")
def wrapped(link: Link, plain: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wrap")
    write_wrap(folder, plain, HOOKS)
    return link("-Wall", "-Wextra", "-Werror=implicit", wrap=folder)


# ---- the look at the program ----


def test_what_a_program_brings_along_is_stated_before_it_runs(plain: Path) -> None:
    look = look_at(plain)
    assert {one.name: (one.linkage, one.recorded) for one in look.allocators} == {
        "FreeRTOS": ("global", False),
        "ESP-IDF": ("global", False),
        "umm_malloc": ("local", False),
        "LVGL": ("local", False),
    }
    stated = unrecorded([str(plain)])
    assert all(name in stated for name in ("FreeRTOS (pvPortMalloc)", "umm_malloc", "--wrap"))
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
    assert {name for name, (kind, _) in FUNCTIONS.items() if kind not in (FREE, REALLOC)} <= known


# ---- without the file ----


def test_a_recording_without_them_says_so_in_every_answer(plain: Path, tmp_path: Path) -> None:
    _, result = recorded(plain, tmp_path / "T.hst")
    assert not result.complete
    assert any("FreeRTOS (pvPortMalloc)" in message for message in result.messages)
    requested = sizes(tmp_path / "T.hst", MALLOC)
    assert {4001, 4002} <= set(requested)
    assert not {101, 1701} & set(requested)
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
    task = tasks_by_size(tmp_path / "T.hst")
    assert (task[1701], task[102]) == (b"net rx", b"main task")
    assert task[101] not in (b"net rx", b"main task")  # before the scheduler runs


def test_the_librarys_heap_is_recorded_where_it_is_requested(wrapped: Path, tmp_path: Path) -> None:
    image, _ = recorded(wrapped, tmp_path / "T.hst", libc=True)
    requested = sizes(tmp_path / "T.hst", MALLOC)
    assert {4001, 4002} <= set(requested)
    assert not {101, 1701} & set(requested)
    assert image.left_out == 21
    assert not any(one.recorded for one in image.allocators)


def test_blocks_have_the_addresses_that_the_firmware_gave(wrapped: Path, tmp_path: Path) -> None:
    image, _ = recorded(wrapped, tmp_path / "T.hst", addresses=True)
    assert image.trouble == ""
    by_size = {int(row["size"]): int(row["key"]) for row in events_of(tmp_path / "T.hst")}
    assert by_size[105] % 8 == 4  # as a heap of a chip aligns
    assert by_size[102] % 8 == 0


def test_sites_begin_at_the_caller_of_the_allocator(wrapped: Path, tmp_path: Path) -> None:
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
    built = write_wrap(tmp_path, plain)
    assert set(built.beyond) == {"umm_malloc", "lv_malloc", "lv_free"}
    write_wrap(tmp_path, plain, ["umm_malloc"])
    with pytest.raises(AssertionError, match="umm_malloc"):
        link(wrap=tmp_path)


@pytest.mark.parametrize(
    ("hook", "text"),
    [
        ("my_take", "names no function to hook"),
        ("my_take=alloc", "names no function to hook"),
        ("nothing=malloc", "has no function nothing"),
    ],
)
def test_a_hook_that_cannot_be_is_refused(
    plain: Path, tmp_path: Path, hook: str, text: str
) -> None:
    with pytest.raises(InputError, match=text):
        write_wrap(tmp_path, plain, [hook])


def test_a_program_without_one_is_shown_how_to_name_it(tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text("int main(void) { return 0; }\n")
    subprocess.run([*c_compiler(), str(source), "-o", str(tmp_path / "x")], check=True)
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
    for family, *flags in (("FreeRTOS", "-std=c99"), ("Zephyr k_heap", "-std=gnu17", "-O2")):
        (tmp_path / "x.c").write_text(wrap_source(FUNCTIONS | LIBRARY, {family}))
        command = [
            *c_compiler(),
            *flags,
            "-Wall",
            "-Wextra",
            "-Wno-pedantic",
            "-Werror",
            "-c",
            "-o",
        ]
        subprocess.run([*command, str(tmp_path / "x.o"), str(tmp_path / "x.c")], check=True)


# ---- how it is linked ----


@pytest.mark.parametrize("flags", [("-no-pie", "-fno-pie"), ("-pie", "-fPIE")])
def test_a_program_is_recorded_wherever_its_code_lies(
    flags: tuple[str, ...], link: Link, plain: Path, tmp_path: Path
) -> None:
    write_wrap(tmp_path, plain, HOOKS)
    recorded(link(*flags, wrap=tmp_path), tmp_path / "T.hst")
    assert sizes(tmp_path / "T.hst", MALLOC) == [101, 1701, 102, 60001, 103, 105]


def test_a_link_that_hides_the_file_from_the_recorder_is_stated(
    link: Link, plain: Path, tmp_path: Path
) -> None:
    write_wrap(tmp_path, plain)
    options = tmp_path / "heapscope_wrap.txt"
    wraps = [one for one in options.read_text().split() if "export" not in one]
    options.write_text("\n".join(wraps))
    program = link(wrap=tmp_path)
    assert not any(one.recorded for one in look_at(program).allocators)
    assert "the program's last link lacks -Wl,--export-dynamic-symbol" in unrecorded([str(program)])


def test_only_the_functions_that_a_pattern_names_are_wrapped(plain: Path, tmp_path: Path) -> None:
    built = write_wrap(tmp_path, plain, only=["heap_caps_*alloc", "vPortFree"])
    assert set(built.functions) == {
        "vPortFree",
        "heap_caps_malloc",
        "heap_caps_calloc",
        "heap_caps_realloc",
        "heap_caps_aligned_alloc",
    }
    with pytest.raises(InputError, match=r"--only nothing\*: names none"):
        write_wrap(tmp_path, plain, only=["nothing*"])


@pytest.mark.slow
def test_cmake_links_the_file_with_a_program_and_with_a_library_of_it(
    plain: Path, tmp_path: Path
) -> None:
    cmake = Path(sys.executable).with_name("cmake")
    write_wrap(tmp_path / "wrap", plain, HOOKS)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(firmware C)\n"
        "set(CMAKE_C_FLAGS -fno-builtin)\nlink_libraries(pthread)\n"
        "include(wrap/heapscope_wrap.cmake)\n"
        f"add_executable(one {FIRMWARE}/app.c {FIRMWARE}/calloc.c {FIRMWARE}/heap.c)\n"
        "heapscope_wrap(one)\n"
        f"add_library(parts STATIC {FIRMWARE}/calloc.c {FIRMWARE}/heap.c)\nheapscope_wrap(parts)\n"
        f"add_executable(two {FIRMWARE}/app.c)\ntarget_link_libraries(two parts)\n"
    )
    for arguments in (("-S", tmp_path, "-B", tmp_path / "b"), ("--build", tmp_path / "b")):
        done = subprocess.run([cmake, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    for name in ("one", "two"):
        recorded(tmp_path / "b" / name, tmp_path / "T.hst")
        assert sizes(tmp_path / "T.hst", MALLOC) == [101, 1701, 102, 60001, 103, 105], name


# ---- the shapes of ESP-IDF's and Zephyr's hosts ----


def _run(*command: object) -> None:
    done = subprocess.run([str(one) for one in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_names_for_the_librarys_malloc_are_recorded_with_the_programs_own_calls_of_it(
    tmp_path: Path,
) -> None:
    files = [FIRMWARE / name for name in ("idf_app.c", "idf_heap.c", "idf_task.c")]
    build = [*c_compiler(), "-O1", "-w", "-fno-builtin", *files]
    _run(*build, "-o", tmp_path / "plain")
    built = write_wrap(tmp_path, tmp_path / "plain")
    assert {"heap_caps_malloc", "pvPortMalloc", "malloc", "strdup", "free"} <= set(built.functions)
    wrap = [built.source, f"@{built.options}"]
    _run(*build, *wrap, "-o", tmp_path / "firmware")
    image, _ = recorded(tmp_path / "firmware", tmp_path / "T.hst")
    events = events_of(tmp_path / "T.hst")
    requested = {int(row["size"]): int(row["caps"]) for row in events if row["size"]}
    # pvPortMalloc has the capabilities that it asks for itself; the last ones are plain malloc
    assert requested == {201: 0x804, 202: 8, 203: 0x400, 204: 0, 50: 0, 205: 0, 206: 0}
    assert (image.unknown, image.live_blocks_end) == (0, 1)
    assert image.left_out >= 2  # the host's own: fopen's and fclose's
    names = {one.name for one in image.allocators if one.recorded}
    assert names == {"FreeRTOS", "ESP-IDF", LIBRARY_CALLS}


def _zephyr(folder: Path, *wrap: object, more: tuple[str, ...] = ()) -> Path:
    """Linked twice: all of the firmware's own names are local in the program."""
    flags = [*c_compiler(), "-O1", "-w", "-fno-builtin", "-fno-pie", "-fvisibility=hidden"]
    names = ("zephyr_kernel.c", "zephyr_heap.c", "zephyr_app.c", *more)
    elf, own, program = (folder / name for name in ("zephyr.elf", "own.o", "zephyr.exe"))
    _run(*flags, "-r", "-nostdlib", *(FIRMWARE / name for name in names), *wrap, "-o", elf)
    _run("objcopy", "--localize-hidden", elf, own, "-w", "--localize-symbol=_*")
    export = [EXPORT] if wrap else []
    runner = FIRMWARE / "zephyr_runner.c"
    _run(*flags, "-no-pie", own, runner, *export, "-Wl,--gc-sections", "-lpthread", "-o", program)
    return program


@pytest.fixture(scope="module")
def zephyr(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _zephyr(tmp_path_factory.mktemp("zephyr"))


def test_a_firmware_whose_names_are_local_is_wrapped_by_the_object_that_it_is_linked_from(
    zephyr: Path, tmp_path: Path
) -> None:
    assert set(look_at(zephyr).functions.values()) == {"local"}
    built = write_wrap(tmp_path, zephyr)
    assert {"k_malloc", "k_free", "sys_heap_aligned_alloc"} <= set(built.functions)
    trace = tmp_path / "T.hst"
    image, _ = recorded(_zephyr(tmp_path, built.source, f"@{built.options}"), trace)
    assert sizes(trace, MALLOC) == [303, 301]
    assert sizes(trace, ALIGNED) == [302]
    assert sizes(trace, FAILED) == [100000]
    assert (image.unknown, image.live_blocks_end) == (0, 1)
    assert tasks_by_size(trace) == {
        303: b"main",
        301: b"net rx",
        302: b"net rx",
        100000: b"main",
    }


def test_what_to_ask_next_suits_the_firmwares_heap(zephyr: Path, tmp_path: Path) -> None:
    built = write_wrap(tmp_path, zephyr)
    trace = tmp_path / "T.hst"
    recorded(_zephyr(tmp_path, built.source, f"@{built.options}"), trace)
    lines = CliRunner().invoke(app, ["replay", str(trace)]).stdout.splitlines()
    reported = next(line for line in lines if line.startswith("tasks"))
    # the process's own thread is not among the two, as no event is of it
    assert "2 with events; names: " in reported
    assert "--allocator zephyr-k_malloc" in lines[-1]


def test_the_inner_heap_of_a_firmware_can_be_recorded_alone(zephyr: Path, tmp_path: Path) -> None:
    built = write_wrap(tmp_path, zephyr, only=["sys_heap_*"])
    trace = tmp_path / "T.hst"
    image, _ = recorded(_zephyr(tmp_path, built.source, f"@{built.options}"), trace)
    more = image.word_size  # the reference to the heap
    assert sizes(trace, ALIGNED) == [303 + more, 301 + more, 302]
    aligned = [1 << int(row["align_log2"]) for row in events_of(trace) if row["kind"] == ALIGNED]
    assert aligned == [more, more, 64]
    assert image.unknown == 0


def test_the_malloc_of_a_firmwares_own_library_is_recorded(tmp_path: Path) -> None:
    more = ("zephyr_libc.c",)
    plain = _zephyr(tmp_path, more=more)
    assert "(malloc)" in unrecorded([str(plain)])
    built = write_wrap(tmp_path, plain)
    assert {"malloc", "free", "k_malloc"} <= set(built.functions)
    trace = tmp_path / "T.hst"
    wrapped = _zephyr(tmp_path, built.source, f"@{built.options}", more=more)
    image, result = recorded(wrapped, trace)
    assert sizes(trace, MALLOC) == [4001, 303, 301]
    assert image.unknown == 0
    assert result.complete


def test_calls_of_newlib_are_recorded_also_where_its_own_functions_make_them(
    tmp_path: Path,
) -> None:
    files = [FIRMWARE / f"newlib_{part}.c" for part in ("app", "malloc", "heap")]
    build = [*c_compiler(), "-O1", "-w", "-fno-builtin", *files]
    _run(*build, "-o", tmp_path / "plain")
    assert "newlib (_malloc_r)" in unrecorded([str(tmp_path / "plain")])
    built = write_wrap(tmp_path, tmp_path / "plain")
    _run(*build, built.source, f"@{built.options}", "-o", tmp_path / "firmware")
    trace = tmp_path / "T.hst"
    image, result = recorded(tmp_path / "firmware", trace)
    assert sizes(trace, MALLOC) == [502, 501]
    assert sizes(trace, 2) == [504]
    assert sizes(trace, ALIGNED) == [505]
    assert sizes(trace, REALLOCATED) == [503]
    assert sizes(trace, FAILED) == [2 << 20]
    assert len(sizes(trace, FREED)) == 3
    assert image.unknown == 0
    assert {one.name for one in image.allocators} == {"newlib", "a malloc of its own"}
    assert result.complete
