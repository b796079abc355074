"""The regions that devices of each chip printed when they started, under each SDK version."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapscope.base.errors import InputError
from heapscope.memory.layout.boot_log import BootLog, read_boot_log
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.layout import Layout

Lines = list[tuple[int, int, str]]

#: ESP32-S3: espressif/esp-protocols issue 181, and adafruit/circuitpython issue 7093.
B2: Lines = [
    (0x3FC97B20, 0x484E0, "D/IRAM"),
    (0x3FCE0000, 0xEE34, "STACK/DRAM"),
    (0x3FCF0000, 0x8000, "DRAM"),
    (0x600FE000, 0x2000, "RTC"),
]
B3: Lines = [
    (0x3FCAE010, 0x3B700, "D/IRAM"),
    (0x3FCE9710, 0x5724, "STACK/DRAM"),
    (0x3FCF0000, 0x8000, "DRAM"),
    (0x600FF040, 0xFC0, "RTC"),
]

#: Logs of v5.x in public repositories: the chip, static use up to the first region, the lines.
V5: dict[str, Lines] = {
    "esp32s2": [
        (0x3FFD7B10, 0x244F0, "RAM"),
        (0x3FFFC000, 0x3A10, "RAM"),
        (0x3FF9E030, 0x1FB8, "RTCRAM"),
    ],
    "esp32s3": [
        (0x3FCA5828, 0x43EE8, "RAM"),
        (0x3FCE9710, 0x5724, "RAM"),
        (0x3FCF0000, 0x8000, "DRAM"),
        (0x600FE000, 0x1FE8, "RTCRAM"),
    ],
    "esp32c2": [(0x3FCAC270, 0x30900, "RAM"), (0x3FCDCB70, 0x294C, "RAM")],
    "esp32c3": [
        (0x3FC92710, 0x2D8F0, "RAM"),
        (0x3FCC0000, 0x1C710, "Retention RAM"),
        (0x3FCDC710, 0x2950, "Retention RAM"),
        (0x5000001C, 0x1FCC, "RTCRAM"),
    ],
    "esp32c5": [
        (0x4082B500, 0x310A0, "RAM"),
        (0x4085C5A0, 0x2F58, "RAM"),
        (0x50000000, 0x3FE8, "RTCRAM"),
    ],
    "esp32c6": [
        (0x4080D8E0, 0x6ED30, "RAM"),
        (0x4087C610, 0x2F54, "RAM"),
        (0x50000000, 0x3FE8, "RTCRAM"),
    ],
    "esp32c61": [(0x4080E640, 0x3E030, "RAM"), (0x4084C670, 0x2F58, "RAM")],
    "esp32h2": [
        (0x4080CB60, 0x40820, "RAM"),
        (0x4084D380, 0x2B60, "RAM"),
        (0x50000000, 0xFE8, "RTCRAM"),
    ],
    "esp32p4": [
        (0x4FF130B0, 0x27F10, "RAM"),
        (0x4FF3AFC0, 0x4BF0, "RAM"),
        (0x4FF40000, 0x60000, "RAM"),
        (0x50108080, 0x7F80, "RTCRAM"),
        (0x30100044, 0x1FBC, "TCM"),
    ],
}


def log(folder: Path, lines: Lines, *more: str) -> BootLog:
    file = folder / "boot.log"
    start = "I (243) heap_init: Initializing. RAM available for dynamic allocation:"
    text = [
        f"I (250) heap_init: At {at:08X} len {size:08X} ({size // 1024} KiB): {kind}"
        for at, size, kind in lines
    ]
    end = "I (281) cpu_start: Pro cpu start user code"
    file.write_text("\n".join([start, *text, *more, end]) + "\n", encoding="utf-8")
    return read_boot_log(file)


def places(layout: Layout) -> Lines:
    return [(region.start, region.size, region.kind) for region in layout.regions]


#: The release that each was printed by, as far as the regions tell: that of the ESP32-C61 has the
#: stack of its ROM where 5.5.5 and 6.0.1 have it.
PRINTED = dict.fromkeys(V5, "5.5") | {"esp32c61": "5.5.5"}


@pytest.mark.parametrize("chip", V5)
def test_a_v5_log_s_lines_are_the_regions_by_size(chip: str, tmp_path: Path) -> None:
    layout = load_chip(chip).layout(idf=PRINTED[chip], boot=log(tmp_path, V5[chip]))
    assert places(layout) == sorted(V5[chip], key=lambda line: line[1])
    assert not any("divided" in note for note in layout.notes)


@pytest.mark.parametrize("chip", V5)
def test_static_use_alone_gives_the_log_s_regions(chip: str, tmp_path: Path) -> None:
    """The map and the reserved ranges of default builds are right, to the byte. Static data in RTC
    or tightly coupled memory is not known."""
    chip_data = load_chip(chip)
    static = chip_data.data.static
    assert static is not None
    use = V5[chip][0][0] - static.base
    layout = chip_data.layout(
        idf=PRINTED[chip], static_dram=use, static_iram=static.code_elsewhere, startup_use=0
    )
    small = {"RTCRAM", "TCM"}
    assert sorted(p for p in places(layout) if p[2] not in small) == sorted(
        line for line in V5[chip] if line[2] not in small
    )
    ends = {at + size for at, size, _ in V5[chip]}
    assert {region.end for region in layout.regions} == ends


def test_the_s3_s_lines_of_v4_are_read(tmp_path: Path) -> None:
    """4.4's names are those of 4.3.2; its RTC memory is not heap there."""
    layout = load_chip("esp32s3").layout(idf="4.3.2", boot=log(tmp_path, B2))
    assert places(layout) == [*B2[:3]]
    assert any("8,192 bytes of the log's regions are no heap" in note for note in layout.notes)


def test_the_s3_s_lines_of_v4_are_divided_as_v5_does(tmp_path: Path) -> None:
    layout = load_chip("esp32s3").layout(idf="5.5", boot=log(tmp_path, B2))
    assert sorted(places(layout)) == [
        (0x3FC97B20, 0x3FCE9710 - 0x3FC97B20, "RAM"),
        (0x3FCE9710, 0x5724, "RAM"),
        (0x3FCF0000, 0x8000, "DRAM"),
        (0x600FE000, 0x2000, "RTCRAM"),
    ]
    assert [region.startup_stack for region in sorted(layout.regions, key=lambda r: r.start)] == [
        False,
        True,
        False,
        False,
    ]
    assert any("divided and named as by ESP-IDF 5.5" in note for note in layout.notes)


def test_a_line_across_the_old_border_is_divided_too(tmp_path: Path) -> None:
    new = load_chip("esp32s3").layout(idf="5.5", boot=log(tmp_path, B3))
    assert sorted(places(new))[:2] == [(0x3FCAE010, 0x3B700, "RAM"), (0x3FCE9710, 0x5724, "RAM")]
    old = load_chip("esp32s3").layout(idf="4.3.2", boot=log(tmp_path, B3))
    assert places(old)[:2] == [
        (0x3FCAE010, 0x3FCE0000 - 0x3FCAE010, "D/IRAM"),
        (0x3FCE0000, 0xEE34, "STACK/DRAM"),
    ]


@pytest.mark.parametrize("chip", ["esp32s2", "esp32s3", "esp32c3"])
def test_no_byte_is_lost_between_versions(chip: str, tmp_path: Path) -> None:
    boot = log(tmp_path, V5[chip])
    total = sum(size for _, size, _ in V5[chip])
    for version in load_chip(chip).versions:
        layout = load_chip(chip).layout(idf=version, boot=boot)
        lost = total - sum(region.size for region in layout.regions)
        assert lost == (0x1FE8 if (chip, version[:3]) == ("esp32s3", "4.3") else 0)


def test_unprotected_memory_keeps_its_name_from_the_log(tmp_path: Path) -> None:
    """Both names are v4's: the log shows whether memory was protected."""
    for kind in ("DRAM", "D/IRAM"):
        lines = [(0x3FFC1038, 0x3AFC8, kind), (0x3FFFC000, 0x3A10, "DRAM")]
        layout = load_chip("esp32s2").layout(idf="4.2", boot=log(tmp_path, lines))
        assert places(layout) == lines


@pytest.mark.parametrize(
    "line",
    [
        (0x3FC97B22, 0x484E0, "D/IRAM"),
        (0x3FC97B20, 0x90000, "D/IRAM"),
        (0x3FC00000, 0x1000, "D/IRAM"),
    ],
)
def test_a_line_that_no_version_could_print_is_an_error(
    line: tuple[int, int, str], tmp_path: Path
) -> None:
    for version in load_chip("esp32s3").versions:
        with pytest.raises(InputError, match=r"line 2: "):
            load_chip("esp32s3").layout(idf=version, boot=log(tmp_path, [line]))


PSRAM = "I (826) esp_psram: Adding pool of 8192K of PSRAM memory to heap allocator"
POOL = "I (900) esp_psram: Reserving pool of 32K of internal memory for DMA/internal allocations"


def test_psram_and_its_pool_are_taken_from_the_log(tmp_path: Path) -> None:
    boot = log(tmp_path, V5["esp32s3"], PSRAM, POOL)
    assert (boot.psram, boot.pool) == (8 << 20, 32768)
    layout = load_chip("esp32s3").layout(idf="5.5", boot=boot)
    assert [r.size for r in layout.regions[:2]] == [32767, 8 << 20]
    assert layout.malloc.threshold == 16384


def test_without_a_pool_in_the_log_malloc_does_not_use_psram(tmp_path: Path) -> None:
    layout = load_chip("esp32s3").layout(idf="5.5", boot=log(tmp_path, V5["esp32s3"], PSRAM))
    assert [r.kind for r in layout.regions[:2]] == ["SPIRAM", "RTCRAM"]
    assert layout.malloc.fallback == 0
    assert any("not malloc" in note for note in layout.notes)


def test_psram_of_a_chip_without_a_known_window_is_left_out_and_stated(tmp_path: Path) -> None:
    layout = load_chip("esp32c61").layout(idf="5.5", boot=log(tmp_path, V5["esp32c61"], PSRAM))
    assert "SPIRAM" not in layout.kinds
    assert any("the log's PSRAM is left out" in note for note in layout.notes)


def test_which_memory_is_heap_is_the_log_s_to_say(tmp_path: Path) -> None:
    boot = log(tmp_path, V5["esp32s3"])
    for option in ({"rtc": False}, {"static_dram": 1000}, {"static_iram": 1000}):
        with pytest.raises(InputError, match=r"--[a-z-]+ and --boot-log both say"):
            load_chip("esp32s3").layout(idf="5.5", boot=boot, **option)  # type: ignore[arg-type]


@pytest.mark.parametrize("rom", ["ets Jun  8 2016 00:22:57", "ets Jul 29 2019 12:21:46"])
@pytest.mark.parametrize("stamp", ["{}", "[16:47:18]{}", "12:34:56.789 -> {}"])
def test_each_rom_of_the_esp32_tells_the_chip(tmp_path: Path, rom: str, stamp: str) -> None:
    """The second is that of revision 3; a terminal may put the time in front."""
    regions = "I (338) heap_init: At 3FFAE6E0 len 00001920 (6 KiB): DRAM"
    lines = [stamp.format(text) for text in (rom, regions, "", rom, regions)]
    file = tmp_path / "boot.txt"
    file.write_text("\n".join(lines) + "\n")
    boot_log = read_boot_log(file)
    assert boot_log.chip == "esp32"
    assert "2 boots" in boot_log.notes[0]


def test_a_log_of_another_chip_is_named_before_its_version(tmp_path: Path) -> None:
    """4.2 has no S3, so its version would be complained of."""
    regions = "I (338) heap_init: At 3FFAE6E0 len 00001920 (6 KiB): DRAM"
    file = tmp_path / "boot.txt"
    file.write_text(f"ets Jun  8 2016\nI (2) cpu_start: ESP-IDF: v4.2.2\n{regions}\n")
    with pytest.raises(InputError, match="a log of esp32, not of esp32s3"):
        load_chip("esp32s3").layout(boot=read_boot_log(file))
