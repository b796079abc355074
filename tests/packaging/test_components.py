"""The components for ESP-IDF and Zephyr, as far as they go without the vendors' tools: configured
by CMake with stand-ins for the functions that those provide, with options from the real Kconfig
files read by Espressif's own reader, compiled, linked to a program and run."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

import heapscope

ROOT = Path(__file__).resolve().parents[2]
STAND_INS = Path(__file__).parent / "stand_ins"
GLUE = ROOT / "tests" / "device" / "recorder_glue"


#: The kernel's functions, for a program of a host.
KERNEL = """
#include <zephyr/kernel.h>
k_tid_t k_current_get(void) { return 0; }
uint32_t k_cycle_get_32(void) { return 0; }
bool k_is_in_isr(void) { return false; }
unsigned int arch_irq_lock(void) { return 1; }
void arch_irq_unlock(unsigned int key) { (void)key; }
"""


def options(kconfig: Path, choices: dict[str, str], folder: Path, others: str = "") -> Path:
    """A file of CMake that sets what this Kconfig makes of these choices. `others`: the system's
    own options."""
    import esp_kconfiglib as reader

    (folder / "Kconfig").write_text(f'{others}source "{kconfig}"\n', encoding="utf-8")
    config = reader.Kconfig(str(folder / "Kconfig"))
    for name, value in choices.items():
        config.syms[name].set_value(value)
    lines = [
        f'set(CONFIG_{symbol.name} "{symbol.str_value}")\n'
        for symbol in config.unique_defined_syms
        if symbol.str_value != "n"
    ]
    assert len(lines) > 5
    config.write_autoconf(str(folder / "sdkconfig.h"))
    with (folder / "sdkconfig.h").open("a", encoding="utf-8") as header:
        header.write('#define CONFIG_IDF_TARGET "esp32c3"\n')
    (folder / "options.cmake").write_text("".join(lines), encoding="utf-8")
    return folder / "options.cmake"


def built(
    cmake, consumer: str, folder: Path, system: str, chosen: Path, more: Sequence[str] = ()
) -> str:
    (folder / "consumer.c").write_text(consumer, encoding="utf-8")
    build = folder / "build"
    where = (
        "-DCMAKE_C_COMPILER_WORKS=ON",
        f"-DREPOSITORY={ROOT}",
        f"-DCONSUMER={folder / 'consumer.c'}",
        f"-DOPTIONS={chosen}",
        *more,
    )
    cmake("-S", STAND_INS / system, "-B", build, *where)
    cmake("--build", build)
    ran = subprocess.run(
        [build / "consumer"], cwd=folder, capture_output=True, text=True, check=True
    )
    return ran.stdout


@pytest.mark.slow
def test_the_component_of_esp_idf(cmake, consumer: str, tmp_path: Path) -> None:
    choices = {"HEAPSCOPE_GUARD": "n", "HEAPSCOPE_REGIONS_MAX": "7"}
    chosen = options(ROOT / "device" / "Kconfig", choices, tmp_path)
    stated = built(cmake, consumer, tmp_path, "esp_idf", chosen)
    assert stated == "guard 0 owners 1 regions 7 kinds 4\n"


@pytest.mark.slow
def test_a_project_of_esp_idf_records_with_what_menuconfig_says(cmake, tmp_path: Path) -> None:
    """The drivers are those from 5.3 on. The sources of the heap are our drop-in's."""
    choices = {
        "HEAPSCOPE_KINDS_MAX": "8",
        "HEAPSCOPE_RECORDER": "y",
        "HEAPSCOPE_RECORDER_BYTES": "65536",
        "HEAPSCOPE_RECORDER_CALLERS": "2",
        "HEAPSCOPE_RECORDER_UART": "y",
        "HEAPSCOPE_RECORDER_UART_BAUD": "460800",
        "HEAPSCOPE_RECORDER_SNAPSHOT_SECONDS": "0",
        "HEAPSCOPE_RECORDER_AUTOMATIC": "n",
    }
    chosen = options(ROOT / "device" / "Kconfig", choices, tmp_path)
    # ESP-IDF's own Kconfig says: one core.
    chosen.write_text(chosen.read_text("utf-8") + "set(CONFIG_FREERTOS_UNICORE y)\n", "utf-8")
    (tmp_path / "idf" / "components" / "esp_driver_uart").mkdir(parents=True)
    heap = [*sorted((ROOT / "device/compat/esp_idf/src").glob("*.c")), GLUE / "sdk" / "sdk.c"]
    more = (f"-DIDF={tmp_path / 'idf'}", f"-DPROGRAM={';'.join(map(str, heap))}")
    program = (GLUE / "start.c").read_text(encoding="utf-8")
    assert built(cmake, program, tmp_path, "esp_idf", chosen, more) == "baud 460800\n"
    info = heapscope.replay(tmp_path / "recorded.hst").to_json()
    assert info["events"]["total"] == 401
    assert info["recording"]["corrections"] == info["health"]["lost_events"] == 0
    assert info["recording"]["known"]


@pytest.mark.slow
def test_zephyr_records_with_what_its_menuconfig_says(cmake, tmp_path: Path) -> None:
    choices = {
        "HEAPSCOPE": "y",
        "HEAPSCOPE_RECORDER": "y",
        "HEAPSCOPE_RECORDER_BLACK_BOX": "n",
        "HEAPSCOPE_PORT_NONE": "y",
    }
    kconfig = ROOT / "device" / "zephyr" / "Kconfig"
    chosen = options(
        kconfig,
        choices,
        tmp_path,
        "config HEAP_LISTENER\n    bool\nconfig SYS_HEAP_LISTENER\n    bool\n",
    )
    assert 'set(CONFIG_SYS_HEAP_LISTENER "y")' in chosen.read_text("utf-8")
    more = (f"-DPROGRAM={GLUE / 'zephyr' / 'heap.c'}",)
    program = (GLUE / "zephyr.c").read_text(encoding="utf-8")
    built(cmake, KERNEL + program, tmp_path, "zephyr", chosen, more)
    events = heapscope.replay(tmp_path / "recorded.hst").to_json()["events"]
    assert events["reallocs"] > 100 < events["frees"]


@pytest.mark.slow
def test_the_module_of_zephyr(cmake, consumer: str, tmp_path: Path) -> None:
    choices = {"HEAPSCOPE": "y", "HEAPSCOPE_OWNERS": "n", "HEAPSCOPE_KINDS_MAX": "2"}
    chosen = options(ROOT / "device" / "zephyr" / "Kconfig", choices, tmp_path)
    stated = built(cmake, consumer, tmp_path, "zephyr", chosen)
    assert stated == "guard 1 owners 0 regions 32 kinds 2\n"
