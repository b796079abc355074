"""`heapscope compare`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
Valid = Callable[[str, str], dict[str, Any]]


def test_two_versions_of_one_trace(hst: Path, run: Run, valid: Valid) -> None:
    args = ("compare", hst, "--chip", "esp32", "--idf", "4.2", "--idf", "5.5", "--need", 16717)
    done = run(*args)
    assert (done.code, done.err) == (0, "")
    assert "Differences" in done.out
    document = valid("compare-replays", run(*args, "--json", "-").out)
    assert [document[side]["label"] for side in ("left", "right")] == ["ESP-IDF 4.2", "ESP-IDF 5.5"]


def test_two_allocators_of_one_pool(hst: Path, run: Run, valid: Valid) -> None:
    args = ("--pool", "64KB", "--allocator", "idf-4.2", "--allocator", "idf-5.5", "--json", "-")
    document = valid("compare-replays", run("compare", hst, *args).out)
    assert [document[side]["label"] for side in ("left", "right")] == ["idf-4.2", "idf-5.5"]


@pytest.mark.parametrize(
    "options",
    [
        ("--pool", "64KB", "--pool", "32KB"),
        ("--layout", "F.toml", "--layout", "G.toml"),
        ("--chip", "esp32", "--boot-log", "boot.txt", "--boot-log", "boot2.txt"),
        ("--chip", "esp32", "--cores", "1", "--cores", "2"),
        ("--chip", "esp32", "--static-dram", "20KB", "--static-dram", "40KB"),
    ],
)
def test_every_option_given_twice_makes_two_sides(
    hst: Path, run: Run, valid: Valid, options: tuple[str, ...]
) -> None:
    layout, log = (
        Path("F.toml").read_text(encoding="utf-8"),
        Path("boot.txt").read_text(encoding="utf-8"),
    )
    Path("G.toml").write_text(layout.replace("32768", "16384"), encoding="utf-8")
    Path("boot2.txt").write_text(log.replace("0002D0B0", "0001D0B0"), encoding="utf-8")
    document = valid("compare-replays", run("compare", hst, *options, "--json", "-").out)
    sizes = {
        row["left"] == row["right"] for row in document["rows"] if row["name"].endswith("size")
    }
    assert False in sizes


def test_each_of_more_than_two_is_compared_with_the_first(
    hst: Path, run: Run, valid: Valid
) -> None:
    versions = ("4.2", "4.3", "5.5")
    args = ("compare", hst, "--chip", "esp32", *(f"--idf={one}" for one in versions))
    document = valid("compare-several", run(*args, "--json", "-").out)
    assert [side["label"] for side in document["sides"]] == [f"ESP-IDF {one}" for one in versions]
    rows = {(row["section"], row["name"]): row for row in document["differing"]}
    for index, other in enumerate(versions[1:]):
        pair = run(*args[:4], "--idf", "4.2", "--idf", other, "--json", "-").out
        wanted = valid("compare-replays", pair)
        assert document["conclusions"][index] == wanted["conclusion"]
        for row in wanted["rows"]:
            match = rows.get((row["section"], row["name"]))
            if match is not None:
                assert match["values"][0] == row["left"]
                assert match["values"][index + 1] == row["right"]
                assert match["outcomes"][index] == row["outcome"].replace("same", "")
            else:
                assert row["difference"] == 0 or row["left"] is row["right"] is None
    assert "equal on all sides" in run(*args).out


def test_a_budget_is_held_against_every_further_side(hst: Path, run: Run) -> None:
    args = ("compare", hst, "--pool", "64KB", "--pool", "64KB", "--pool", "32KB")
    done = run(*args, "--fail-on", "worse=0%")
    assert done.code == 1
    assert "broken: worse" in done.err


def test_two_traces_are_named_by_their_files(hst: Path, run: Run, valid: Valid) -> None:
    Path("events2.txt").write_text("a 1 5\n", encoding="utf-8")
    run("import", "--from", "text", "events2.txt", "-o", "U.hst")
    document = valid(
        "compare-replays", run("compare", hst, "U.hst", "--pool", "64KB", "--json", "-").out
    )
    assert [document[side]["label"] for side in ("left", "right")] == ["T.hst", "U.hst"]


def test_saved_results_compare_as_the_replays_do(hst: Path, run: Run) -> None:
    for size in ("64KB", "32KB"):
        run("replay", hst, "--pool", size, "--need", 16717, "--json", f"{size}.json")
    saved = run("compare", "64KB.json", "32KB.json")
    fresh = run("compare", hst, "--pool", "64KB", "--pool", "32KB", "--need", 16717)
    assert saved.code == 0
    assert saved.out == fresh.out


def test_equal_sides_are_marked_equal(hst: Path, run: Run) -> None:
    done = run("compare", hst, hst, "--pool", "64KB")
    assert "Nothing changes" in done.out
    assert "Differences" not in done.out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("T.hst", "--chip", "esp32"), "nothing to compare"),
        (("T.hst", "--chip", "esp32", *["--idf", "5.5"] * 2), "nothing to compare"),
        (("T.hst", *["--pool", "1KB", "--idf", "5.5"] * 2, "--pool", "3KB"), "--idf: 2, --pool: 3"),
        (("T.hst", *[f"--pool={size}KB" for size in range(1, 8)]), "7 sides, at most 6"),
        (("T.hst", "--chip=esp32", *[f"--idf=5.{n}" for n in range(3)], "--parts"), "there are 3"),
        (("a.json", "T.hst", "--parts"), "one trace on two memories"),
        (("boot.txt",), "one log, and nothing"),
        (("boot.txt", "boot.txt", "--chip", "esp32"), "--chip is for replaying"),
        (("T.hst", "boot.txt"), "--boot-log gives a trace the memory"),
        (("build.map", "build.map"), "builds are not compared part by part"),
        (("T.hst", "a.json", "--pool", "64KB"), "compared with another one"),
        (("a.json", "a.json", "--pool", "64KB"), "as they are, without options"),
        (("a.json", "bad.json"), "bad.json: at offset 5: not JSON"),
        (("a.json", "other.json"), "other.json: not a result"),
        (("a.json", "deep.json"), "deep.json: not"),
        (("a.json", "latin.json"), "latin.json: not JSON"),
        (("-", "-", "--pool", "64KB"), "standard input is named 2 times"),
        (("T.hst", "missing.hst", "--pool", "64KB"), "missing.hst: no such file"),
    ],
)
def test_what_cannot_be_compared_is_stated(
    hst: Path, run: Run, args: tuple[str, ...], message: str
) -> None:
    run("replay", hst, "--pool", "64KB", "--json", "a.json")
    Path("build.map").write_text("Linker script and memory map\n", encoding="ascii")
    Path("bad.json").write_text('{"a":', encoding="ascii")
    Path("other.json").write_text('{"a": 1}', encoding="ascii")
    Path("deep.json").write_text('{"a":' * 100_000, encoding="ascii")
    Path("latin.json").write_bytes(b'{"a": "\xff\xfe"}')
    done = run("compare", *args)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert "\nremedy: " in done.err
