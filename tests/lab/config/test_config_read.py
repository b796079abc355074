"""sdkconfig, sdkconfig.defaults and sdkconfig.json: what is read, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from heapscope.base.errors import InputError
from heapscope.config.chosen_config import choose_config
from heapscope.config.config import Config, read_config
from heapscope.config.read_file import read_config_file

GENERATED = """\
#
# Automatically generated file. DO NOT EDIT.
# Espressif IoT Development Framework (ESP-IDF) 5.5.1 Project Configuration
#
CONFIG_IDF_TARGET="esp32s3"
CONFIG_LWIP_TCP_MSS=1440
# CONFIG_HEAP_TASK_TRACKING is not set
# default:
CONFIG_LWIP_MAX_SOCKETS=10
CONFIG_SPIRAM=y

# Deprecated options for backward compatibility
CONFIG_TCP_MSS=536
# End of deprecated options
CONFIG_LWIP_IPV6=y
"""


def write(path: Path, name: str, text: str | bytes) -> Path:
    file = path / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def read(path: Path, *texts: str, chip: str = "esp32", sdk: str = "5.5") -> Config:
    files = [write(path, f"sdkconfig{number}", text) for number, text in enumerate(texts)]
    return read_config(files, chip=chip, sdk=sdk)


def test_a_generated_file(tmp_path: Path) -> None:
    file = read_config_file(write(tmp_path, "sdkconfig", GENERATED))
    assert (file.version, file.generated) == ("5.5.1", True)
    assert file.stated("IDF_TARGET") == "esp32s3"
    config = read(tmp_path, GENERATED, chip="esp32s3")
    assert config.value("LWIP_TCP_MSS") == 1440  # the section of old names is not read
    assert config.value("HEAP_TASK_TRACKING") is False
    assert config.value("LWIP_IPV6") is True
    assert config.settings["LWIP_TCP_MSS"].line == 6
    assert config.given("LWIP_TCP_MSS")
    assert config.given("LWIP_MAX_SOCKETS")  # before 6.0, the mark is a comment
    later = read(tmp_path, GENERATED, chip="esp32s3", sdk="6.0")
    assert not later.given("LWIP_MAX_SOCKETS")  # Kconfig's own default


def test_later_files_and_lines_win(tmp_path: Path) -> None:
    first = "CONFIG_LWIP_TCP_MSS=1400\nCONFIG_LWIP_MAX_SOCKETS=4\nCONFIG_LWIP_MAX_SOCKETS=5\n"
    config = read(tmp_path, first, "CONFIG_LWIP_TCP_MSS=1300\r\n")
    assert (config.value("LWIP_TCP_MSS"), config.value("LWIP_MAX_SOCKETS")) == (1300, 5)
    setting = config.settings["LWIP_TCP_MSS"]
    assert (setting.file, setting.line) == (str(tmp_path / "sdkconfig1"), 1)
    assert [each.line for each in config.all_settings] == [1, 2, 3, 1]


def test_a_line_of_the_wrong_type_counts_for_nothing(tmp_path: Path) -> None:
    config = read(tmp_path, "CONFIG_LWIP_TCP_MSS=1400\nCONFIG_LWIP_TCP_MSS=many\n")
    assert config.value("LWIP_TCP_MSS") == 1400
    config = read(tmp_path, "CONFIG_LWIP_TCP_MSS=y\n")
    assert config.value("LWIP_TCP_MSS") == 1440
    assert not config.given("LWIP_TCP_MSS")


def test_json(tmp_path: Path) -> None:
    members = {
        "IDF_TARGET": "esp32s3",
        "IDF_INIT_VERSION": "5.4.2",
        "LWIP_TCP_MSS": 1400,
        "HEAP_TASK_TRACKING": True,
        "LWIP_IPV6": False,
        "ESP_MESH_ROOT": 'a"b',
    }
    text = json.dumps(members, indent=4)
    file = read_config_file(write(tmp_path, "sdkconfig.json", text))
    assert (file.version, file.generated) == ("", True)
    config = read(tmp_path, text, chip="esp32s3")
    assert config.value("LWIP_TCP_MSS") == 1400
    assert config.value("HEAP_TASK_TRACKING") is True
    assert config.value("LWIP_IPV6") is False
    assert config.settings["LWIP_TCP_MSS"].line == 4


def test_hexadecimal_options(tmp_path: Path) -> None:
    """Digits are those of a hexadecimal number in a text, and of a decimal one in JSON."""
    name = "PARTITION_TABLE_OFFSET"
    assert read(tmp_path, f"CONFIG_{name}=0x9000\n").value(name) == 0x9000
    assert read(tmp_path, f"CONFIG_{name}=9000\n").value(name) == 0x9000
    assert read(tmp_path, json.dumps({name: 0x9000})).value(name) == 0x9000
    mss = read(tmp_path, "CONFIG_LWIP_TCP_MSS=0x578\n")
    assert mss.settings["LWIP_TCP_MSS"].value is None


@pytest.mark.parametrize("text", ["", "# a comment\n\n", "{}", "?\n", "\x1b[2Jgo\n", "CONFIG_A\n"])
def test_a_file_without_an_option_is_the_defaults(tmp_path: Path, text: str) -> None:
    config = read(tmp_path, text)
    assert config.value("LWIP_TCP_MSS") == 1440
    assert config.settings == {}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"CONFIG_A=y\0\n", "bytes of value 0"),
        (b'{"A": true,', "line 1: no JSON"),
        (b'{"A": true,\n "B": [1]}', "line 2: 'B' has a value that no option has"),
        (b'{"A": null}', "'A' has a value that no option has"),
        (b"{" * 100_000, "no JSON"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, content: bytes, why: str) -> None:
    file = write(tmp_path, "sdkconfig", content)
    with pytest.raises(InputError) as caught:
        read_config([file], chip="esp32", sdk="5.5")
    assert str(file) in caught.value.message
    assert why in caught.value.message
    assert caught.value.remedy
    assert "\x1b" not in caught.value.message


def test_a_whole_file_without_options_of_a_component_shows_that_it_is_not_in_the_build(
    tmp_path: Path,
) -> None:
    """MINIMAL_BUILD of ESP-IDF 5.5; what other files say does not bring the component back."""
    lines = [f"CONFIG_OF_{number}=y" for number in range(300)]
    written = "# Automatically generated file. DO NOT EDIT.\n# Espressif IoT Development Framework "
    header = f'#\n{written}(ESP-IDF) 5.5.3 Project Configuration\n#\nCONFIG_IDF_TARGET="esp32c3"\n'
    whole, more = tmp_path / "sdkconfig", tmp_path / "more"
    more.write_text("CONFIG_ESP_WIFI_STATIC_RX_BUFFER_NUM=6\n", encoding="utf-8")
    for names, lacking in (((), True), (("CONFIG_ESP_WIFI_ENABLED=y",), False)):
        whole.write_text(header + "\n".join((*lines, *names)) + "\n", encoding="utf-8")
        config = choose_config([whole, more], chip=None, idf=None).config
        assert config.lacks("ESP_WIFI_", "ESP32_WIFI_") is lacking
        assert not config.lacks("OF_")
    assert not choose_config([more], chip="esp32c3", idf=None).config.lacks("LWIP_")
