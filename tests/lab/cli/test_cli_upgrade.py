"""`heapscope compare` as its user meets it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
Valid = Callable[[str, str], dict[str, Any]]

CHIP = ("--chip", "esp32", "--idf", "4.2", "--idf", "5.5", "--parts")


def test_the_json_follows_its_schema(hst: Path, run: Run, valid: Valid) -> None:
    done = run("compare", hst, *CHIP, "--json", "-")
    assert done.code == 0
    document = valid("compare-parts", done.out)
    assert [fall["key"] for fall in document["waterfalls"]] == [
        "free_at_start",
        "minimum_free",
        "largest_at_start",
        "minimum_largest",
    ]


def test_the_json_without_a_trace_too(here: Path, run: Run, valid: Valid) -> None:
    done = run("compare", *CHIP, "--json", "-", "--reported-free", "300000")
    document = valid("compare-parts", done.out)
    assert document["trace"] == ""
    assert document["after"]["run"] is None


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_tables_at_any_width(hst: Path, run: Run, width: int, monkeypatch: Any) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    done = run("compare", hst, *CHIP)
    assert done.code == 0
    assert all(len(line) <= width for line in done.lines)
    assert "█" in done.out or "#" in done.out  # what has no room beside stands below


def test_two_boot_logs_need_nothing_else(here: Path, run: Run, valid: Valid) -> None:
    text = Path("boot.txt").read_text(encoding="utf-8")
    old = "I (0) boot.esp32: chip\n" + text
    new = old.replace("4.2.2", "5.5").replace("3FFB2F50 len 0002D0B0", "3FFB3350 len 0002CCB0")
    Path("old.txt").write_text(old, encoding="utf-8")
    Path("new.txt").write_text(new, encoding="utf-8")
    done = run("compare", "--boot-log", "old.txt", "--boot-log", "new.txt", "--json", "-")
    document = valid("compare-parts", done.out)
    rows = {row["key"]: row["lost"] for row in document["waterfalls"][0]["rows"]}
    assert rows["static"] == 0x400
    assert rows["control"] > 2_000
    sizes = [row["size_before"] - row["size_after"] for row in document["regions"]]
    assert sizes == [0, 0x400, 0, 0, 0]


def test_layouts_and_pools_take_the_versions_heaps(hst: Path, run: Run, valid: Valid) -> None:
    for memory in (("--layout", "F.toml"), ("--pool", "64KB")):
        done = run(
            "compare", hst, *memory, "--idf", "4.2", "--idf", "5.5", "--parts", "--json", "-"
        )
        document = valid("compare-parts", done.out)
        assert document["before"]["layout"]["allocators"] == ["idf-4.2"]
        assert document["after"]["layout"]["allocators"] == ["idf-5.5"]


def test_two_layout_files_are_not_distinguished(hst: Path, run: Run, valid: Valid) -> None:
    text = Path("F.toml").read_text(encoding="utf-8")
    Path("G.toml").write_text(text.replace("16384", "20480"), encoding="utf-8")
    files = ("--layout", "F.toml", "--layout", "G.toml", "--allocator", "idf-4.2")
    document = valid("compare-parts", run("compare", hst, *files, "--parts", "--json", "-").out)
    rows = {row["key"]: row for row in document["waterfalls"][0]["rows"]}
    assert rows["regions"]["lost"] == -4096
    assert rows["static"]["lost"] is None


def test_sdkconfigs_of_both_sides(hst: Path, run: Run, valid: Valid) -> None:
    Path("plain").write_text("# CONFIG_HEAP_TASK_TRACKING is not set\n", encoding="utf-8")
    Path("poison").write_text("CONFIG_HEAP_POISONING_LIGHT=y\n", encoding="utf-8")
    done = run(
        "compare", hst, *CHIP, "--sdkconfig", "plain", "--sdkconfig", "poison", "--json", "-"
    )
    document = valid("compare-parts", done.out)
    rows = {row["key"]: row["lost"] for row in document["waterfalls"][1]["rows"]}
    assert rows["checks"] > 0
    assert any(offer["kind"] == "checks" for offer in document["offers"])


def test_tracking_is_no_difference_of_checks_where_both_have_it(
    hst: Path, run: Run, valid: Valid
) -> None:
    """4.2 tracks within its poison, 5.5 does not: the checks asked for are the same."""
    Path("track").write_text(
        "CONFIG_HEAP_POISONING_LIGHT=y\nCONFIG_HEAP_TASK_TRACKING=y\n", encoding="utf-8"
    )
    done = run("compare", hst, *CHIP, "--sdkconfig", "track", "--json", "-")
    document = valid("compare-parts", done.out)
    assert document["before"]["layout"]["allocators"] == ["idf-4.2+track"]
    assert document["after"]["layout"]["allocators"] == ["idf-5.5+light+track"]
    rows = {row["key"]: row["lost"] for row in document["waterfalls"][1]["rows"]}
    assert rows["checks"] == 0


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--chip", "esp32"), "no version differs"),
        (("--chip", "esp32", "--idf", "4.2"), "no version differs"),
        (
            ("--chip", "esp32", "--idf", "4.2", "--idf", "9.9", "--parts"),
            "unknown ESP-IDF version '9.9'",
        ),
        (("--chip", "esp99", "--idf", "4.2", "--idf", "5.5", "--parts"), "unknown chip 'esp99'"),
        (("--chip", "esp32c6", "--idf", "4.2", "--idf", "5.5", "--parts"), "4.2 has no ESP32-C6"),
        ((*CHIP, "--caps", "NONSENSE"), "NONSENSE"),
        ((*CHIP, "--reported-free", "many"), "--reported-free"),
        ((*CHIP, "--reported-free", "-5"), "--reported-free"),
        ((*CHIP, "--reported-free", "9000000"), "even when start-up takes nothing"),
        ((*CHIP, *("--reported-free", "1") * 3), "given 3 times"),
        ((*CHIP, *("--boot-log", "boot.txt") * 3), "--boot-log: 3"),
        ((*CHIP, "--boot-log", "none.txt"), "none.txt"),
        ((*CHIP, "--boot-log", "events.txt"), "no heap_init line"),
        ((*CHIP, "--layout", "F.toml"), "cannot be used together"),
        ((*CHIP, "--allocator", "nonsense"), "unknown allocator"),
        (("--pool", "64KB", "--idf", "4.2", "--idf", "6.0x"), "unknown ESP-IDF version"),
        (("--pool", "100", "--idf", "4.2", "--idf", "4.3", "--parts"), "cannot hold a heap"),
    ],
)
def test_bad_input_is_named(here: Path, run: Run, options: tuple[str, ...], text: str) -> None:
    done = run("compare", *options)
    assert done.code == 2
    assert text in " ".join(done.err.split())
    assert "remedy:" in done.err
    assert done.out == ""


def test_bad_traces_are_named(here: Path, run: Run) -> None:
    Path("noise.hst").write_bytes(bytes(range(256)) * 40)
    Path("empty.hst").write_bytes(b"")
    for trace in ("noise.hst", "empty.hst", "none.hst", "events.txt"):
        done = run("compare", trace, *CHIP)
        assert (done.code, done.out) == (2, "")
        assert trace in done.err


def test_a_name_that_would_act_on_a_terminal_is_harmless(hst: Path, run: Run) -> None:
    evil = Path("a\x1b[31m[bold].hst")
    evil.write_bytes(hst.read_bytes())
    done = run("compare", evil, *CHIP, "--json", "-")
    assert done.code == 0
    assert "\x1b" not in done.out


def test_the_same_version_twice_changes_nothing(hst: Path, run: Run, valid: Valid) -> None:
    done = run(
        "compare", hst, "--chip", "esp32", "--idf", "5.5", "--idf", "5.5", "--parts", "--json", "-"
    )
    document = valid("compare-parts", done.out)
    assert {fall["lost"] for fall in document["waterfalls"]} == {0}


def test_options_that_differ_beside_static_use_are_named(
    here: Path, run: Run, valid: Valid
) -> None:
    document = valid(
        "compare-parts", run("compare", *CHIP, "--cores", "2", "--cores", "1", "--json", "-").out
    )
    (row,) = [row for row in document["waterfalls"][0]["rows"] if row["key"] == "static"]
    assert row["lost"]
    assert "--cores" in row["note"]


def test_less_free_than_start_up_can_take_is_no_figure(here: Path, run: Run) -> None:
    """Start-up cannot use the regions that hold its stacks, so the rest must be static data."""
    done = run("compare", *CHIP, "--reported-free", "100000")
    assert done.code == 2
    assert "100,000 bytes free before the upgrade, but ESP32, ESP-IDF 4.2 has" in done.err
    assert "--static-dram" in done.err


def test_memory_that_neither_version_has_is_not_compared(here: Path, run: Run) -> None:
    done = run("compare", *CHIP, "--caps", "SPIRAM")
    assert "No region of either version serves SPIRAM" in " ".join(done.out.split())
