"""Files of another kind are refused by name, and lines that an answer does not use are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapscope.base.errors import InputError
from heapscope.cli.verbs.compare import compare
from heapscope.cli.verbs.lint import lint
from heapscope.cli.verbs.predict import predict
from heapscope.cli.verbs.tune import tune
from heapscope.config.read_file import read_config_file
from heapscope.forecast.ladder.difference import Ladder

YAML = """\
esphome:
  name: hall
esp32:
  framework:
    sdkconfig_options:
      CONFIG_LWIP_MAX_SOCKETS: "20"
"""
FREERTOS = "#define configUSE_PREEMPTION 1\n#define configTOTAL_HEAP_SIZE ((size_t)32768)\n"
ZEPHYR = "CONFIG_NETWORKING=y\nCONFIG_HEAP_MEM_POOL_SIZE=65536\nCONFIG_MAIN_STACK_SIZE=2048\n"


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("device.yaml", YAML, "a configuration of ESPHome"),
        ("FreeRTOSConfig.h", FREERTOS, "a FreeRTOSConfig.h"),
        ("lwipopts.h", "#define MEM_SIZE 10240\n", "options of lwIP"),
        ("sdkconfig.h", "#pragma once\n#define CONFIG_LWIP_IPV6 1\n", "a C header of options"),
        ("prj.conf", ZEPHYR, "a prj.conf of Zephyr"),
        ("prj.conf", "# radio\nCONFIG_BT=y\nCONFIG_PRINTK=y\n", "a prj.conf of Zephyr"),
        (".config", "# Zephyr Kernel Configuration\nCONFIG_GPIO=y\n", "another system"),
        ("platformio.ini", "[env:a]\nboard = esp32dev\n", "a platformio.ini"),
    ],
)
@pytest.mark.parametrize("verb", [lint, predict])
def test_a_file_of_another_kind_is_refused_by_name(
    tmp_path: Path, name: str, text: str, what: str, verb: object
) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert callable(verb)
    with pytest.raises(InputError, match=what) as error:
        verb(path, chip="esp32")
    assert error.value.message.startswith(f"{path}: ")
    assert error.value.remedy


@pytest.mark.parametrize(
    "text",
    [
        "CONFIG_GPIO=33\nCONFIG_BT_ENABLED=y\n",  # options of a project's own
        "CONFIG_LOG=y\nCONFIG_LWIP_IPV6=n\n",
        "# Name and type are those of the board\nCONFIG_SPIRAM=y\n",
        "",
    ],
)
def test_lines_of_esp_idf_are_read_beside_a_projects_own(tmp_path: Path, text: str) -> None:
    path = tmp_path / "sdkconfig.defaults"
    path.write_text(text)
    assert read_config_file(path).text == text


def test_the_lines_of_another_release_are_named(tmp_path: Path) -> None:
    """5.x calls these options otherwise than 4.4, and a default of 4.4 would count in silence."""
    path = tmp_path / "sdkconfig.defaults"
    path.write_text("CONFIG_ESP_WIFI_STATIC_RX_BUFFER_NUM=6\nCONFIG_MINE=y\n")
    here = f"({path}, line 1)"
    say = f"as ESP-IDF 4.4 has no such options: CONFIG_ESP_WIFI_STATIC_RX_BUFFER_NUM {here}"
    mine = f"as no ESP-IDF has such options: CONFIG_MINE ({path}, line 2)"
    compared = compare(f"{path}@4.4", "@5.5", chip="esp32")
    assert isinstance(compared, Ladder)
    for notes in (
        predict(path, chip="esp32", idf="4.4").notes,
        tune(path, chip="esp32", idf="4.4", goal=["free>=10KB"]).notes,
        compared.notes,
    ):
        text = "\n".join(notes)
        assert say in text
        assert mine in text
    assert "line 1" not in "\n".join(predict(path, chip="esp32", idf="5.5").notes)


def test_a_line_of_an_option_that_a_release_lacks_is_no_value(tmp_path: Path) -> None:
    path = tmp_path / "sdkconfig.defaults"
    path.write_text("# CONFIG_LOG_DYNAMIC_LEVEL_CONTROL is not set\nCONFIG_MINE=0\n")
    other = tmp_path / "other"
    other.write_text("CONFIG_MINE=y\n")
    result = compare(f"{path}@5.3", f"{path},{other}@5.5", chip="esp32").to_json()
    step = result["steps"][0]
    rows = {row["option"]: row for row in (*step["options"], *step["unknown"])}
    assert '"' not in str(rows.get("LOG_DYNAMIC_LEVEL_CONTROL"))
    assert (rows["MINE"]["before"], rows["MINE"]["after"]) == ("0", "y")


def test_a_line_that_the_same_file_contradicts_is_named(tmp_path: Path) -> None:
    """A choice counts too. A line that a later file overrides is as its author meant it."""
    path, more = tmp_path / "sdkconfig.defaults", tmp_path / "more"
    lines = ("LWIP_STATS=n", "COMPILER_OPTIMIZATION_SIZE=y", "COMPILER_OPTIMIZATION_PERF=y")
    lines += ("LWIP_STATS=y", "LWIP_MAX_SOCKETS=8")
    path.write_text("".join(f"CONFIG_{line}\n" for line in lines))
    more.write_text("CONFIG_LWIP_MAX_SOCKETS=12\n")
    say = "lines that are not used, as a later line of the file counts: CONFIG_LWIP_STATS "
    compared = compare(f"{path},{more}", f"+{more}", chip="esp32", idf="5.5")
    assert isinstance(compared, Ladder)
    for notes in (
        predict(path, more, chip="esp32", idf="5.5").notes,
        tune(path, more, chip="esp32", idf="5.5", goal=["free>=10KB"]).notes,
        compared.notes,
    ):
        text = "\n".join(notes)
        assert f"{say}({path}, line 1), CONFIG_COMPILER_OPTIMIZATION_SIZE ({path}, line 2)" in text
        assert "line 4" not in text
        assert "line 5" not in text
    path.write_text("CONFIG_LWIP_MAX_SOCKETS=8\n")
    assert say not in "\n".join(predict(path, more, chip="esp32", idf="5.5").notes)
