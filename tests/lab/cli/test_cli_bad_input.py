"""Every input that cannot be used: named with file, place and remedy; exit 2; no traceback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


def refused(done: Any) -> str:
    """The error, of a command that printed nothing else and ended with 2."""
    assert (done.code, done.out) == (2, "")
    first, *rest = done.err.splitlines()
    assert first.startswith("error: ")
    assert rest, "no remedy"
    assert rest[0].startswith("remedy: ")
    assert len(rest) == 1
    return str(done.err)


@pytest.mark.parametrize(
    ("args", "parts"),
    [
        (("--chip", "esp23"), ("unknown chip 'esp23'", "esp32")),
        (
            ("--chip", "esp32", "--idf", "9.9"),
            ("unknown ESP-IDF version '9.9'", "4.2, 4.3, 4.4"),
        ),
        (("--idf", "9.9"), ("unknown ESP-IDF version '9.9'", "4.2, 4.3, 4.4")),
        (("--chip", "esp32", "--allocator", "idf-5.6"), ("unknown allocator", "idf-5.5+light")),
        (("--pool", "64KB", "--allocator", "tslf"), ("unknown allocator 'tslf'", "idf-4.2")),
        (("--layout", "F.toml", "--allocator", "tslf"), ("unknown allocator 'tslf'", "idf-4.2")),
        (("--allocator", "idf-4.2"), ("no memory to replay on", "--chip esp32")),
        (("--idf", "4.2"), ("--idf needs a chip", "give --chip: esp32")),
        (("--pool", "64KB", "--chip", "esp32"), ("--pool and --chip cannot be used together",)),
        (("--layout", "F.toml", "--pool", "64KB"), ("--pool and --layout cannot",)),
        (("--layout", "F.toml", "--cores", "1"), ("--layout and --cores cannot",)),
        (("--pool", "lots"), ("--pool: 'lots' is not a number of bytes", "64KB")),
        (("--pool", "-5"), ("--pool: '-5' is not a number of bytes",)),
        (("--pool", "4"), ("4 bytes cannot be replayed",)),
        (("--pool", "8192MB"), ("cannot be replayed",)),
        (("--chip", "esp32", "--cores", "3"), ("--cores: '3'", "1 or 2")),
        (("--chip", "esp32", "--static-dram", "99MB"), ("static use",)),
        (("--chip", "esp32", "--boot-log", "none.txt"), ("none.txt: no such file",)),
        (("--boot-log", "events.txt"), ("events.txt: ", "heap_init")),
        (("--boot-log", "boot.txt", "--cores", "1"), ("--cores and --boot-log",)),
        (("--boot-log", "boot.txt", "--static-dram", "9"), ("--static-dram and --boot-log",)),
        (("--pool", "64KB", "--need", "0"), ("'0'",)),
        (("--pool", "64KB", "--need", "5:FAST"), ("unknown capability 'FAST'", "8BIT")),
        (("--pool", "64KB", "--need", "x"), ("--need: 'x'",)),
        (
            ("--pool", "64KB", *(a for n in range(9) for a in ("--need", f"{n + 1}"))),
            ("at most 8",),
        ),
        (("--pool", "64KB", "--digest", "--json", "-"), ("both want standard output",)),
        (
            ("--pool", "64KB", "--json", "no/such/folder.json"),
            ("no/such/folder.json", "give --json another place"),
        ),
        (("--bogus",), ("No such option", "heapscope replay --help")),
    ],
)
def test_options_that_cannot_be_used(
    hst: Path, run: Run, args: tuple[str, ...], parts: tuple[str, ...]
) -> None:
    if args[:1] == ("--boot-log",) and "boot.txt" in args:
        args = ("--chip", "esp32", *args)
    error = refused(run("replay", hst, *args))
    for part in parts:
        assert part in error


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (("0x20010000", "0x20004000"), ("F.toml", "0x20004000 is inside region 1")),
        (("0x20000000", "0x20000001"), ("F.toml",)),
        (("32768", "16"), ("F.toml",)),
        (("[[region]]", "[[regoin]]"), ("F.toml", "regoin")),
        (('"two regions"', '"two'), ("F.toml", "not TOML")),
    ],
)
def test_layouts_that_cannot_be_used(
    hst: Path, run: Run, change: tuple[str, str], parts: tuple[str, ...]
) -> None:
    Path("F.toml").write_text(
        Path("F.toml").read_text(encoding="utf-8").replace(*change), encoding="utf-8"
    )
    error = refused(run("replay", hst, "--layout", "F.toml"))
    for part in parts:
        assert part in error


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"", "bad.hst: is empty"),
        (b"\x7fELF" + bytes(100), "an ELF program"),
        (b"a 1 5\nf 1\n" * 9, "import it first"),
        (bytes(range(256)) * 9, "bad.hst: "),
        (b'{"a": 1}', "JSON"),
        (b"\x28\xb5\x2f\xfd" + bytes(20), "bad.hst"),
    ],
)
@pytest.mark.parametrize("verb", [("replay", "--pool", "64KB"), ("replay",)])
def test_files_that_are_no_traces(
    here: Path, run: Run, content: bytes, part: str, verb: tuple[str, ...]
) -> None:
    Path("bad.hst").write_bytes(content)
    assert part in refused(run(verb[0], "bad.hst", *verb[1:]))


def test_a_missing_trace_and_a_folder(here: Path, run: Run) -> None:
    assert "none.hst: no such file" in refused(run("replay", "none.hst", "--pool", "64KB"))
    assert "is a folder" in refused(run("replay", ".", "--pool", "64KB"))
    assert "none.hst: no such file" in refused(run("replay", "none.hst"))


def test_a_trace_cut_inside_its_first_chunk_cannot_be_used(hst: Path, run: Run) -> None:
    Path("cut.hst").write_bytes(hst.read_bytes()[:12])
    assert "cut.hst" in refused(run("replay", "cut.hst", "--pool", "64KB"))


def test_a_trace_cut_at_its_end_is_used_and_the_loss_stated(hst: Path, run: Run) -> None:
    Path("cut.hst").write_bytes(hst.read_bytes()[:-4])
    done = run("replay", "cut.hst", "--pool", "64KB")
    assert done.code == 0
    assert "Faults of the trace" in done.out
    assert "breaks off" in done.out


def test_a_trace_of_marks_alone_has_nothing_to_replay(here: Path, run: Run) -> None:
    Path("marks.txt").write_text("! one\n! two\n", encoding="utf-8")
    assert "marks.txt" in refused(run("import", "--from", "text", "marks.txt", "-o", "M.hst"))
    assert not Path("M.hst").exists()


@pytest.mark.parametrize(
    ("args", "parts"),
    [
        (("txet", "events.txt", "-o", "T.hst"), ("unknown format 'txet'", "did you mean text?")),
        (("svdat", "events.txt", "-o", "T.hst"), ("unknown format 'svdat'", "valid: text")),
        (("text", "none.txt", "-o", "T.hst"), ("none.txt: no such file",)),
        (("text", "empty.txt", "-o", "T.hst"), ("empty.txt",)),
        (("text", "events.txt"), ("--output", "import --help")),
        (("text", "events.txt", "-o", "events.txt"), ("events.txt",)),
        (("text", "events.txt", "-o", "no/T.hst"), ("no/T.hst",)),
    ],
)
def test_imports_that_cannot_be_done(
    here: Path, run: Run, args: tuple[str, ...], parts: tuple[str, ...]
) -> None:
    Path("empty.txt").write_bytes(b"")
    error = refused(run("import", "--from", *args))
    for part in parts:
        assert part in error
    assert "net" in Path("events.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("content", "what"),
    [(b"\x7fELF" + bytes(100), "an ELF program"), (bytes(range(256)) * 9, "is not text")],
)
def test_an_import_of_what_is_no_text_names_it_and_prints_none_of_it(
    here: Path, run: Run, content: bytes, what: str
) -> None:
    Path("bad.txt").write_bytes(content)
    error = refused(run("import", "--from", "text", "bad.txt", "-o", "T.hst"))
    assert what in error
    assert "\\x" not in error


@pytest.mark.parametrize("form", ["text", "heaptrack", "mtrace", "pjsip"])
def test_a_trace_is_not_imported_again(hst: Path, run: Run, form: str) -> None:
    error = refused(run("import", "--from", form, hst, "-o", "U.hst"))
    assert "is a trace already" in error
    assert "\\x" not in error


def test_a_path_with_a_nul_is_refused_with_a_remedy(hst: Path, run: Run) -> None:
    refused(run("replay", "a\0b"))
    refused(run("import", "--from", "text", "events.txt", "-o", "a\0b"))
    refused(run("compare", "a\0b", "--pool", "64KB", "--pool", "32KB"))


def test_an_unknown_verb_points_to_the_nearest(run: Run) -> None:
    assert "replay" in refused(run("repaly"))


def test_names_of_files_are_safe_to_show(here: Path, run: Run) -> None:
    error = refused(run("replay", "\x1b[31mred.hst", "--pool", "64KB"))
    assert "\x1b" not in error


def test_an_unexpected_error_is_one_line_that_asks_for_a_report(
    hst: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr("heapscope.cli.verbs.replayed.replay_events", broken)
    error = refused(run("replay", hst, "--pool", "64KB"))
    assert "a fault of Heapscope, not of your input: RuntimeError: boom" in error
    assert "HEAPSCOPE_TRACEBACK=1" in error


def test_an_interrupt_ends_with_130_and_no_word(
    hst: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("heapscope.cli.verbs.replayed.replay_events", interrupted)
    done = run("replay", hst, "--pool", "64KB")
    assert (done.code, done.out, done.err) == (130, "", "")


@pytest.mark.parametrize(
    "verb",
    [
        ("replay",),
        ("replay", "--pool", "1MB"),
        ("leaks",),
        ("why", "--pool", "1MB"),
        ("compare", "--pool", "1MB", "--pool", "2MB"),
        ("compare", "--pool", "1MB", "--idf", "4.2", "--idf", "5.5", "--parts"),
        ("place", "--pool", "1MB"),
        ("export", "--to", "csv", "-o", "x.csv"),
    ],
    ids=lambda verb: verb[0],
)
def test_a_result_never_takes_the_place_of_the_trace(
    hst: Path, run: Callable[..., Any], verb: tuple[str, ...]
) -> None:
    """A trace cannot be recorded again. Nor of a file that a verb has just written."""
    before = hst.read_bytes()
    done = run(verb[0], hst, *verb[1:], "--json", hst)
    assert (done.code, "is the input" in done.err) == (2, True)
    assert hst.read_bytes() == before


def test_a_result_never_takes_the_place_of_another_file_of_the_command(
    hst: Path, run: Callable[..., Any]
) -> None:
    before = Path("F.toml").read_text(encoding="utf-8")
    for args in [
        ("import", "--from", "text", "events.txt", "-o", "T.hst", "--json", "T.hst"),
        ("replay", "T.hst", "--layout", "F.toml", "--json", "F.toml"),
        ("export", "T.hst", "--to", "csv", "-o", "x.csv", "--json", "x.csv"),
    ]:
        assert run(*args).code == 2
    assert Path("F.toml").read_text(encoding="utf-8") == before
