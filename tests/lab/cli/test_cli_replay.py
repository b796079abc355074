"""`heapscope replay` and `import` on inputs that are in order."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
Valid = Callable[[str, str], dict[str, Any]]


def test_import_says_what_it_took_and_the_next_command(here: Path, run: Run) -> None:
    done = run("import", "--from", "text", "events.txt", "-o", "T.hst")
    assert (done.code, done.err) == (0, "")
    assert done.lines[0].startswith("T.hst: 8 events out of 14 lines")
    assert done.lines[-1] == "next: heapscope replay T.hst --chip esp32"
    assert (here / "T.hst").is_file()


def test_the_next_command_can_be_copied_whatever_the_path(
    here: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    name = f"{'long ' * 12}name.hst"
    expected = f"next: heapscope replay '{name}' --chip esp32"
    assert run("import", "--from", "text", "events.txt", "-o", name).lines[-1] == expected
    assert run("replay", name).lines[-1] == expected


def test_import_notes_lines_that_are_no_events(here: Path, run: Run) -> None:
    (here / "events.txt").write_text("a 1 5\nnonsense \x1b[31m\n", encoding="utf-8")
    done = run("import", "--from", "text", "events.txt", "-o", "T.hst")
    assert done.code == 0
    assert "first line 2: nonsense \\x1b[31m" in done.out.replace("\n", " ")


def test_import_to_json_is_valid(here: Path, run: Run, valid: Valid) -> None:
    done = run("import", "--from", "text", "events.txt", "-o", "T.hst", "--json", "-")
    assert valid("import", done.out)["events"] == 8


def test_info_shows_events_tasks_and_marks(hst: Path, run: Run) -> None:
    done = run("replay", hst)
    assert (done.code, done.err) == (0, "")
    assert "8 (3 malloc" in done.out
    assert "2: net, script" in done.out
    assert "start" in done.out


def test_info_to_json_is_valid(hst: Path, run: Run, valid: Valid) -> None:
    document = valid("replay-trace", run("replay", hst, "--json", "-").out)
    assert document["events"]["total"] == 8


def test_digest_is_one_line(hst: Path, run: Run) -> None:
    done = run("replay", hst, "--pool", "64KB", "--digest")
    assert done.code == 0
    (line,) = done.lines
    assert line.startswith("digest ")
    assert line.endswith(" results 6 failures 1")


@pytest.mark.parametrize("size", ["65536", "0x10000", "64KB", "64k", "64 KiB"])
def test_sizes_are_taken_in_every_common_form(hst: Path, run: Run, size: str) -> None:
    plain = run("replay", hst, "--pool", 65536, "--digest")
    assert run("replay", hst, "--pool", size, "--digest").out == plain.out


def test_a_pool_alone_is_idf_5_5(hst: Path, run: Run) -> None:
    alone = run("replay", hst, "--pool", "64KB", "--digest").out
    named = run("replay", hst, "--pool", "64KB", "--allocator", "idf-5.5", "--digest").out
    other = run("replay", hst, "--pool", "64KB", "--allocator", "idf-4.2", "--digest").out
    assert alone == named != other


def test_a_chip_without_version_is_marked_5_5(hst: Path, run: Run) -> None:
    done = run("replay", hst, "--chip", "esp32")
    assert done.code == 0
    assert done.lines[0] == "T.hst on ESP32, ESP-IDF 5.5"
    assert "note: ESP-IDF 5.5, as --idf was not given" in done.out
    assert "static use assumed" in done.out


def test_a_boot_log_brings_its_regions_and_version(hst: Path, run: Run, valid: Valid) -> None:
    args = ("replay", hst, "--chip", "esp32", "--boot-log", "boot.txt", "--json", "-")
    document = valid("replay", run(*args).out)
    assert document["layout"]["sdk"] == "4.2.2"
    assert document["layout"]["allocators"] == ["idf-4.2"]
    assert {row["start"] for row in document["regions"]} >= {0x3FFB2F50, 0x4008A7D4}


def test_an_option_overrides_the_version_of_a_boot_log(hst: Path, run: Run) -> None:
    done = run("replay", hst, "--chip", "esp32", "--boot-log", "boot.txt", "--idf", "5.5")
    assert done.lines[0] == "T.hst on ESP32, ESP-IDF 5.5"
    assert "the log is of ESP-IDF v4.2.2" in done.out


def test_a_layout_file_is_replayed_with_any_allocator(hst: Path, run: Run, valid: Valid) -> None:
    args = ("replay", hst, "--layout", "F.toml", "--allocator", "idf-4.2+light", "--json", "-")
    document = valid("replay", run(*args).out)
    assert document["layout"]["name"] == "two regions"
    assert [row["allocator"] for row in document["regions"]] == ["idf-4.2+light"] * 2


def test_static_use_moves_the_start_of_the_heap(hst: Path, run: Run, valid: Valid) -> None:
    sizes = []
    for use in ("20KB", "30KB"):
        args = ("replay", hst, "--chip", "esp32", "--static-dram", use, "--json", "-")
        document = valid("replay", run(*args).out)
        sizes.append(sum(row["size"] for row in document["regions"]))
    assert sizes[0] - sizes[1] == 10 * 1024


def test_one_core_has_more_memory_than_two(hst: Path, run: Run, valid: Valid) -> None:
    sizes = []
    for cores in (1, 2):
        args = ("replay", hst, "--chip", "esp32", "--cores", cores, "--json", "-")
        document = valid("replay", run(*args).out)
        sizes.append(sum(row["size"] for row in document["regions"]))
    assert sizes[0] > sizes[1]


def test_needs_are_answered_before_the_tables(hst: Path, run: Run) -> None:
    done = run("replay", hst, "--pool", "32KB", "--need", 16717, "--need", "4KB:DMA")
    assert done.code == 0
    text = done.out.replace("\n", " ")
    assert re.search(
        r"request of 16,717 B by malloc, tried after each of the [\d,]+ events, would", text
    )
    assert "4,096 B with DMA, tried after each" in text
    assert text.index("16,717 B by malloc") < text.index("Headroom")


def test_the_report_shows_tasks_marks_regions_and_failures(hst: Path, run: Run) -> None:
    out = run("replay", hst, "--pool", "64KB").out
    for part in ("Tasks", "script", "Marks", "middle", "Regions", "Failed requests", "digest "):
        assert part in out
    assert "next: --need 16717" in out


def test_json_to_a_file_leaves_the_tables(hst: Path, run: Run, valid: Valid) -> None:
    done = run("replay", hst, "--pool", "64KB", "--need", 99, "--json", "out.json")
    document = valid("replay", Path("out.json").read_text(encoding="ascii"))
    assert done.lines[0].startswith("T.hst on one pool")
    assert document["needs"][0]["size"] == 99
    assert len(document["marks"]) == 3


def test_json_of_a_whole_chip_is_valid(hst: Path, run: Run, valid: Valid) -> None:
    args = ("replay", hst, "--chip", "esp32", "--idf", "4.2", "--need", "16717:DMA", "--json", "-")
    document = valid("replay", run(*args).out)
    assert document["sets"][0]["capabilities"] == "malloc"
    assert document["needs"][0]["capabilities"] == "DMA"
    assert document["failures"][0]["regions"]
    assert document["timeline"]["series"][0]["name"] == "live_payload"


def test_the_version_and_the_help_are_printed(run: Run) -> None:
    assert run("--version").out.startswith("heapscope ")
    for args in ((), ("--help",), ("-h",)):
        done = run(*args)
        assert done.code == 0
        assert "compare" in done.out
