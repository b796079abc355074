"""Options of a firmware's build, as a user types them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from heapscope.native.library import allocator_names

Run = Callable[..., Any]
CHIPS = ["esp32", "esp32s2", "esp32c2", "esp32c3", "esp32c5", "esp32c6", "esp32c61", "esp32h2"]


def replayed(run: Run, hst: Path, *options: str) -> dict[str, Any]:
    done = run("replay", hst, "--json", "-", *options)
    assert (done.code, done.err) == (0, "")
    document: dict[str, Any] = json.loads(done.out)
    return document


def kinds(document: dict[str, Any]) -> list[str]:
    return [region["kind"] for region in document["regions"]]


def notes(document: dict[str, Any]) -> str:
    return " ".join(document["layout"]["notes"])


@pytest.mark.cells(3)
@pytest.mark.parametrize(
    "chip",
    [*CHIPS, "ESP32-S3", "ESP32-P4"],
)
def test_every_chip_replays_and_the_json_is_valid(
    chip: str, hst: Path, run: Run, valid: Callable[[str, str], dict[str, Any]]
) -> None:
    done = run("replay", hst, "--chip", chip, "--json", "-")
    assert (done.code, done.err) == (0, "")
    assert valid("replay", done.out)["layout"]["chip"] == chip.lower().replace("-", "")


def test_psram_takes_what_is_above_the_threshold(hst: Path, run: Run) -> None:
    chip = ("--chip", "esp32s3", "--psram", "4MB")
    result = replayed(run, hst, *chip)
    assert kinds(result)[:2] == ["DMA pool", "SPIRAM"]
    (psram,) = [r for r in result["regions"] if r["kind"] == "SPIRAM"]
    assert psram["allocations"] == 2  # 20000 and 600000 bytes
    assert "up to 16,384 bytes from internal memory" in notes(result)
    low = replayed(run, hst, *chip, "--psram-threshold", "512")
    (psram,) = [r for r in low["regions"] if r["kind"] == "SPIRAM"]
    assert psram["allocations"] == 4  # 1000 and the one that grows to 700 as well


def test_psram_for_explicit_requests_only(hst: Path, run: Run) -> None:
    result = replayed(run, hst, "--chip", "esp32s3", "--psram", "4MB", "--psram-threshold", "off")
    assert kinds(result)[0] == "SPIRAM"
    assert result["regions"][0]["allocations"] == 0
    assert "not malloc" in notes(result)


def test_the_pool_has_the_size_requested(hst: Path, run: Run) -> None:
    result = replayed(run, hst, "--chip", "esp32", "--psram", "4MB", "--psram-reserve", "64KB")
    assert (result["regions"][0]["kind"], result["regions"][0]["size"]) == ("DMA pool", 65535)
    none = replayed(run, hst, "--chip", "esp32", "--psram", "4MB", "--psram-reserve", "0")
    assert "DMA pool" not in kinds(none)


def test_rtc_memory_protection_and_byte_access_are_switches(hst: Path, run: Run) -> None:
    one = ("--chip", "esp32", "--cores", "1")
    assert "RTCRAM" in kinds(replayed(run, hst, *one, "--rtc", "on"))
    assert "RTCRAM" not in kinds(replayed(run, hst, "--chip", "esp32c6", "--rtc", "off"))
    for options, name in (
        ((*one, "--iram-8bit", "on"), "IRAM_8BIT"),
        (("--chip", "esp32c6", "--memprot", "off"), "EXEC"),
    ):
        sets = " ".join(row["capabilities"] for row in replayed(run, hst, *options)["sets"])
        assert name in sets


def test_the_development_branch_is_called_one(hst: Path, run: Run) -> None:
    done = run("replay", hst, "--chip", "esp32c3", "--idf", "head-2026-07")
    assert "ESP-IDF head-2026-07 (development branch)" in done.out.replace("\n", " ")
    result = replayed(run, hst, "--chip", "esp32c3", "--idf", "head-2026-07")
    assert "development branch" in result["layout"]["sdk"]
    assert "development branch" in result["layout"]["name"]


def test_an_allocator_in_the_rom_is_marked_unverified(hst: Path, run: Run) -> None:
    result = notes(replayed(run, hst, "--chip", "esp32c5"))
    assert "unverified: by default the ESP32-C5 uses the allocator in its ROM" in result
    assert "unverified" not in notes(replayed(run, hst, "--chip", "esp32c6"))
    assert "unverified" not in notes(replayed(run, hst, "--chip", "esp32c3"))


def test_two_builds_are_compared(hst: Path, run: Run) -> None:
    one = run("compare", hst, "--chip", "esp32s3", "--psram", "2MB", "--psram", "8MB")
    assert (one.code, one.err) == (0, "")
    two = run("compare", hst, "--chip", "esp32s3", "--chip", "esp32c3", "--need", "16717")
    assert (two.code, two.err) == (0, "")


def test_4_3_runs_or_names_the_models_that_there_are(hst: Path, run: Run) -> None:
    done = run("replay", hst, "--chip", "esp32", "--idf", "4.3")
    if "idf-4.3.2" in allocator_names():
        assert done.code == 0
    else:
        assert (done.code, done.out) == (2, "")
        assert "unknown allocator 'idf-4.3.2'" in done.err
        assert "idf-5.5" in done.err


def test_a_log_s_psram_is_used_and_can_be_changed(hst: Path, run: Run) -> None:
    text = Path("boot.txt").read_text(encoding="utf-8")
    more = (
        "I (500) spiram: Adding pool of 4096K of external SPI memory to heap allocator\n"
        "I (501) spiram: Reserving pool of 32K of internal memory for DMA/internal allocations\n"
    )
    Path("psram.txt").write_text(text + more, encoding="utf-8")
    options = ("--chip", "esp32", "--boot-log", "psram.txt")
    assert kinds(replayed(run, hst, *options))[:2] == ["DMA pool", "SPIRAM"]
    off = replayed(run, hst, *options, "--psram-threshold", "off")
    assert kinds(off)[0] == "SPIRAM"
    small = replayed(run, hst, *options, "--psram", "2MB")
    assert small["regions"][1]["size"] == (2 << 20) - 1


BAD = [
    (("--chip", "esp32", "--psram", "many"), "--psram: 'many' is not a number of bytes"),
    (("--chip", "esp32", "--psram", "8MB"), "8388608 bytes of PSRAM"),
    (("--chip", "esp32", "--psram-threshold", "1000"), "--psram-threshold without PSRAM"),
    (("--chip", "esp32", "--psram-reserve", "1000"), "--psram-reserve without PSRAM"),
    (("--chip", "esp32", "--psram", "4MB", "--psram-threshold", "no"), "'no' is not a number"),
    (("--chip", "esp32", "--psram", "4MB", "--psram-threshold", "1MB"), "out of range"),
    (("--chip", "esp32c6", "--psram", "4MB"), "ESP32-C6 under ESP-IDF 5.5 has no PSRAM"),
    (("--chip", "esp32c6", "--rtc", "yes"), "--rtc: 'yes' is neither"),
    (("--chip", "esp32c6", "--memprot", "1"), "--memprot: '1' is neither"),
    (("--chip", "esp32", "--memprot", "off"), "no memory protection to switch"),
    (("--chip", "esp32", "--iram-8bit", "on"), "no byte access to IRAM with two cores"),
    (("--chip", "esp32c2", "--rtc", "on"), "no RTC memory for the heap"),
    (("--chip", "esp32c3", "--cores", "2"), "ESP32-C3 with 2 cores"),
    (("--chip", "esp32c6", "--idf", "4.2"), "ESP-IDF 4.2 has no ESP32-C6"),
    (("--chip", "esp8266"), "unknown chip 'esp8266'"),
    (("--chip", "esp32", "--idf", "7.0"), "unknown ESP-IDF version '7.0'"),
    (("--pool", "64KB", "--psram", "4MB"), "--pool and --psram cannot be used together"),
    (("--layout", "F.toml", "--memprot", "off"), "--layout and --memprot cannot be used together"),
    (("--boot-log", "boot.txt", "--chip", "esp32", "--rtc", "off"), "--rtc and --boot-log both"),
]


@pytest.mark.parametrize(("options", "why"), BAD)
def test_what_cannot_be_is_an_error_with_a_remedy(
    options: tuple[str, ...], why: str, hst: Path, run: Run
) -> None:
    done = run("replay", hst, *options)
    assert (done.code, done.out) == (2, "")
    assert why in done.err
    assert "remedy: " in done.err


def test_an_sdkconfig_gives_the_allocator_its_flavour(hst: Path, run: Run) -> None:
    """Up to 5.1 tasks are tracked in the poison alone: without it Kconfig drops the line."""
    options = ("--chip", "esp32", "--idf", "4.2", "--sdkconfig", "sdkconfig")
    tracking = "CONFIG_HEAP_TASK_TRACKING=y\n"
    for text, allocator in (
        (f"CONFIG_HEAP_POISONING_LIGHT=y\n{tracking}", "idf-4.2+track"),
        (tracking, "idf-4.2"),
    ):
        Path("sdkconfig").write_text(text, encoding="utf-8")
        document = replayed(run, hst, *options)
        assert {region["allocator"] for region in document["regions"]} == {allocator}
        assert sum(region["used_blocks"] for region in document["regions"]) > 0
    assert "the build of ESP-IDF 4.2 does not take: CONFIG_HEAP_TASK_TRACKING" in notes(document)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--chip", "esp32", "--sdkconfig", "none"), "none: no such file"),
        (
            ("--chip", "esp32", "--sdkconfig", "boot.txt"),
            "no line of it is one of an option",
        ),
        (("--pool", "64KB", "--sdkconfig", "boot.txt"), "cannot be used together"),
        (
            ("--chip", "esp32", "--sdkconfig", "boot.txt", "--allocator", "idf-5.5"),
            "both say how the allocator is built",
        ),
    ],
)
def test_an_sdkconfig_that_cannot_be_is_an_error(
    hst: Path, run: Run, options: tuple[str, ...], why: str
) -> None:
    done = run("replay", hst, *options)
    assert (done.code, done.out) == (2, "")
    assert why in " ".join(done.err.split())
