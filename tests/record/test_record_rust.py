"""Programs of Rust: with Rust's allocator, which asks malloc, with one of the program's, which does
not, and with that one behind the crate's wrapper."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from needs import c_compiler
from recording.programs import events_of
from recording.rust_tools import ROOT, need_cargo

from heapscope.base.errors import InputError
from heapscope.capture.record.allocators import RUST, look_at
from heapscope.capture.record.session import RecordOptions, record
from heapscope.capture.record.wrap import write_wrap
from heapscope.capture.record.wrap_source import EXPORT
from heapscope.cli.verbs.record import unrecorded
from heapscope.native.events import Events
from heapscope.native.reader import NameTable, NativeReader
from heapscope.trace.feed import read_trace

MALLOC, CALLOC, ALIGNED, REALLOCATED, FAILED = 1, 2, 3, 4, 6
ENTRY, DEFAULT = "_RNvCsfL_7___rustc12___rust_alloc", "_RNvCsfL_7___rustc11___rdl_alloc"
SOURCE = "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/std/src/rt.rs"
WORK = ROOT / "tests" / "recording" / "rust"
#: The sizes of the work, in the order of its requests.
SIZES = {
    MALLOC: [70001, 70003, 70006, 70007, 70008],
    CALLOC: [70002],
    ALIGNED: [70400, 76864],
    REALLOCATED: [70013],
    FAILED: [2**63 - 65],
}


# ---- by its file ----


def program_of(folder: Path, text: str, *flags: str) -> Path:
    """A program with symbols as Rust's compiler has them."""
    source, result = folder / "x.c", folder / "x"
    source.write_text(f"#include <stdlib.h>\n#include <stdio.h>\n{text}", "utf-8")
    command = [*c_compiler(), "-O1", "-fno-builtin", *flags, str(source), "-o", str(result)]
    subprocess.run(command, check=True)
    return result


OWN = f"static char m[9];\nvoid *{ENTRY}(size_t n) {{ return n < 9 ? m : NULL; }}\n"
ASKS = f"void *{ENTRY}(size_t n) {{ void *p = malloc(n); return p ? p : NULL; }}\n"
THROUGH = (
    "__attribute__((noinline)) void *GlobalAlloc5alloc(size_t n) { return malloc(n); }\n"
    f"void *{ENTRY}(size_t n) {{ return (char *)GlobalAlloc5alloc(n) + 0 * n; }}\n"
)
BESIDE = "void *take(void) { void *p; return posix_memalign(&p, 64, 64) ? NULL : p; }\n"
MAIN = f"int main(int n, char **v) {{ return {ENTRY}(n) == (void *)v; }}\n"


@pytest.mark.parametrize(
    ("text", "own", "unsure"),
    [
        (OWN + MAIN, True, False),
        (OWN + BESIDE + MAIN, True, False),
        (ASKS + MAIN, False, True),
        (THROUGH + MAIN, False, True),
        (f"void *{DEFAULT}(void) {{ return NULL; }}\n{ASKS}{MAIN}", False, False),
        ("void *my__rust_alloc(void) { return NULL; }\nint main(void) { return 0; }\n", 0, 0),
        (f"void *__rust_alloc(void) {{ return NULL; }}\n{OWN}{MAIN}", True, False),
        (f"void *__rg_alloc(void) {{ return NULL; }}\nvoid *{DEFAULT}(void);\n{OWN}{MAIN}", 1, 0),
    ],
)
@pytest.mark.parametrize("flags", [(), ("-no-pie",), ("-fno-plt",), ("-z", "now")])
def test_whose_the_allocator_is_stands_in_the_symbols(
    tmp_path: Path, text: str, own: bool, unsure: bool, flags: tuple[str, ...]
) -> None:
    look = look_at(program_of(tmp_path, text, *flags))
    assert [one.name for one in look.allocators] == ([RUST] if own else [])
    assert look.unsure == unsure


@pytest.mark.parametrize(("more", "own", "unsure"), [("", True, False), (BESIDE, False, True)])
def test_a_stripped_program_is_known_by_what_its_panics_name(
    tmp_path: Path, more: str, own: bool, unsure: bool
) -> None:
    text = f'int main(void) {{ return puts("{SOURCE}"); }}\n'
    look = look_at(program_of(tmp_path, more + text, "-s", "-Wl,--export-dynamic"))
    assert [one.name for one in look.allocators] == ([RUST] if own else [])
    assert look.unsure == unsure
    plain = look_at(program_of(tmp_path, 'int main(void) { return puts("/rustc/"); }\n', "-s"))
    assert plain.allocators == ()


def test_no_file_is_written_for_what_a_linker_cannot_wrap(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="bound before a linker") as caught:
        write_wrap(tmp_path / "wrap", program_of(tmp_path, OWN + MAIN))
    assert "heapscope::Recorded" in caught.value.remedy


# ---- by its recording ----


def built(name: str, *options: str, flags: str = "") -> Path:
    cargo = need_cargo()
    cargo.fetch(WORK)
    target = Path(cargo.environment["CARGO_TARGET_DIR"]).with_name("work")
    more = {"CARGO_TARGET_DIR": str(target), "RUSTFLAGS": flags}
    cargo("build", "--offline", "--release", "--bin", name, *options, cwd=WORK, **more)
    return target / "release" / name


def recorded(program: Path, folder: Path) -> tuple[Events, tuple[str, ...], bool]:
    result = record([str(program)], RecordOptions(out=str(folder / "T.hst")))
    assert result.exit_code == 0
    return events_of(result.images[0]), result.messages, result.complete


def of_the_work(events: Events) -> dict[int, list[int]]:
    sizes = {kind: events["size"][events["kind"] == kind].tolist() for kind in SIZES}
    return {kind: [one for one in sizes[kind] if one >= 70000] for kind in SIZES}


def tasks_of(trace: Path, events: Events) -> dict[int, bytes | None]:
    with NativeReader() as reader:
        read_trace(trace, reader)
        names = reader.names(NameTable.TASK)
    rows = {int(row["size"]): names.get(int(row["task"])) for row in events}
    return {size: rows[size] for size in (70001, 70006, 70007, 70008)}


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--config", 'profile.release.lto="fat"')])
def test_what_rusts_own_allocator_asks_is_recorded(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    program = built("system", *options)
    events, _, complete = recorded(program, tmp_path)
    assert of_the_work(events) == SIZES
    aligned = events[(events["kind"] == ALIGNED) & (events["size"] >= 70000)]
    assert np.all(aligned["align_log2"] == 6)
    assert complete
    assert ("cannot be told" in unrecorded([str(program)])) == bool(options)


@pytest.mark.slow
def test_functions_of_rust_have_the_names_of_their_source(tmp_path: Path) -> None:
    trace = tmp_path / "T.hst"
    record([str(built("system"))], RecordOptions(out=str(trace), frames=32))
    with NativeReader() as reader:
        read_trace(trace, reader)
        sites = [site or b"" for site in reader.names(NameTable.SITE).values()]
    names = {frame.partition(b" ")[0] for site in sites for frame in site.split(b";")}
    assert {b"work::work", b"alloc::alloc::alloc"} <= names
    assert sum(name.startswith((b"_R", b"_ZN")) for name in names) <= len(names) // 20


@pytest.mark.slow
def test_an_allocator_of_its_own_is_named_with_the_remedy(tmp_path: Path) -> None:
    program = built("arena")
    stated = unrecorded([str(program)])
    assert RUST in stated
    assert "heapscope::Recorded" in stated
    assert "--wrap" not in stated
    events, messages, complete = recorded(program, tmp_path)
    assert not any(of_the_work(events).values())
    assert not complete
    assert any(f"calls of {RUST} (__rust_alloc) were not recorded" in one for one in messages)


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--config", 'profile.release.lto="fat"')])
def test_one_behind_the_wrapper_is_recorded(tmp_path: Path, options: tuple[str, ...]) -> None:
    program = built("arena", "--features=recorded", *options, flags=f"-Clink-arg={EXPORT}")
    assert unrecorded([str(program)]) == ""
    events, messages, complete = recorded(program, tmp_path)
    assert of_the_work(events) == SIZES
    assert tasks_of(tmp_path / "T.hst", events) == {
        70001: b"main",
        70006: b"other",
        70007: b"named",
        70008: b"main",
    }
    assert complete
    assert any(f"its own allocators: {RUST}" in one for one in messages)


@pytest.mark.slow
def test_a_wrapper_that_the_linker_does_not_export_is_stated(tmp_path: Path) -> None:
    program = built("arena", "--features=recorded")
    assert EXPORT in unrecorded([str(program)])
    _, _, complete = recorded(program, tmp_path)
    assert not complete
