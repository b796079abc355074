"""The chip files are sound, and the layouts made from them are those of the SDKs."""

from __future__ import annotations

import itertools
import re
import tomllib
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from heapscope.base.errors import InputError
from heapscope.config.chip_data import read_chip
from heapscope.config.releases import find_release, releases
from heapscope.memory.layout.build import Psram
from heapscope.memory.layout.chips import chip_names, load_chip
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.versions import chip_version, version_of
from heapscope.native.library import allocator_names

ROOT = Path(__file__).resolve().parents[3]
CHIPS = ROOT / "lab" / "heapscope" / "data" / "chips"

NAMES = {"esp32", "esp32s2", "esp32s3", "esp32c2", "esp32c3", "esp32c5", "esp32c6", "esp32c61"} | {
    "esp32h2",
    "esp32h21",
    "esp32h4",
    "esp32p4",
    "esp32s31",
}
#: The first release that knows each chip, where it is not the ESP32's.
FIRST = {"esp32s2": "4.2", "esp32s3": "4.3", "esp32c3": "4.3", "esp32c2": "5.0"} | {
    "esp32c6": "5.1",
    "esp32h2": "5.1",
    "esp32p4": "5.2",
    "esp32c61": "5.3",
    "esp32c5": "5.4",
    "esp32h21": "5.5",
    "esp32h4": "5.5",
    "esp32s31": "6.1-beta1",
}
#: The allocators in ROM (ESP_ROM_HAS_HEAP_TLSF in components/esp_rom/CHIP/esp_rom_caps.h).
ROM = {
    "esp32c2": "idf-4.4.0",
    "esp32c6": "idf-4.4.2-fl19",
    "esp32h2": "idf-4.4.2-fl19",
    "esp32c5": "idf-5.2",
    "esp32c61": "idf-5.2",
    "esp32h21": "idf-5.2",
    "esp32h4": "idf-4.4.2-fl19",
    "esp32s31": "idf-5.2",
}
#: Every chip under the first release of each section of its file.
EVERY = [(name, version) for name in sorted(NAMES) for version in load_chip(name).versions]


def test_there_are_the_chips_of_today() -> None:
    assert set(chip_names()) >= NAMES
    for name in NAMES:
        versions = load_chip(name).versions
        assert (versions[0], versions[-1]) == (FIRST.get(name, "3.3"), "head-2026-07")


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_file_has_these_keys_and_names_its_sources(name: str) -> None:
    text = (CHIPS / f"{name}.toml").read_text(encoding="utf-8")
    top = {"schema", "name", "title", "cores", "request_max", "version", "default"}
    top |= {"linker", "hardware"}
    assert set(tomllib.loads(text)) - {"rom", "preview"} == top
    assert ("rom" in tomllib.loads(text)) == (name in ROM)
    assert re.search(r"^#   components/heap/port/\S*memory_layout\.c", text, re.MULTILINE)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_sections_stand_in_the_order_of_releases_and_each_says_something(name: str) -> None:
    chip = read_chip(name)
    orders = [find_release(version.name).order for version in chip.versions]
    assert orders == sorted(set(orders))
    for before, after in itertools.pairwise(chip.versions):
        assert replace(before, name=after.name) != after or after.development


@pytest.mark.parametrize(("name", "version"), EVERY)
def test_every_build_of_every_chip_is_a_layout(name: str, version: str) -> None:
    chip = load_chip(name)
    data, _ = chip_version(chip.data, version)
    assert {entry.kind for entry in data.map} <= set(data.kinds)
    assert set(data.unprotected) <= set(data.kinds)
    cores = range(1, chip.data.cores + 1)
    switches = [None] if data.protection is None else [True, False]
    for count, protection in product(cores, switches):
        layout = chip.layout(idf=version, cores=count, protection=protection)
        assert 1 <= len(layout.kinds) <= 8
        assert sum(region.startup_use for region in layout.regions) == chip.data.default_startup
        for region in layout.regions:
            assert region.size % 4 == region.start % 4 == 0
            assert any(
                region.kind in entry.names and entry.start <= region.start < entry.end
                for entry in data.map
            )


@pytest.mark.parametrize(("name", "version"), EVERY)
def test_what_is_not_verified_is_stated_and_another_allocator_ends_it(
    name: str, version: str
) -> None:
    chip = load_chip(name)
    layout = chip.layout(idf=version)
    unverified = [note for note in layout.notes if note.startswith("unverified")]
    inferred = name in ROM and name != "esp32c6"  # a log of that one shows its allocator's tables
    assert any("CONFIG_HEAP_TLSF_USE_ROM_IMPL" in note for note in unverified) == inferred
    assert len(unverified) == inferred
    for other in (chip.layout(idf=version, rom=False), chip.layout(idf=version, allocator="tlsf")):
        assert not any(note.startswith("unverified") for note in other.notes)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_development_branch_is_called_one_wherever_it_is_shown(name: str) -> None:
    layout = load_chip(name).layout(idf="head-2026-07")
    assert layout.name.endswith("ESP-IDF head-2026-07 (development branch)")
    assert layout.sdk == "head-2026-07 (development branch)"
    assert any("is a development branch, not a release" in note for note in layout.notes)


@pytest.mark.parametrize(
    ("name", "idf", "plain", "psram"),
    [
        ("esp32", "3.3.6", "idf-3.3", "idf-3.3"),
        ("esp32", "4.2.2", "idf-4.2", "idf-4.2"),
        ("esp32", "4.3.1", "idf-4.3.0", "idf-4.3.0-psram"),
        ("esp32", "4.4", "idf-4.4.0", "idf-4.4.0-psram"),
        ("esp32", "5.0", "idf-4.4.2", "idf-4.4.2-psram"),
        ("esp32", "4.4.4", "idf-5.1", "idf-5.1"),
        ("esp32s2", "4.2", "idf-4.2", "idf-4.2"),
        ("esp32s2", "4.3.2", "idf-4.3.2-fl19", "idf-4.3.2-fl24"),
        ("esp32s3", "4.4.3", "idf-4.4.2-fl19", "idf-4.4.2-fl24"),
        ("esp32s3", "5.0", "idf-4.4.2-fl19", "idf-4.4.2-fl25"),
        ("esp32s3", "5.2.3", "idf-5.2", "idf-5.2"),
        ("esp32p4", "5.4", "idf-5.5", "idf-5.5"),
    ],
)
def test_release_chip_and_psram_choose_the_allocator(
    name: str, idf: str, plain: str, psram: str
) -> None:
    """Tables of 4.3.0 to 5.0.0 have the size that the chip's addresses ask for."""
    layout = load_chip(name).layout(idf=idf)
    assert {region.allocator for region in layout.regions} == {plain}
    layout = load_chip(name).layout(idf=idf, psram=Psram(size=1 << 20))
    assert {region.allocator for region in layout.regions} == {psram}


@pytest.mark.parametrize("name", sorted(ROM))
def test_the_allocator_in_rom_is_the_chip_s_whatever_the_release(name: str) -> None:
    chip = load_chip(name)
    known = (idf for idf in ("5.5", "6.0.2") if version_of(chip.data, find_release(idf)))
    for idf in (chip.versions[0], *known):
        layout = chip.layout(idf=idf)
        assert {region.allocator for region in layout.regions} == {ROM[name]}
        without = chip.layout(idf=idf, rom=False)
        assert {r.allocator for r in without.regions} == {chip_version(chip.data, idf)[0].allocator}


def test_every_allocator_of_every_release_and_chip_is_a_model() -> None:
    for name in sorted(NAMES):
        for release in releases():
            version = version_of(read_chip(name), find_release(release))
            if version is not None:
                assert {version.allocator, version.allocator_psram} <= set(allocator_names())


def test_tracking_without_poisoning_on_an_older_rom_is_refused() -> None:
    chip = load_chip("esp32c6")
    with pytest.raises(InputError, match="task tracking without poisoning"):
        chip.layout(idf="5.2", flavour="+track")
    assert chip.layout(idf="5.2", flavour="+light+track")
    assert chip.layout(idf="5.1", flavour="+track")


def test_a_version_without_the_chip_is_an_error_with_those_that_have_it() -> None:
    with pytest.raises(InputError, match=r"ESP-IDF 4\.2\.1 has no ESP32-C6") as caught:
        load_chip("esp32c6").layout(idf="v4.2.1")
    assert "5.1, 5.2, 5.3, 5.4, 5.5, 6.0, 6.1, head-2026-07" in caught.value.remedy


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
