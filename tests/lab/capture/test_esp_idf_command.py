"""`heapscope import` as a command: exit codes, output, JSON by its schema."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import zstandard
from typer.testing import CliRunner

from heapscope.cli.app import app
from heapscope.cli.schemas import schema_of

Run = Callable[..., Any]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command line, 80 columns wide."""
    monkeypatch.setenv("COLUMNS", "80")

    def run_it(*args: object) -> Any:
        done = CliRunner().invoke(app, ["import", "--from", "esp-idf", *(str(arg) for arg in args)])
        assert "Traceback" not in done.output
        return done

    return run_it


def flat(text: str) -> str:
    """Without the breaks of a narrow terminal."""
    return " ".join(text.split())


def checked(text: str) -> dict[str, Any]:
    schema = schema_of("import-esp-idf")
    jsonschema.Draft202012Validator.check_schema(schema)
    document: dict[str, Any] = json.loads(text)
    jsonschema.Draft202012Validator(schema).validate(document)
    return document


def test_the_answer_comes_first(run: Run, logs: Path) -> None:
    done = run(logs / "esp32_v4.4_tls.log", "--need", "16717", "--need", "4KB:DMA")
    assert (done.exit_code, done.stderr) == (0, "")
    text = flat(done.stdout)
    assert text.index("16,717 B would not fit") < text.index("The last heap summary")
    assert "4,096 B with DMA would fit" in text
    assert "A request of 16,717 B by calloc with INTERNAL|DEFAULT failed 2 times" in text
    assert "Left open by this log" in text


def test_the_trace_is_written_and_the_next_command_is_shown(
    run: Run, logs: Path, tmp_path: Path
) -> None:
    log = logs / "esp32_v4.4_heap_trace.log"
    done = run(log, "-o", tmp_path / "T.hst")
    assert done.exit_code == 0
    assert (tmp_path / "T.hst").exists()
    words = f"heapscope replay {tmp_path / 'T.hst'} --boot-log {log}"
    assert done.stdout.splitlines()[-1] == f"next: {words}"


def test_a_log_without_a_trace_names_no_command_that_needs_one(run: Run, logs: Path) -> None:
    done = run(logs / "esp32_v4.4_tls.log", "--need", "16717")
    assert "T.hst" not in done.stdout


def test_what_a_log_tells_of_its_device_is_used_further_on(
    run: Run, logs: Path, tmp_path: Path
) -> None:
    def last(log: str, *more: str) -> str:
        trace = str(tmp_path / f"{log}.hst")
        run(logs / f"{log}.log", "-o", trace)
        done = CliRunner().invoke(app, [*more, trace])
        assert "Traceback" not in done.output
        return str(done.output).rstrip().splitlines()[-1].replace(trace, "T")

    again = "next: heapscope replay T --chip"
    assert last("esp32s3_v5.5_leaks", "replay") == f"{again} esp32s3 --idf 'esp-idf v5.5.1'"
    assert last("esp32_v4.4_heap_trace", "replay") == f"{again} esp32 --idf 'esp-idf v4.4.2'"


def test_a_log_without_a_heap_trace_is_no_error(run: Run, logs: Path, tmp_path: Path) -> None:
    done = run(logs / "esp32_v4.4_tls.log", "-o", tmp_path / "T.hst")
    assert done.exit_code == 0
    assert "no heap trace, so there are no events to replay" in flat(done.stdout)
    assert not (tmp_path / "T.hst").exists()


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("", "is empty"),
        ("I (1) app: hello\nI (2) app: free\n", "is a log"),
        ("\x7fELF" + "\0" * 200, "ELF"),
        ('{"a": "b"}', "JSON"),
    ],
)
def test_nothing_usable_exits_2_and_names_what_was_looked_for(
    run: Run, save: Any, content: str, what: str
) -> None:
    done = run(save(content))
    assert (done.exit_code, done.stdout) == (2, "")
    assert what in done.stderr
    assert "device.log: nothing about a heap in it" in done.stderr
    assert "heap_trace_dump()" in done.stderr
    assert "Heap summary for capabilities" in done.stderr


@pytest.mark.parametrize(
    ("args", "part"),
    [
        (("--idf", "next"), "unknown ESP-IDF version 'next'"),
        (("--chip", "stm32"), "unknown chip 'stm32'"),
        (("--poisoning", "heavy"), "unknown poisoning 'heavy'"),
        (("--need", "lots"), "'lots' is not a number of bytes"),
        (("--need", "5:FAST"), "unknown capability 'FAST'"),
        (("-o", "-", "--json", "-"), "both want standard output"),
    ],
)
def test_options_that_cannot_be_used(
    run: Run, logs: Path, args: tuple[str, ...], part: str
) -> None:
    done = run(logs / "esp32_v4.4_heap_trace.log", *args)
    assert (done.exit_code, done.stdout) == (2, "")
    assert part in done.stderr
    assert "remedy: " in done.stderr


def test_a_missing_file_is_named(run: Run, tmp_path: Path) -> None:
    done = run(tmp_path / "none.log")
    assert done.exit_code == 2
    assert "none.log: no such file" in done.stderr


def test_the_log_is_never_overwritten(run: Run, logs: Path, save: Any) -> None:
    log = save((logs / "esp32_v4.4_heap_trace.log").read_bytes())
    before = log.read_bytes()
    done = run(log, "-o", log)
    assert (done.exit_code, log.read_bytes()) == (2, before)


def test_options_of_the_other_format_are_refused(logs: Path, tmp_path: Path) -> None:
    events = tmp_path / "events.txt"
    events.write_text("a 0 100\n")
    for option in (("--idf", "5.5"), ("--chip", "esp32"), ("--need", "5"), ("--poisoning", "none")):
        done = CliRunner().invoke(
            app, ["import", "--from", "text", str(events), "-o", str(tmp_path / "T.hst"), *option]
        )
        assert done.exit_code == 2
        assert f"{option[0]} says nothing about a file of format text" in done.stderr


@pytest.mark.parametrize("name", ["esp32_v4.4_tls", "esp32_v4.4_heap_trace", "esp32s3_v5.5_leaks"])
def test_the_json_follows_its_schema(run: Run, logs: Path, tmp_path: Path, name: str) -> None:
    log = logs / f"{name}.log"
    done = run(log, "-o", tmp_path / "T.hst", "--need", "16717", "--json", "-")
    assert done.exit_code == 0
    document = checked(done.stdout)
    assert (document["heapscope_import"], document["file"]) == (1, str(log))
    assert document["out"] in ("", str(tmp_path / "T.hst"))


def test_the_json_has_the_figures(run: Run, logs: Path) -> None:
    done = run(logs / "esp32_v4.4_tls.log", "--need", "16717", "--json", "-")
    document = checked(done.stdout)
    assert document["needs"][0]["fits"] is False
    assert document["needs"][0]["history"]["fits"] == 2
    assert [row["address"] for row in document["regions"]] == [
        0x3FFAE6E0,
        0x3FFC4AC8,
        0x3FFE0440,
        0x3FFE4350,
    ]
    last = document["regions"][-1]
    assert (last["kind"], last["fits_least"], last["fits_most"]) == ("D/IRAM", 15872, 15872)
    assert document["answer"]["failed"][0]["fits"] is False
    assert len(document["summaries"]) == 3
    assert document["trace"] is None


def test_a_compressed_log_and_standard_input_are_read(
    run: Run, logs: Path, save: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = (logs / "esp32_v4.4_tls.log").read_bytes()
    packed = save(zstandard.compress(raw), "device.log.zst")
    assert "15,872 B" in run(packed).stdout
    done = CliRunner().invoke(app, ["import", "--from", "esp-idf", "-"], input=raw)
    assert (done.exit_code, "standard input" in done.stdout) == (0, True)


def test_hostile_names_reach_no_terminal(run: Run, save: Any) -> None:
    text = b"Task: \x1b]0;x\x07evil -> CAP_8BIT: 5 CAP_32BIT: 0\n"
    done = run(save(text + b"E (1) a\x1b[2Jb: ESP_ERR_NO_MEM \x07\n"))
    assert done.exit_code == 0
    assert "\x1b" not in done.stdout
    assert "\x07" not in done.stdout
