"""Where the RAM of a firmware goes, by the files of its build."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from tests.lab.ram.ram_of import difference_of, ram_of
from tests.lab.static.conftest import MAP, ROOT
from tests.lab.static.test_static_image import esp32, esp32c3
from typer.testing import CliRunner

from heapscope.answers.ram.ram_result import RamResult
from heapscope.base.errors import InputError
from heapscope.cli.app import app
from heapscope.memory.static.read import read_image

ELF = ROOT / "studies" / "workloads" / "static" / "firmware.elf"
PARTS = ("kept", "code", "data", "bss", "gaps", "unused", "heap", "not_explained")


def build(folder: Path, image: bytes, *, text: str = "") -> str:
    (folder / "project_description.json").write_text(
        json.dumps({"app_bin": "app.bin", "target": "esp32"}), encoding="utf-8"
    )
    (folder / "app.bin").write_bytes(image)
    if text:
        (folder / "app.map").write_text(text, encoding="utf-8", newline="\n")
    return str(folder)


def check_sums(result: RamResult) -> None:
    for bar in result.memories:
        assert sum(getattr(bar, part) for part in PARTS) == bar.bytes
        runs = [run for run in result.runs if bar.start <= run.start < bar.start + bar.bytes]
        ends = [run.start + run.bytes for run in runs]
        assert [run.start for run in runs] == [bar.start, *ends[:-1]]
        assert ends[-1] == bar.start + bar.bytes


@pytest.mark.parametrize("bluetooth", [True, False])
def test_an_esp32_sums_to_its_520_kb(tmp_path: Path, bluetooth: bool) -> None:
    thing = build(tmp_path, esp32(bluetooth=bluetooth))
    result = ram_of(thing)
    check_sums(result)
    main = [bar for bar in result.memories if bar.memory != "RTC"]
    assert sum(bar.bytes for bar in main) == 520 * 1024
    assert not any(bar.not_explained for bar in result.memories)
    regions = read_image(tmp_path / "app.bin").regions
    assert sum(bar.heap for bar in result.memories) == sum(region.size for region in regions)
    kept = {run.name: run.bytes for run in result.runs if run.what == "kept"}
    assert kept["cache"] == 64 * 1024
    assert ("Bluetooth controller" in kept) == bluetooth


def test_a_shared_memory_sums_and_has_the_regions_of_its_image(tmp_path: Path, seed: int) -> None:
    image = tmp_path / "app.bin"
    image.write_bytes(esp32c3(code=0x9000, data=0x1000, bss=0x2000, seed=seed, step=5))
    result = ram_of(image)
    check_sums(result)
    regions = {(region.start, region.size) for region in read_image(image).regions}
    assert {(run.start, run.bytes) for run in result.runs if run.what == "heap"} == regions
    assert not any(bar.not_explained for bar in result.memories)


def test_static_use_is_that_of_the_sections(tmp_path: Path) -> None:
    path = tmp_path / "app.map"
    path.write_text(MAP, encoding="utf-8", newline="\n")
    result = ram_of(path, idf="5.5")
    check_sums(result)
    dram, iram = (next(b for b in result.memories if b.memory == kind) for kind in ("DRAM", "IRAM"))
    assert (dram.data, dram.bss, dram.gaps) == (0x30, 0x3D0, 8)
    assert (iram.code, iram.kept) == (0x404, 0x10000)
    assert ram_of(ELF, chip="esp32", idf="5.5").static.symbols_seen == 11


@pytest.mark.parametrize("code_end", ["40080404", "40097710"])
def test_a_map_of_another_build_is_reported(tmp_path: Path, code_end: str) -> None:
    text = re.sub("0x0+40080404( +_iram_end)", rf"0x{code_end}\1", MAP)  # the image has the second
    thing = build(tmp_path, esp32(), text=text)
    result = ram_of(thing, idf="5.3.1")
    check_sums(result)
    assert "is of another build" in result.notes[0]
    assert not any(name.endswith("app.bin") for name in result.files)


def test_why_names_the_symbols_of_a_component(tmp_path: Path) -> None:
    path = tmp_path / "app.map"
    path.write_text(MAP, encoding="utf-8", newline="\n")
    result = ram_of(path, idf="5.5", why="libmain.a")
    assert [(part.symbol, part.total) for part in result.why] == [("s_cache", 0x190), ("boots", 16)]
    assert [part.component for part in ram_of(path, idf="5.5", why="table").why] == ["libnet.a"]
    with pytest.raises(InputError, match="nothing in RAM has the name") as error:
        ram_of(path, idf="5.5", why="libmian.a")
    assert "libmain.a" in str(error.value.remedy)


def test_another_thing_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sdkconfig"
    path.write_text("CONFIG_LWIP_TCP_WND_DEFAULT=5760\n", encoding="utf-8")
    with pytest.raises(InputError, match="not a firmware"):
        ram_of(path)
    (tmp_path / "project_description.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="no ELF, linker map or image"):
        ram_of(tmp_path)


def test_the_command_draws_each_memory_in_80_columns(tmp_path: Path) -> None:
    (tmp_path / "app.bin").write_bytes(esp32(bluetooth=False))
    result = CliRunner().invoke(app, ["ram", str(tmp_path / "app.bin")], terminal_width=80)
    assert result.exit_code == 0, result.output
    bars = [line for line in result.output.splitlines() if line.endswith("|")]
    assert [line.split()[0] for line in bars] == ["DRAM", "IRAM", "D/IRAM", "RTC", "RTC"]
    assert max(map(len, bars)) <= 80
    assert 18 <= bars[1].count("k") <= 20  # a third of 58, the caches


def test_a_section_of_nothing_but_alignment_is_a_gap(tmp_path: Path) -> None:
    end = "\n.iram0.text_end 0x0000000040080404       0x3c\n *fill*         0x40080404 0x3c\n"
    path = tmp_path / "app.map"
    path.write_text(MAP.replace("\n.dram0.data ", f"{end}\n.dram0.data ", 1), encoding="utf-8")
    iram = next(bar for bar in ram_of(path, idf="5.5").memories if bar.memory == "IRAM")
    assert (iram.code, iram.gaps) == (0x404, 0x3C)


def test_two_firmwares_differ_by_component_and_symbol(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.map", "b.map")]
    paths[0].write_text(MAP, encoding="utf-8")
    changed = MAP.replace("0x000000003ffb0030      0x190", "0x000000003ffb0030      0x170")
    paths[1].write_text(changed, encoding="utf-8")
    result = difference_of(*paths, idf="5.5")
    rows = {(row.name, row.symbol): row.change for row in result.symbols}
    assert rows == {("libmain.a", "s_cache"): -0x20, ("(padding)", "(padding)"): 0x20}
    assert [(row.name, row.change) for row in result.components if row.name == "libmain.a"] == [
        ("libmain.a", -0x20)
    ]
    same = difference_of(paths[0], paths[0], idf="5.5")
    assert (same.memories, same.components, same.symbols) == ((), (), ())


def test_markdown_has_the_bars_and_the_tables(tmp_path: Path) -> None:
    (tmp_path / "app.bin").write_bytes(esp32(bluetooth=False))
    out = tmp_path / "ram.md"
    result = CliRunner().invoke(app, ["ram", str(tmp_path / "app.bin"), "-o", str(out)])
    assert result.exit_code == 0, result.output
    text = out.read_text(encoding="utf-8")
    assert "    k kept  c code  d data" in text
    assert "### Memories (bytes)" in text


def test_why_names_who_pulls_a_component_in(tmp_path: Path) -> None:
    more = "esp-idf/net/libnet.a(old.c.obj) C:/x y/main.c.obj (old_init)\n\nDiscarded"
    path = tmp_path / "app.map"
    path.write_text(MAP.replace("\nDiscarded", more, 1), encoding="utf-8")
    pulled = ram_of(path, idf="5.5", why="libnet.a").pulled
    assert [(row.member, row.by, row.object, row.symbol) for row in pulled] == [
        ("wifi.c.obj", "", "", "wifi_start"),
        ("old.c.obj", "main.c.obj", "main.c.obj", "old_init"),
    ]


def test_a_project_is_its_one_build(tmp_path: Path) -> None:
    (tmp_path / "platformio.ini").write_text("[env:a]\n", encoding="utf-8")
    with pytest.raises(InputError, match="not built here"):
        ram_of(tmp_path)
    folder = tmp_path / ".pio" / "build" / "a"
    folder.mkdir(parents=True)
    (folder / "firmware.elf").write_bytes(ELF.read_bytes())
    (folder / "bootloader.elf").write_bytes(b"\x7fELF")
    result = ram_of(tmp_path, chip="esp32", idf="5.5")
    assert result.files == (str(folder / "firmware.elf"),)
    shutil.copytree(folder, folder.parent / "b")
    with pytest.raises(InputError, match="2 builds are in it"):
        ram_of(tmp_path)


def test_an_image_that_tells_nothing_is_left_out(tmp_path: Path) -> None:
    thing = build(tmp_path, b"\xe9" + bytes(64), text=MAP)
    result = ram_of(thing, idf="5.5")
    assert result.notes[0].endswith("it is not used")
    check_sums(result)


def test_a_release_that_no_file_names_is_found_by_the_regions(tmp_path: Path) -> None:
    result = ram_of(build(tmp_path, esp32(bluetooth=False, idf="HEAD-HASH-NOTFOUND")))
    assert result.idf
    assert "no file names the release" in result.notes[0]
    check_sums(result)


def test_sections_that_overlap_count_once_and_are_named(tmp_path: Path) -> None:
    path = tmp_path / "app.map"
    over = "\n.noinit         0x000000003ffb0300      0x180\n"
    path.write_text(MAP.replace("\n.dram0.heap_start", f"{over}\n.dram0.heap_start", 1))
    result = ram_of(path, idf="5.5")
    check_sums(result)
    assert "256 B of sections lie on others, and count once" in result.notes


def test_a_file_of_known_calls_is_checked(tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    calls.write_text("worker calls driver\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 1: neither calls nor bytes nor times"):
        ram_of(ELF, chip="esp32", idf="5.5", known_calls=str(calls))


def test_several_programs_in_a_folder_are_named(tmp_path: Path) -> None:
    for name in ("one.elf", "two.elf", "bootloader.elf"):
        (tmp_path / name).write_bytes(ELF.read_bytes())
    with pytest.raises(InputError, match="2 ELFs are in it") as error:
        ram_of(tmp_path, chip="esp32", idf="5.5")
    assert "two.elf" in error.value.remedy
    assert "bootloader" not in error.value.remedy
