"""The heap's debugging options in a firmware's sdkconfig, and the allocator that they make."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapscope.base.errors import InputError
from heapscope.memory.choose import plain_memory
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.sdkconfig import SdkConfig, read_sdkconfig
from heapscope.memory.options import MemoryOptions

TRACKING = "CONFIG_HEAP_TASK_TRACKING=y\n"
LIGHT = "# CONFIG_HEAP_POISONING_DISABLED is not set\nCONFIG_HEAP_POISONING_LIGHT=y\n"
COMPREHENSIVE = "CONFIG_HEAP_POISONING_COMPREHENSIVE=y\n"
OTHERS = '#\n# Automatically generated file.\n#\nCONFIG_IDF_TARGET="esp32"\n\n'


def read(path: Path, text: str | bytes) -> SdkConfig:
    file = path / "sdkconfig"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_sdkconfig(file)


@pytest.mark.parametrize(
    ("text", "idf", "allocator"),
    [
        ("", "4.2", "idf-4.2"),
        (LIGHT, "4.2", "idf-4.2+light"),
        (LIGHT + TRACKING, "4.2", "idf-4.2+track"),
        (TRACKING, "4.3", "idf-4.3.0+track"),
        ("", "5.5", "idf-5.5"),
        (TRACKING, "5.5", "idf-5.5+track"),
        (LIGHT + TRACKING, "5.5", "idf-5.5+light+track"),
        (COMPREHENSIVE, "5.5", "idf-5.5+full"),
        (COMPREHENSIVE + TRACKING, "4.2", "idf-4.2+full+track"),
        ("# CONFIG_HEAP_TASK_TRACKING is not set\n", "5.5", "idf-5.5"),
        ("CONFIG_HEAP_TASK_TRACKING=n\n", "5.5", "idf-5.5"),
        (TRACKING.replace("\n", "\r\n"), "6.0", "idf-5.5+track"),
    ],
)
def test_its_options_give_the_allocator_of_every_region(
    tmp_path: Path, text: str, idf: str, allocator: str
) -> None:
    config = read(tmp_path, OTHERS + text)
    assert config.options["IDF_TARGET"] == "esp32"
    layout = load_chip("esp32").layout(idf=idf, flavour=config.flavour)
    assert {region.allocator for region in layout.regions} == {allocator}


def test_its_options_decide_the_memory(tmp_path: Path) -> None:
    """One core has six regions on an ESP32, with the second one's cache as IRAM."""
    file = tmp_path / "sdkconfig"
    regions = {}
    for text in (
        "",
        "CONFIG_FREERTOS_UNICORE=y\n",
        "CONFIG_FREERTOS_UNICORE=y\n# CONFIG_ESP_SYSTEM_ALLOW_RTC_FAST_MEM_AS_HEAP is not set\n",
        "CONFIG_FREERTOS_UNICORE=y\nCONFIG_ESP32_IRAM_AS_8BIT_ACCESSIBLE_MEMORY=y\n",
    ):
        file.write_text(OTHERS + text, encoding="utf-8")
        chosen = plain_memory({"chip": "esp32", "idf": "5.5.3", "sdkconfig": file}, None)
        regions[text] = {region.name: region for region in chosen.layout.regions}
    two, one, without, by_bytes = regions.values()
    assert "0x40078000 IRAM" in one.keys() - two.keys()
    assert one.keys() - without.keys() == {"0x3ff80000 RTCRAM"}
    assert "0x3ffe0440 D/IRAM" in one
    assert one["0x3ffe0440 D/IRAM"].size == 129_984
    assert one["0x40078000 IRAM"].word_only
    assert not by_bytes["0x40078000 IRAM"].word_only
    options: MemoryOptions = {"chip": "esp32", "idf": "5.5.3", "sdkconfig": file, "cores": 2}
    stated = plain_memory(options, None)
    assert {region.name for region in stated.layout.regions} == two.keys()


def test_what_is_not_read_is_stated(tmp_path: Path) -> None:
    (plain,) = read(tmp_path, OTHERS).notes
    assert "neither heap poisoning nor task tracking" in plain
    assert "the log tells the rest" in plain


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"\x7fELF\x01\x01\0\0\n", "bytes of value 0"),
        ("# nothing\n" * 2_000_000, "16 MiB"),
    ],
)
def test_what_is_no_sdkconfig_is_named(tmp_path: Path, text: str | bytes, why: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert why in caught.value.message
    assert not {"\x1b", "\0"} & set(caught.value.message)
    assert "sdkconfig" in caught.value.remedy


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_sdkconfig(tmp_path / "none")


def chosen(path: Path, text: str, **options: str) -> tuple[str, str, str]:
    file = path / "sdkconfig"
    file.write_text(text)
    layout = plain_memory({"sdkconfig": str(file), **options}, None).layout
    return layout.name, layout.regions[0].allocator, "\n".join(layout.notes)


WRITTEN = """\
#
# Automatically generated file. DO NOT EDIT.
# Espressif IoT Development Framework (ESP-IDF) 4.4.8 Project Configuration
#
CONFIG_IDF_TARGET="esp32c3"
"""


def test_its_chip_and_release_count_where_no_option_names_them(tmp_path: Path) -> None:
    name, allocator, notes = chosen(tmp_path, WRITTEN)
    assert (name, allocator) == ("ESP32-C3, ESP-IDF 4.4.8", "idf-5.1")
    assert "chip esp32c3, from CONFIG_IDF_TARGET" in notes
    assert f"ESP-IDF 4.4.8, as {tmp_path / 'sdkconfig'} says" in notes
    assert chosen(tmp_path, WRITTEN, idf="5.5")[:2] == ("ESP32-C3, ESP-IDF 5.5", "idf-5.5")
    assert chosen(tmp_path, 'CONFIG_IDF_TARGET="esp32s2"\n')[0] == "ESP32-S2, ESP-IDF 5.5"


def test_a_file_of_another_chip_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r'IDF_TARGET="esp32c3", but the memory is that of the esp32$'
    ):
        chosen(tmp_path, WRITTEN, chip="esp32")


def test_a_release_that_is_not_known_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is of ESP-IDF 9\.7\.1, which is not known"):
        chosen(tmp_path, WRITTEN.replace("4.4.8", "9.7.1"))
