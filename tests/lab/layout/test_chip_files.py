"""The chip files are sound, and the layouts made from them are those of the SDKs."""

from __future__ import annotations

import re
import tomllib
from itertools import product
from pathlib import Path

import pytest

from heapscope.errors import InputError
from heapscope.layout.chip_data import read_chip
from heapscope.layout.chips import chip_names, load_chip
from heapscope.layout.layout import Layout

ROOT = Path(__file__).resolve().parents[3]
CHIPS = ROOT / "lab" / "heapscope" / "data" / "chips"

NAMES = {"esp32", "esp32s2", "esp32s3", "esp32c2", "esp32c3", "esp32c5", "esp32c6", "esp32c61"} | {
    "esp32h2",
    "esp32p4",
}
NEW = ("5.5", "head-2026-07")
VERSIONS = {
    "esp32": ("4.2", "4.3.2", *NEW),
    "esp32s2": ("4.2", "4.3.2", *NEW),
    "esp32s3": ("4.3.2", *NEW),
    "esp32c3": ("4.3.2", *NEW),
}
#: ESP_ROM_HAS_HEAP_TLSF in components/esp_rom/CHIP/esp_rom_caps.h.
ROM = {"esp32c2", "esp32c5", "esp32c6", "esp32c61", "esp32h2"}
EVERY = [(name, version) for name in sorted(NAMES) for version in VERSIONS.get(name, NEW)]


def test_there_are_the_chips_of_today() -> None:
    assert set(chip_names()) >= NAMES
    for name in NAMES:
        assert load_chip(name).versions == VERSIONS.get(name, NEW)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_file_has_these_keys_and_names_its_sources(name: str) -> None:
    text = (CHIPS / f"{name}.toml").read_text(encoding="utf-8")
    top = {"schema", "name", "title", "cores", "request_max", "version", "default"} | {"linker"}
    assert set(tomllib.loads(text)) == top
    for version in VERSIONS.get(name, NEW):
        assert f"# ---- ESP-IDF {version} " in text
    assert len(re.findall(r"^#   components/\S*memory_layout\.c", text, re.MULTILINE)) == len(
        VERSIONS.get(name, NEW)
    )


@pytest.mark.parametrize(("name", "version"), EVERY)
def test_every_build_of_every_chip_is_a_layout(name: str, version: str) -> None:
    chip = load_chip(name)
    data = next(v for v in chip.data.versions if v.name == version)
    assert {entry.kind for entry in data.map} <= set(data.kinds)
    assert set(data.unprotected) <= set(data.kinds)
    cores = range(1, chip.data.cores + 1)
    switches = [None] if data.protection is None else [True, False]
    for count, protection in product(cores, switches):
        layout = chip.layout(idf=version, cores=count, protection=protection)
        assert 1 <= len(layout.kinds) <= 8
        assert sum(region.startup_use for region in layout.regions) == 15504
        for region in layout.regions:
            assert region.size % 4 == region.start % 4 == 0
            assert any(
                region.kind in entry.names and entry.start <= region.start < entry.end
                for entry in data.map
            )


@pytest.mark.parametrize(("name", "version"), EVERY)
def test_what_is_not_verified_is_said_and_another_allocator_ends_it(
    name: str, version: str
) -> None:
    chip = load_chip(name)
    layout = chip.layout(idf=version)
    unverified = [note for note in layout.notes if note.startswith("unverified")]
    tables = version == "4.3.2" and name != "esp32"
    assert len(unverified) == (name in ROM) + tables
    assert any("CONFIG_HEAP_TLSF_USE_ROM_IMPL" in note for note in unverified) == (name in ROM)
    other = chip.layout(idf=version, allocator="idf-4.2")
    assert not any(note.startswith("unverified") for note in other.notes)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_development_branch_is_called_one_wherever_it_is_shown(name: str) -> None:
    layout = load_chip(name).layout(idf="6.0")
    assert layout == load_chip(name).layout(idf="head-2026-07")
    assert layout.name.endswith("ESP-IDF head-2026-07 (development branch)")
    assert layout.sdk == "head-2026-07 (development branch)"
    assert any("is a development branch, not a release" in note for note in layout.notes)
    assert {region.allocator for region in layout.regions} == {"idf-5.5"}


def test_each_version_has_its_allocator() -> None:
    """By name: 4.3.2 sizes all tables by PSRAM's window, and for the largest region."""
    assert allocators("esp32", "4.3.2") == ("idf-4.3.2", "idf-4.3.2-psram")
    for name in ("esp32s2", "esp32s3", "esp32c3"):
        assert allocators(name, "4.3.2") == ("idf-4.3.2-psram", "idf-4.3.2-psram")
    assert allocators("esp32s2", "4.2") == ("idf-4.2", "idf-4.2")
    for name in NAMES:
        assert allocators(name, "5.5") == allocators(name, "head-2026-07") == ("idf-5.5", "idf-5.5")


def allocators(name: str, version: str) -> tuple[str, str]:
    data = next(v for v in read_chip(name).versions if v.name == version)
    return data.allocator, data.allocator_psram


def test_a_version_without_the_chip_is_an_error_with_those_that_have_it() -> None:
    with pytest.raises(InputError, match=r"ESP-IDF 4\.2 has no ESP32-C6") as caught:
        load_chip("esp32c6").layout(idf="v4.2.1")
    assert "5.5, head-2026-07 (development branch; also 6.0)" in caught.value.remedy


def test_static_use_lies_before_the_heap() -> None:
    layout = load_chip("esp32c6").layout(idf="5.5", static_dram=8_000, static_iram=40_000)
    assert main(layout) == (0x4080_0000 + 48_000, 0x4087_C610)
    assert not any("static use" in note for note in layout.notes)
    (note,) = [n for n in load_chip("esp32c6").layout(idf="5.5").notes if "static use" in n]
    assert note.startswith("static use assumed: 12,792 bytes of DRAM and 45,740 bytes of IRAM")
    assert "of a minimal ESP32 firmware assumed" in note


def test_the_first_16_kb_of_the_s3_s_code_are_elsewhere() -> None:
    chip = load_chip("esp32s3")
    assert main(chip.layout(idf="5.5", static_dram=0, static_iram=0x5000))[0] == 0x3FC8_9000
    layout = chip.layout(idf="5.5", protection=False, static_dram=0, static_iram=0x1000)
    assert main(layout)[0] == 0x3FC8_8000
    (iram,) = [region for region in layout.regions if region.kind == "IRAM"]
    assert (iram.start, iram.end, iram.word_only) == (0x4037_5000, 0x4037_8000, True)


def main(layout: Layout) -> tuple[int, int]:
    """Start and end of the largest region."""
    region = max(layout.regions, key=lambda region: region.size)
    return region.start, region.end


@pytest.mark.parametrize("use", [(-1, 0), (0, -4), (1 << 20, 0), (300_000, 300_000)])
def test_impossible_static_use_names_the_most(use: tuple[int, int]) -> None:
    chip = load_chip("esp32c6")
    with pytest.raises(InputError, match="is not possible") as caught:
        chip.layout(idf="5.5", static_dram=use[0], static_iram=use[1])
    most = int(caught.value.remedy.rpartition(" ")[2])
    assert chip.layout(idf="5.5", static_dram=most, static_iram=0, startup_use=0)
    with pytest.raises(InputError):
        chip.layout(idf="5.5", static_dram=most + 4, static_iram=0, startup_use=0)
