"""The verb: lines, JSON, exit codes, and what a hostile device cannot do."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from typer.testing import CliRunner, Result

from heapscope.cli.app import app
from heapscope.cli.schemas import schema_of

Run = Callable[..., Result]

BLOCKS = [(0x1008 * i, 0x1000) for i in range(12)]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """run(bytes, "--option"): the command on a stream of these bytes, in an empty folder."""
    folder = tmp_path / "folder"
    folder.mkdir()
    monkeypatch.chdir(folder)

    def runs(feed: bytes, *options: str) -> Result:
        (tmp_path / "stream").write_bytes(feed)
        return CliRunner().invoke(app, ["live", "../stream", *options])

    return runs


def test_the_exit_code_says_whether_an_event_of_fail_on_happened(make_boot, run: Run) -> None:
    feed = b"".join(make_boot(7, BLOCKS, failed=90_000))
    for options, code in (
        ((), 0),
        (("--need", "60000"), 1),
        (("--need", "60000", "--alarm", "none"), 0),
        (("--need", "10"), 0),
        (("--alarm", "failed"), 1),
        (("--alarm", "lost", "--alarm", "restart"), 0),
        (("--alarm", "sunshine"), 2),
        (("--until", "rain"), 2),
        (("--elf", "../stream"), 2),
    ):
        assert run(feed, "--no-files", *options).exit_code == code, options


def test_json_lines_are_moments_by_their_schema(make_boot, run: Run) -> None:
    feed = b"hello\n" + b"".join(make_boot(7, BLOCKS, lost=[(1, 5, 700)]))
    done = run(feed, "--no-files", "--need", "60001", "--json", "-")
    assert done.exit_code == 1
    *moments, answer = [json.loads(line) for line in done.stdout.splitlines()]
    jsonschema.validate(answer, schema_of("live"))
    assert (answer["ended_by"], answer["recordings"][0]["missing"]) == ("input", 5)
    schema = schema_of("live-moment")
    for moment in moments:
        jsonschema.validate(moment, schema)
    assert [line for moment in moments for line in moment["log"]] == ["hello"]
    assert moments[-1]["losses"]["events"] == 5
    assert {one["kind"] for moment in moments for one in moment["happenings"]} == {
        "recording",
        "lost",
        "need",
    }


def test_escapes_of_the_device_do_nothing(make_boot, run: Run) -> None:
    evil = b"\x1b]0;owned\x07\x1b[2J\xe2\x80\xae"
    chunks = make_boot(7, BLOCKS[:2], task=evil, site=evil, reset=evil, failed=90_000)
    feed = b"\x1b[0;32mI (5) app: fine\x1b[0m\r\n" + evil + b"\n" + b"".join(chunks)
    done = run(feed, "--need", "70000")
    lines = done.stdout.splitlines()
    assert lines[0] == "I (5) app: fine"
    assert lines[1] == "\\x1b]0;owned\\x07\\x1b[2J\\u202e"
    assert not {"\x1b", "\x07", "\u202e", "\r"} & set(done.stdout)
    assert [path.name for path in Path().iterdir()] == ["live-boot-7.hst"]


def test_a_line_without_end_does_not_grow(run: Run) -> None:
    done = run(b"x" * 1_000_000, "--no-files")
    assert done.exit_code == 0
    assert max(map(len, done.stdout.splitlines())) <= 1100


def test_until_ends_it_and_seconds_does(make_boot) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = f"tcp:127.0.0.1:{server.getsockname()[1]}"
        process = subprocess.Popen(
            [sys.executable, "-m", "heapscope", "live", port, "--no-files", "--until", "failed"],
            stdout=subprocess.PIPE,
        )
        connection, _ = server.accept()
        connection.sendall(b"".join(make_boot(7, BLOCKS, failed=90_000)))
        assert process.wait(60) == 0
        assert process.stdout is not None
        assert b"a request of 90,000 B failed" in process.stdout.read()
        connection.close()
        done = CliRunner().invoke(app, ["live", port, "--no-files", "--seconds", "0.2"])
    assert done.exit_code == 0


def test_info_suggests_only_the_memory_that_the_recording_tells(
    make_boot, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    for number, (chip, words) in enumerate(
        (
            (b"esp32", "next: heapscope replay"),
            (b"a board \x1b[2J", "its chip, 'a board \\x1b[2J', is not known here"),
            (b"", "it names no chip"),
        )
    ):
        run(b"".join(make_boot(7 + number, BLOCKS, chip=chip)))
        done = CliRunner().invoke(app, ["replay", f"live-boot-{7 + number}.hst"])
        assert words in done.stdout
        assert ("--chip esp32" in done.stdout) == (chip == b"esp32")
        assert ("next: heapscope replay" in done.stdout) == (chip == b"esp32")


def test_a_file_that_cannot_be_written_is_an_error(make_boot, run: Run) -> None:
    feed = b"".join(make_boot(7, BLOCKS))
    done = run(feed, "-o", "no/folder")
    assert done.exit_code == 2
    assert "cannot be written" in done.stderr


def test_addresses_are_named_with_the_elf_file(make_boot, run: Run, tmp_path: Path) -> None:
    compiler = ["cc", "-g", "-static", "-nostdlib", "-Wl,-Ttext=0x42001000", "-o"]
    source = tmp_path / "app.c"
    source.write_text(
        "int work(int a)\n{\n    return a + 1;\n}\nvoid _start(void)\n{\n    work(1);\n}\n"
    )
    elf = tmp_path / "app.elf"
    subprocess.run([*compiler, elf, source], capture_output=True, check=True)
    feed = b"PC 0x42001004 and 0x3ffb0000\n" + b"".join(
        make_boot(7, BLOCKS[:2], site=b"0x42001004")
    )
    done = run(feed, "--no-files", "--elf", str(elf), "--json", "-")
    last = json.loads(done.stdout.splitlines()[-2])
    assert done.stdout.count("0x42001004 (work (app.c:") >= 2
    assert last["owners"][0]["site"].startswith("0x42001004 (work (app.c:")
    assert '0x3ffb0000"' in done.stdout
