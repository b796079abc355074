"""--elf and --map on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from typer.testing import CliRunner, Result

from heapscope.cli.app import app
from heapscope.cli.schemas import schema_of

MakeTrace = Callable[..., Path]

BOOT = """\
I (24) boot: ESP-IDF v4.2.2 2nd stage bootloader
ets Jun  8 2016 00:22:57
I (344) heap_init: At 3FFAE6E0 len 00001920 (6 KiB): DRAM
I (350) heap_init: At {start:08X} len {size:08X} (180 KiB): DRAM
I (362) heap_init: At 3FFE4350 len 0001BCB0 (111 KiB): D/IRAM
I (375) cpu_start: Pro cpu start user code
"""


@pytest.fixture
def hst(make_trace: MakeTrace) -> Path:
    return make_trace("t net", "a 1 1000", "a 2 20000", "f 2")


def run(*args: object) -> Result:
    return CliRunner().invoke(app, [str(arg) for arg in args], env={"COLUMNS": "100"})


def test_a_replay_shows_static_ram_and_starts_behind_it(
    hst: Path, firmware: Path, tmp_path: Path
) -> None:
    out = tmp_path / "r.json"
    done = run("replay", hst, "--chip", "esp32", "--elf", firmware, "--json", out)
    assert done.exit_code == 0
    assert "Static RAM (bytes)" in done.stdout
    assert "g_wifi_rx_buffers" in done.stdout
    assert f"static use from {firmware}"[:60] in done.stdout.replace("\n", "")
    document = json.loads(out.read_text())
    jsonschema.Draft202012Validator(schema_of("replay")).validate(document)
    static = document["static"]
    assert static["heap_start"] in {region["start"] for region in document["regions"]}
    for row in static["kinds"]:
        parts = [s["total"] for s in static["symbols"] if s["kind"] == row["kind"]]
        assert sum(parts) == row["total"] == row["code"] + row["data"] + row["bss"]
    assert sum(row["heap"] for row in static["kinds"]) == sum(
        region["size"] for region in document["regions"]
    )


def test_a_map_shows_components(hst: Path, map_file: Path) -> None:
    done = run("replay", hst, "--chip", "esp32", "--map", map_file)
    assert done.exit_code == 0
    assert "Static RAM by component" in done.stdout
    assert "libnet.a" in done.stdout


def test_without_a_file_there_is_no_section(hst: Path, tmp_path: Path) -> None:
    out = tmp_path / "r.json"
    done = run("replay", hst, "--chip", "esp32", "--json", out)
    assert "Static RAM" not in done.stdout
    assert json.loads(out.read_text())["static"] is None


def test_compare_takes_two(hst: Path, firmware: Path, map_file: Path) -> None:
    done = run("compare", hst, "--chip", "esp32", "--elf", firmware, "--elf", map_file)
    assert done.exit_code == 0
    assert "36,736 bytes of DRAM" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("start", "stated"), [(0x3FFB8F80, False), (0x3FFB9000, True), (0x3FFB31F8, True)]
)
def test_a_boot_log_of_another_firmware_is_noticed(
    hst: Path, firmware: Path, tmp_path: Path, start: int, stated: bool
) -> None:
    log = tmp_path / "boot.txt"
    log.write_text(BOOT.format(start=start, size=0x3FFE0000 - start))
    done = run("replay", hst, "--boot-log", log, "--chip", "esp32", "--elf", firmware)
    assert done.exit_code == 0
    assert "Static RAM (bytes)" in done.stdout
    assert ("is not the firmware of" in done.stdout.replace("\n", " ")) is stated


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--static-dram", "100"), "--elf and --static-dram both say"),
        (("--static-iram", "100"), "--elf and --static-iram both say"),
        (("--map", "x.map"), "--elf and --map both say"),
        (("--pool", "64KB"), "--pool and"),
    ],
)
def test_options_that_say_the_same_are_refused(
    hst: Path, firmware: Path, options: tuple[str, ...], text: str
) -> None:
    chip = () if "--pool" in options else ("--chip", "esp32")
    done = run("replay", hst, *chip, "--elf", firmware, *options)
    assert done.exit_code == 2
    assert text in done.stderr


def test_firmware_of_another_chip_is_refused(hst: Path, firmware: Path) -> None:
    done = run("replay", hst, "--chip", "esp32s3", "--elf", firmware)
    assert done.exit_code == 2
    assert "data or code RAM of the ESP32-S3" in done.stderr


def test_other_files_are_named(hst: Path, tmp_path: Path) -> None:
    other = tmp_path / "boot.txt"
    other.write_text(BOOT)
    for path, stated in [
        (other, "neither an ELF, a linker map nor JSON"),
        (tmp_path / "none", "no such file"),
        (tmp_path, "is not a file"),
        (hst, "neither an ELF"),
    ]:
        done = run("replay", hst, "--chip", "esp32", "--elf", path)
        assert done.exit_code == 2
        assert str(path) in done.stderr
        assert stated in done.stderr
        assert "remedy: " in done.stderr
