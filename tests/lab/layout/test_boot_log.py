"""Boot logs of real devices, whole and not, as regions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from heapscope.base.errors import HeapscopeError, InputError
from heapscope.memory.layout.boot_log import BootLog, read_boot_log
from heapscope.memory.layout.chips import load_chip

Lines = list[tuple[int, int, str]]

#: The Nature engineering blog's article on the heap of ESP-IDF 4.3 (2022-01).
ARTICLE: Lines = [
    (0x3FFAE6E0, 0x1920, "DRAM"),
    (0x3FFB31F8, 0x2CE08, "DRAM"),
    (0x3FFE0440, 0x3AE0, "D/IRAM"),
    (0x3FFE4350, 0x1BCB0, "D/IRAM"),
    (0x4008B2AC, 0x14D54, "IRAM"),
]
#: espressif/esp-faq, ethernet.rst.
ESP_FAQ: Lines = [
    (0x3FFAE6E0, 0x1920, "DRAM"),
    (0x3FFB40A8, 0x2BF58, "DRAM"),
    (0x3FFE0440, 0x3AE0, "D/IRAM"),
    (0x3FFE4350, 0x1BCB0, "D/IRAM"),
    (0x400885D0, 0x17A30, "IRAM"),
]
#: shmuelzon/esp32-ble2mqtt issue #95: Bluetooth and Wi-Fi.
BLE2MQTT: Lines = [
    (0x3FFAFF10, 0xF0, "DRAM"),
    (0x3FFB6388, 0x1C78, "DRAM"),
    (0x3FFB9A20, 0x4108, "DRAM"),
    (0x3FFBDB5C, 0x4, "DRAM"),
    (0x3FFD3690, 0xC970, "DRAM"),
    (0x3FFE0440, 0x3AE0, "D/IRAM"),
    (0x3FFE4350, 0x1BCB0, "D/IRAM"),
    (0x4009B810, 0x47F0, "IRAM"),
]
#: espressif/esp-idf issue #4571, whose last lines are not to be had.
IDF_4571: Lines = [
    (0x3FFAFF10, 0xF0, "DRAM"),
    (0x3FFB6388, 0x1C78, "DRAM"),
    (0x3FFB9A20, 0x4108, "DRAM"),
    (0x3FFBDB5C, 0x4, "DRAM"),
    (0x3FFC8CD0, 0x17330, "DRAM"),
]

START = "I (243) heap_init: Initializing. RAM available for dynamic allocation:"
AFTER = "I (281) cpu_start: Pro cpu start user code"
V4_2 = "I (220) cpu_start: ESP-IDF:          v4.2.2"


def line(start: int, size: int, kind: str, time: str = "I (250) ") -> str:
    return f"{time}heap_init: At {start:08X} len {size:08X} ({size // 1024} KiB): {kind}"


def boot(regions: Lines, *around: str) -> list[str]:
    return [*around, START, *(line(*region) for region in regions), AFTER]


def save(folder: Path, content: list[str] | str | bytes, name: str = "boot.log") -> Path:
    file = folder / name
    if isinstance(content, list):
        content = "\n".join(content) + "\n"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def regions_of(log: BootLog) -> Lines:
    return [(region.start, region.size, region.kind) for region in log.regions]


@pytest.mark.parametrize("regions", [ARTICLE, ESP_FAQ, BLE2MQTT, IDF_4571])
def test_lines_of_real_devices_are_read(tmp_path: Path, regions: Lines) -> None:
    log = read_boot_log(save(tmp_path, boot(regions, V4_2)))
    assert regions_of(log) == regions
    assert (log.sdk, log.notes) == ("v4.2.2", ())
    assert [region.line for region in log.regions] == list(range(3, 3 + len(regions)))


@pytest.mark.parametrize("version", ["4.2", "5.5"])
@pytest.mark.parametrize("regions", [ARTICLE, ESP_FAQ, BLE2MQTT, IDF_4571])
def test_lines_of_real_devices_are_layouts(tmp_path: Path, regions: Lines, version: str) -> None:
    log = read_boot_log(save(tmp_path, boot(regions)))
    layout = load_chip("esp32").layout(idf=version, boot=log)
    order = regions if version == "4.2" else sorted(regions, key=lambda region: region[1])
    assert [(r.start, r.size, r.kind) for r in layout.regions] == order
    assert all(r.optional for r in layout.regions)  # 4 bytes are no heap, on the device as here
    assert all(r.startup_use == 0 for r in layout.regions)
    assert any("no start-up use assumed" in note for note in layout.notes)
    assert not any("static use assumed" in note for note in layout.notes)
    assert layout.source == str(tmp_path / "boot.log")


@pytest.mark.parametrize(
    "wrap",
    [
        "\x1b[0;32mI (250) {}\x1b[0m",
        "?[0;32mI (250) {}?[0m",
        "[1B][0;32mI (250) {}[1B][0m",
        "22:15:03.764 -> I (1698) {}",
        "[Aug  9 10:05:08.617] I (1337) {}",
        "I (12:34:56.789) {}",
        "2021-06-01 10:00:00,123 INFO  I (250) {}  ",
        "{}",
        "| > I (9) {}",
    ],
)
def test_colours_and_time_stamps_do_not_matter(tmp_path: Path, wrap: str) -> None:
    lines = [wrap.format(line(*region, "")) for region in ARTICLE]
    assert regions_of(read_boot_log(save(tmp_path, lines))) == ARTICLE


@pytest.mark.parametrize("end", ["\r\n", "\r", "\r\r\n", "\n\n"])
def test_any_line_ends_are_read(tmp_path: Path, end: str) -> None:
    log = read_boot_log(save(tmp_path, end.join(boot(ARTICLE, V4_2)) + end))
    assert regions_of(log) == ARTICLE


def test_line_numbers_are_those_of_an_editor(tmp_path: Path) -> None:
    log = read_boot_log(save(tmp_path, "\r\n".join(["x", *boot(ARTICLE)])))
    assert log.regions[0].line == 3


@pytest.mark.parametrize("order", ["le", "be"])
def test_utf_16_of_a_windows_shell_is_read(tmp_path: Path, order: str) -> None:
    text = "\r\n".join(["\ufeffçå │", *boot(ARTICLE)])
    log = read_boot_log(save(tmp_path, text.encode(f"utf-16-{order}")))
    assert regions_of(log) == ARTICLE


def test_other_output_invalid_bytes_and_long_lines_do_not_matter(tmp_path: Path) -> None:
    content = b"\xff\xfe\x80 noise \x00\n" + b"x" * 3_000_000 + b"\n"
    content += "\nD (239) heap_init: New heap initialised at 0x3ffae6e0\n".join(
        boot(ARTICLE)
    ).encode()
    assert regions_of(read_boot_log(save(tmp_path, b"ok\n" + content))) == ARTICLE


def test_a_log_without_an_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("heapscope.memory.layout.boot_log._SIZE_MAX", 3 << 20)
    endless = save(tmp_path, zstandard.compress(bytes(5 << 20)), "endless.zst")
    with pytest.raises(InputError, match="more than 3 MiB") as caught:
        read_boot_log(endless)
    assert "one start" in caught.value.remedy


def test_compressed_logs_are_read(tmp_path: Path) -> None:
    packed = zstandard.compress("\n".join(boot(ARTICLE)).encode())
    assert regions_of(read_boot_log(save(tmp_path, packed))) == ARTICLE


@pytest.mark.parametrize(
    ("text", "sdk"),
    [
        ("I (220) cpu_start: ESP-IDF:          v4.2.2", "v4.2.2"),
        ("I (1188) app_init: ESP-IDF:          v5.5.1-dirty", "v5.5.1-dirty"),
        ("I (219) cpu_start: ESP-IDF:          4.3.0", "4.3.0"),
        ("I (32) boot: ESP-IDF v4.2-dev-1303-gcd4fa46f5 2nd stage bootloader", "v4.2-dev-1303"),
    ],
)
def test_the_sdk_version_is_read(tmp_path: Path, text: str, sdk: str) -> None:
    assert read_boot_log(save(tmp_path, boot(ARTICLE, text))).sdk.startswith(sdk)


def test_the_app_s_version_counts_before_the_bootloader_s(tmp_path: Path) -> None:
    loader = "I (32) boot: ESP-IDF v5.5 2nd stage bootloader"
    assert read_boot_log(save(tmp_path, boot(ARTICLE, V4_2, loader))).sdk == "v4.2.2"
    assert read_boot_log(save(tmp_path, boot(ARTICLE, loader, V4_2))).sdk == "v4.2.2"


@pytest.mark.parametrize(
    ("text", "cores"),
    [
        ("I (457) cpu_start: Single core mode", 1),
        ("I (297) cpu_start: Unicore app", 1),
        ("I (178) cpu_start: Starting app cpu, entry point is 0x4008115c", 2),
        ("I (0) cpu_start: App cpu up.", 2),
        ("I (216) cpu_start: Multicore app", 2),
        ("nothing said", None),
    ],
)
def test_the_cores_are_read(tmp_path: Path, text: str, cores: int | None) -> None:
    assert read_boot_log(save(tmp_path, boot(ARTICLE, text))).cores == cores


@pytest.mark.parametrize(
    ("text", "chip"),
    [
        ("ets Jun  8 2016 00:22:57", "esp32"),
        ("ESP-ROM:esp32s3-20210327", "esp32s3"),
        ("I (41) boot.esp32: SPI Mode       : DIO", "esp32"),
        ("I (33) boot.esp32p4: SPI Speed      : 80MHz", "esp32p4"),
        ("nothing said", ""),
    ],
)
def test_the_chip_is_read(tmp_path: Path, text: str, chip: str) -> None:
    assert read_boot_log(save(tmp_path, boot(ARTICLE, text))).chip == chip


RESET = "rst:0xc (SW_CPU_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)"


def test_of_several_boots_the_last_complete_one_counts(tmp_path: Path) -> None:
    other = boot(ESP_FAQ, RESET, "I (220) cpu_start: ESP-IDF:          v5.5.1")
    log = read_boot_log(save(tmp_path, [*boot(ARTICLE, RESET, V4_2), *other]))
    assert (regions_of(log), log.sdk) == (ESP_FAQ, "v5.5.1")
    assert "2 boots; the last is used" in log.notes[0]


def test_a_last_boot_that_breaks_off_does_not_count(tmp_path: Path) -> None:
    broken = [RESET, START, line(*ESP_FAQ[0]), line(*ESP_FAQ[1])]
    for more in ([], [RESET], ["I (25"]):
        log = read_boot_log(save(tmp_path, [*boot(ARTICLE, RESET, V4_2), *broken, *more]))
        assert (regions_of(log), log.sdk) == (ARTICLE, "v4.2.2")
        assert "number 1 is used" in log.notes[0]


def test_a_last_boot_whose_log_ends_with_its_regions_counts(tmp_path: Path) -> None:
    last = [RESET, START, *(line(*region) for region in ESP_FAQ)]
    log = read_boot_log(save(tmp_path, [*boot(ARTICLE, RESET), *last]))
    assert regions_of(log) == ESP_FAQ


def test_a_complete_boot_counts_though_an_earlier_one_had_more_regions(tmp_path: Path) -> None:
    log = read_boot_log(save(tmp_path, [*boot(BLE2MQTT, RESET), *boot(ARTICLE, RESET)]))
    assert regions_of(log) == ARTICLE


def test_a_boot_begins_at_the_heap_s_first_line_when_nothing_else_tells(tmp_path: Path) -> None:
    log = read_boot_log(save(tmp_path, [*boot(ARTICLE), *boot(ESP_FAQ)]))
    assert regions_of(log) == ESP_FAQ


@pytest.mark.parametrize("keep", [25, 30, 40, 49])
def test_a_truncated_last_line_is_named_and_left_out(tmp_path: Path, keep: int) -> None:
    text = "\n".join(boot(ARTICLE)[:-1])
    whole = len(text) - len(line(*ARTICLE[-1]))
    log = read_boot_log(save(tmp_path, text[: whole + keep]))
    assert regions_of(log) == ARTICLE[:-1]
    assert log.notes == ("line 6 of the log is cut off and was left out",)


def test_a_line_cut_within_its_kind_is_named_and_left_out(tmp_path: Path) -> None:
    text = "\n".join(boot(ARTICLE)[:-3])  # ends with D/IRAM
    log = read_boot_log(save(tmp_path, text[:-2]))
    layout = load_chip("esp32").layout(idf="4.2", boot=log)
    assert len(layout.regions) == 2
    assert "line 4 of the log is cut off and was left out" in layout.notes


def test_repeated_lines_count_once(tmp_path: Path) -> None:
    doubled = [text for region in ARTICLE for text in (line(*region), line(*region))]
    log = read_boot_log(save(tmp_path, [START, *doubled, AFTER]))
    assert regions_of(log) == ARTICLE
    assert log.notes == ("5 repeated region lines were left out",)


def test_psram_added_later_is_reported(tmp_path: Path) -> None:
    more = "I (501) spiram: Adding pool of 4096K of external SPI memory to heap allocator"
    log = read_boot_log(save(tmp_path, [*boot(ARTICLE), more]))
    assert "4096K of PSRAM" in log.notes[0]


def test_rtc_memory_comes_first_in_4_2_and_may_be_called_rtc(tmp_path: Path) -> None:
    rtc = (0x3FF80000, 0x2000, "RTC")
    log = read_boot_log(save(tmp_path, boot([*ARTICLE, rtc])))
    chip = load_chip("esp32")
    assert chip.layout(idf="4.2", boot=log).regions[0].kind == "RTCRAM"
    sizes = [region.size for region in chip.layout(idf="5.5", boot=log).regions]
    assert sizes == sorted(sizes)


@pytest.mark.parametrize("number", [0, 4])
def test_a_region_is_known_by_its_address_whatever_it_is_called(
    tmp_path: Path, number: int
) -> None:
    regions = list(ARTICLE)
    regions[number] = (*regions[number][:2], "STACK/DRAM")
    log = read_boot_log(save(tmp_path, boot(regions)))
    layout = load_chip("esp32").layout(idf="4.2", boot=log)
    assert [(r.start, r.size, r.kind) for r in layout.regions] == ARTICLE
    assert any("named as by ESP-IDF 4.2" in note for note in layout.notes)


@pytest.mark.parametrize(
    ("region", "why"),
    [
        ((0x3FFB31FA, 0x1000, "DRAM"), "multiples of 4"),
        ((0x3FFB3000, 0x1002, "DRAM"), "multiples of 4"),
        ((0x3FFB3000, 0, "DRAM"), "above 0"),
        ((0x3FC97B20, 0x484E0, "DRAM"), "no known version gives"),  # of an ESP32-S3
        ((0x3FFF0000, 0x20000, "DRAM"), "no known version gives"),
        ((0xFFFFFFF0, 0xFFFFFFFC, "DRAM"), "no known version gives"),
    ],
)
def test_an_impossible_region_is_named_with_its_line(
    tmp_path: Path, region: tuple[int, int, str], why: str
) -> None:
    log = read_boot_log(save(tmp_path, boot([region])))
    with pytest.raises(InputError, match=rf"line 2: .*{why}"):
        load_chip("esp32").layout(idf="4.2", boot=log)


def test_regions_that_overlap_are_an_error(tmp_path: Path) -> None:
    over = [(0x3FFB0000, 0x1000, "DRAM"), (0x3FFB0800, 0x1000, "DRAM")]
    log = read_boot_log(save(tmp_path, boot(over)))
    with pytest.raises(InputError, match="overlap"):
        load_chip("esp32").layout(idf="4.2", boot=log)


def test_a_log_of_another_chip_is_an_error(tmp_path: Path) -> None:
    log = read_boot_log(save(tmp_path, boot(ARTICLE, "ESP-ROM:esp32s3-20210327")))
    with pytest.raises(InputError, match="a log of esp32s3, not of esp32"):
        load_chip("esp32").layout(idf="4.2", boot=log)


def test_the_log_s_version_is_used_unless_another_is_requested(tmp_path: Path) -> None:
    log = read_boot_log(save(tmp_path, boot(ARTICLE, V4_2)))
    chip = load_chip("esp32")
    assert chip.layout(boot=log).sdk == "4.2.2"
    assert "v4.2.2, replayed as 5.5" in chip.layout(idf="5.5", boot=log).notes[0]
    assert not any("replayed" in note for note in chip.layout(idf="4.2.2", boot=log).notes)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "does not tell"),
        ("I (1) cpu_start: ESP-IDF:  v3.1-dev-104-g8b94183c9c", "of ESP-IDF v3.1-dev"),
        ("I (1) cpu_start: ESP-IDF:  8b94183c9c", "of ESP-IDF 8b94183c9c"),
    ],
)
def test_a_log_without_a_known_version_needs_one(tmp_path: Path, text: str, why: str) -> None:
    log = read_boot_log(save(tmp_path, boot(ARTICLE, text)))
    with pytest.raises(InputError, match=why) as caught:
        load_chip("esp32").layout(boot=log)
    assert "4.2, 4.3, 4.4" in caught.value.remedy
    assert load_chip("esp32").layout(idf="5.5", boot=log).sdk == "5.5"


def test_start_up_use_may_be_given_with_a_log(tmp_path: Path) -> None:
    log = read_boot_log(save(tmp_path, boot(BLE2MQTT)))
    layout = load_chip("esp32").layout(idf="4.2", boot=log, startup_use=20_000)
    # four bytes of the third are the next region's: tables of another allocator may need them
    assert [r.startup_use for r in layout.regions][:5] == [204, 7252, 12_540, 4, 0]
    assert not any("start-up" in note for note in layout.notes)


def test_static_use_and_a_log_contradict_each_other(tmp_path: Path) -> None:
    log = read_boot_log(save(tmp_path, boot(ARTICLE)))
    with pytest.raises(InputError, match="--static-dram and --boot-log"):
        load_chip("esp32").layout(idf="4.2", boot=log, static_dram=1000)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("", "is empty"),
        ("I (1) boot: ESP-IDF v4.2 2nd stage bootloader\n", "a log without heap_init lines"),
        (f"{START}\nI (250) heap_init: At 3FFAE6E0 l", "line, 2, is cut off"),
        ("a 0 100\nf 0\n", "looks like the text form"),
        ("some words\n", "is text"),
    ],
)
def test_a_file_without_regions_is_an_error(tmp_path: Path, content: str, what: str) -> None:
    with pytest.raises(InputError) as caught:
        read_boot_log(save(tmp_path, content))
    assert what in caught.value.message
    assert "heap_init: At 3FFAE6E0" in caught.value.remedy


def test_a_hostile_log_reaches_no_terminal(tmp_path: Path) -> None:
    text = "I (1) cpu_start: ESP-IDF: v9.9\x1b]0;x\x07\n" + "\n".join(boot(ARTICLE))
    log = read_boot_log(save(tmp_path, text))
    with pytest.raises(InputError) as caught:
        load_chip("esp32").layout(boot=log)
    assert not re.search(r"[\x00-\x1f]", caught.value.message)


#: espressif/esp-protocols issue 181.
ESP32_S3: Lines = [
    (0x3FC97B20, 0x484E0, "D/IRAM"),
    (0x3FCE0000, 0xEE34, "STACK/DRAM"),
    (0x3FCF0000, 0x8000, "RAM"),
    (0x600FE000, 0x2000, "RTC"),
]
KINDS = ["DRAM", "D/IRAM", "IRAM", "RTCRAM", "SPIRAM", "RAM", "STACK/DRAM", "Retention RAM"]
PSRAM = "I (9) spiram: Adding pool of 4096K of external SPI memory to heap allocator"
REAL = [*boot(ARTICLE, RESET, V4_2, PSRAM), *boot(BLE2MQTT), *boot(ESP32_S3)]
PIECE = st.one_of(
    st.binary(max_size=40),
    st.sampled_from([text.encode() for text in REAL]),
    st.builds(
        lambda at, size, kind: line(0x3FC88000 + at * 4, size * 4, kind).encode(),
        st.integers(0, 0x20000),
        st.integers(0, 0x20000),
        st.sampled_from(KINDS),
    ),
    st.builds(
        lambda start, size, kind: line(start * 4, size * 4, kind).encode(),
        st.integers(0, (1 << 30) - 1),
        st.integers(0, (1 << 30) - 1),
        st.sampled_from([*KINDS, "RETENT_RAM", "X"]),
    ),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    pieces=st.lists(PIECE, max_size=40),
    end=st.sampled_from([b"\n", b"\r\n", b"\r", b""]),
    cut=st.integers(0, 200),
)
def test_any_bytes_as_a_log_raise_nothing_but_our_errors(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes], end: bytes, cut: int
) -> None:
    content = end.join(pieces)
    file = save(tmp_path_factory.mktemp("any"), content[: len(content) - cut])
    for chip, version in BUILDS:
        error = error_of(file, chip, version)
        assert error is None or (error.message and error.remedy)


BUILDS = [
    ("esp32", None),
    ("esp32", "4.2"),
    ("esp32", "5.5"),
    ("esp32s3", "4.3.2"),
    ("esp32s3", "5.5"),
    ("esp32p4", "6.0"),
]


def error_of(file: Path, chip: str, version: str | None) -> HeapscopeError | None:
    try:
        log = read_boot_log(file)
        load_chip(chip).layout(idf=version, boot=log, startup_use=30_000).check()
    except HeapscopeError as error:
        return error
    return None
