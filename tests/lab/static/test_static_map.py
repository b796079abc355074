"""Static use out of linker maps."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import heapscope
from heapscope.base.errors import HeapscopeError, InputError
from heapscope.config.config import Config
from heapscope.forecast.predict.memory_scene import MemoryScene
from heapscope.forecast.predict.memory_states import DRAM, IRAM, MemoryModel
from heapscope.forecast.predict.part_table import BOOT
from heapscope.forecast.predict.static_use import static_use
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.static.heap_start import heap_start
from heapscope.memory.static.read import read_static
from heapscope.memory.static.use import StaticUse

SLOW = settings(
    deadline=None, max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


P4 = """\
Memory Configuration

Name             Origin             Length             Attributes
sram_low         0x000000004ff00000 0x000000000002cbd0 xrw
sram_high        0x000000004ff40000 0x0000000000040000 xrw
*default*        0x0000000000000000 0xffffffffffffffff

Linker script and memory map

                0x0000000000000000                IDF_TARGET_ESP32P4 = 0x0

.iram0.text     0x000000004ff00000    0x1da80
.dram0.data     0x000000004ff1da80     0x118e
.dram0.heap_start_low
                0x000000004ff1ec0e        0x2
                0x000000004ff1ec10                _heap_start_low = ABSOLUTE (.)
.dram1.data     0x000000004ff40000    0x3599c
.dram1.bss      0x000000004ff759a0     0x19c8
.dram1.heap_start_high
                0x000000004ff77368        0x8
                0x000000004ff77370                _heap_start_high = ABSOLUTE (.)
"""


def of(use: StaticUse, component: str) -> dict[str, int]:
    return {p.symbol: p.size for p in use.pieces if p.component == component}


def test_sections_are_those_in_ram_alone(map_file: Path) -> None:
    use = read_static(map_file, "esp32")
    assert use.form == "linker map"
    assert [(s.name, s.kind, s.role, s.size) for s in use.sections] == [
        (".rtc.data", "RTC", "data", 0x10),
        (".iram0.text", "IRAM", "code", 0x404),
        (".dram0.data", "DRAM", "data", 0x30),
        (".dram0.bss", "DRAM", "bss", 0x3D0),
    ]


def test_code_behind_the_end_of_iram_takes_the_upper_end_of_sram1(map_file: Path) -> None:
    """An ESP32's code addresses run against those of the data there."""
    text = map_file.read_text(encoding="utf-8")
    longer = re.sub(r"(\.iram0\.text +\S+ +)0x404", r"\g<1>0x24010", text)
    longer = longer.replace("0x0000000040080404", "0x00000000400a4010")
    map_file.write_text(longer, encoding="utf-8")
    use = read_static(map_file, "esp32")
    assert [(s.kind, s.size, s.start) for s in use.sections if s.role == "code"] == [
        ("IRAM", 0x20000, 0x4008_0000),
        ("D/IRAM", 0x4010, 0x3FFF_BFF0),
    ]
    start = heap_start(use, load_chip("esp32").data)
    assert start.static_iram == 0x20000
    assert (0x3FFF_BFF0, 0x4000_0000) in start.taken
    config = Config(chip="esp32", sdk="5.3")
    off, on = (
        MemoryModel(scene=scene, static_dram=known.static_dram, static_iram=known.static_iram)
        for value in (False, True)
        for scene in [
            MemoryScene(
                config=config.changed_to({"ESP_SYSTEM_ESP32_SRAM1_REGION_AS_IRAM": value}),
                minor=(5, 3),
            )
        ]
        for known in [static_use(scene, map=map_file)]
    )
    left = [model.free(BOOT)[DRAM].median for model in (off, on)]
    assert left[0] - left[1] == pytest.approx(0x4010, abs=20)
    iram = [model.free(BOOT)[IRAM].median for model in (off, on)]
    assert iram == pytest.approx([-0x4010, 0], abs=40)
    unlike = [static_use(each.scene, map=map_file).unlike for each in (off, on)]
    assert [any("SRAM1" in text for text in texts) for texts in unlike] == [True, False]


def test_moving_code_that_a_map_has_behind_iram_moves_dram(map_file: Path, tmp_path: Path) -> None:
    text = map_file.read_text(encoding="utf-8").replace("0x404", "0x24010", 1)
    map_file.write_text(text.replace("0x0000000040080404", "0x00000000400a4010"), encoding="utf-8")
    config = tmp_path / "sdkconfig"
    config.write_text("CONFIG_ESP_SYSTEM_ESP32_SRAM1_REGION_AS_IRAM=y\n", encoding="utf-8")
    after = "+CONFIG_ESP_SYSTEM_ESP32_SRAM1_REGION_AS_IRAM=n"
    result = heapscope.compare(config, after, chip="esp32", idf="5.3", map=map_file)
    assert result.total.states["boot"].dram.median == pytest.approx(0x4010, abs=20)


def test_data_of_an_esp32p4_in_its_higher_memory_count(tmp_path: Path) -> None:
    """Its linker may put data behind the ROM's, where the heap has a second start."""
    file = tmp_path / "app.map"
    file.write_text(P4, encoding="utf-8")
    config = Config(chip="esp32p4", sdk="5.5")
    free = []
    for values in ({}, {"CACHE_L2_CACHE_256KB": True}):
        scene = MemoryScene(config=config.changed_to(values), minor=(5, 5))
        known = static_use(scene, map=file)
        free.append(MemoryModel(scene=scene, static_dram=known.static_dram).free(BOOT)[DRAM].median)
    bare = MemoryScene(config=config, minor=(5, 5)).memory.dram
    assert free[0] == bare - 0x1EC10 - 0x37370
    assert free[0] - free[1] == 0x20000  # the cache lies behind all of it


def test_every_form_of_line_finds_its_component_and_symbol(map_file: Path) -> None:
    use = read_static(map_file, "esp32")
    assert of(use, "libnet.a") == {
        "wifi.c.obj": 4,
        "wifi_interrupt": 0x3FE,
        "table": 0x20,
        "shared_thing": 0x40,
        "old.c.obj": 0x200,
    }
    assert of(use, "libmain.a") == {"boots": 0x10, "s_cache": 0x190}
    assert of(use, "project elf.c.obj") == {"project elf.c.obj": 0xC}
    assert of(use, "(linker script)") == {"": 4}
    assert of(use, "(padding)") == {"(padding)": 2}


def test_pieces_sum_to_their_sections(map_file: Path) -> None:
    use = read_static(map_file, "esp32")
    for index, section in enumerate(use.sections):
        assert sum(p.size for p in use.pieces if p.section == index) == section.size


def test_of_two_that_overlap_the_later_counts(map_file: Path) -> None:
    text = map_file.read_text(encoding="utf-8")
    map_file.write_text(
        text.replace("0x000000003ffb0030      0x190", "0x000000003ffb0030      0x1a0"),
        encoding="utf-8",
    )
    assert of(read_static(map_file, "esp32"), "libmain.a")["s_cache"] == 0x190


def test_the_heap_starts_at_the_linkers_symbol_or_else_behind_the_last_section(
    map_file: Path,
) -> None:
    chip = load_chip("esp32").data
    start = heap_start(read_static(map_file, "esp32"), chip)
    assert (start.static_dram, start.static_iram) == (0x408, 0x404)
    text = (
        map_file.read_text(encoding="utf-8")
        .replace("_heap_start", "_other")
        .replace("_bss_end", "_else")
    )
    map_file.write_text(text.replace("_iram_end", "_more"), encoding="utf-8")
    start = heap_start(read_static(map_file, "esp32"), chip)
    assert (start.static_dram, start.static_iram) == (0x400, 0x404)


def test_a_map_of_another_chip_is_named(map_file: Path) -> None:
    with pytest.raises(InputError, match="a linker map of esp32, not of esp32c3"):
        read_static(map_file, "esp32c3")


def test_a_map_that_ends_early_says_so(map_file: Path) -> None:
    text = map_file.read_text(encoding="utf-8")
    map_file.write_text(text[: text.index(".flash.text")], encoding="utf-8")
    assert "ends within its memory map" in read_static(map_file, "esp32").notes[0]
    map_file.write_text(text[: text.index("Linker script")], encoding="utf-8")
    with pytest.raises(InputError, match="without its part"):
        read_static(map_file, "esp32")


S3_MAP = """\
Linker script and memory map

.iram0.vectors  0x0000000040374000      0x404
 .text          0x0000000040374000      0x404 libxtensa.a(vectors.S.obj)

.iram0.text     0x0000000040374404     0xa000
 .iram1.0       0x0000000040374404     0x3000 libnet.a(wifi.c.obj)
 .iram1.1       0x0000000040377404     0x2000 libnet.a(wifi.c.obj)
                0x0000000040377404                wifi_send
 .iram1.2       0x0000000040379404     0x4ff0 libhal.a(spi.c.obj)

.dram0.dummy    0x000000003fc88000     0x6404

.dram0.data     0x000000003fc8e404     0x1000
 .data          0x000000003fc8e404     0x1000 libhal.a(spi.c.obj)

.dram0.bss      0x000000003fc8f404      0xbfc
 .bss           0x000000003fc8f404      0xbfc libhal.a(spi.c.obj)
                0x000000003fc90000                _heap_start = ABSOLUTE (.)

Cross Reference Table
"""


def test_code_of_an_s3_begins_in_iram_and_goes_on_in_shared_memory(tmp_path: Path) -> None:
    """Behind a cache of 16 KB there are 16 KB of IRAM alone."""
    path = tmp_path / "s3.map"
    path.write_text(S3_MAP)
    use = read_static(path, "esp32s3")
    assert [(s.name, s.kind, s.start, s.size) for s in use.sections] == [
        (".iram0.vectors", "IRAM", 0x40374000, 0x404),
        (".iram0.text", "IRAM", 0x40374404, 0x3BFC),
        (".iram0.text", "D/IRAM", 0x3FC88000, 0x6404),
        (".dram0.data", "D/IRAM", 0x3FC8E404, 0x1000),
        (".dram0.bss", "D/IRAM", 0x3FC8F404, 0xBFC),
    ]
    for index, section in enumerate(use.sections):
        assert sum(p.size for p in use.pieces if p.section == index) == section.size
    split = [p.size for p in use.pieces if p.symbol == "wifi_send"]
    assert split == [0xBFC, 0x1404]
    chip = load_chip("esp32s3")
    start = heap_start(use, chip.data)
    assert (start.static_iram, start.static_dram) == (0xA404, 0x1BFC)
    layout = chip.layout(
        idf="5.5",
        static_dram=start.static_dram,
        static_iram=start.static_iram,
        taken=start.taken,
    )
    assert min(region.start for region in layout.regions) == 0x3FC90000


def test_a_section_that_leaves_its_memory_is_named(map_file: Path) -> None:
    text = map_file.read_text(encoding="utf-8")
    map_file.write_text(
        text.replace("0x000000003ffb0030      0x3d0", "0x000000003ffb0030   0x50000"),
        encoding="utf-8",
    )
    with pytest.raises(InputError, match=r"section \.dram0\.bss at 0x3ffb0030, .* leaves the DRAM"):
        read_static(map_file, "esp32")


@SLOW
@given(data=st.data())
def test_damaged_maps_are_read_or_refused(map_file: Path, data: st.DataObject) -> None:
    whole = map_file.with_name("whole.map")
    if not whole.exists():
        whole.write_bytes(map_file.read_bytes())
    raw = bytearray(whole.read_bytes())
    for _ in range(data.draw(st.integers(0, 8))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    map_file.write_bytes(raw[: data.draw(st.integers(0, len(raw)))])
    refused = None
    try:
        use = read_static(map_file, "esp32")
        heap_start(use, load_chip("esp32").data)
    except HeapscopeError as caught:
        refused = caught
    if refused is not None:
        assert str(map_file) in refused.message
        assert refused.remedy


def test_a_line_without_end_takes_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "long.map"
    path.write_bytes(b"Linker script and memory map\n\n" + b" .bss" * 4_000_000)
    with pytest.raises(InputError, match="no section of it is in the RAM"):
        read_static(path, "esp32")
