"""The components for ESP-IDF and Zephyr and the library for PlatformIO, as far as they go without
the vendors' tools: configured by CMake with stand-ins for the functions that those provide, with
options from the real Kconfig files read by Espressif's own reader, compiled, linked to a program
and run."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STAND_INS = Path(__file__).parent / "stand_ins"


def options(kconfig: Path, choices: dict[str, str], folder: Path) -> Path:
    """A file of CMake that sets what this Kconfig makes of these choices."""
    reader = pytest.importorskip("esp_kconfiglib")
    (folder / "Kconfig").write_text(f'source "{kconfig}"\n', encoding="utf-8")
    config = reader.Kconfig(str(folder / "Kconfig"))
    for name, value in choices.items():
        config.syms[name].set_value(value)
    lines = [
        f'set(CONFIG_{symbol.name} "{symbol.str_value}")\n'
        for symbol in config.unique_defined_syms
        if symbol.str_value != "n"
    ]
    assert len(lines) > 5
    (folder / "options.cmake").write_text("".join(lines), encoding="utf-8")
    return folder / "options.cmake"


def built(cmake, consumer: str, folder: Path, system: str, chosen: Path) -> str:
    (folder / "consumer.c").write_text(consumer, encoding="utf-8")
    build = folder / "build"
    where = (
        "-DCMAKE_C_COMPILER_WORKS=ON",
        f"-DREPOSITORY={ROOT}",
        f"-DCONSUMER={folder / 'consumer.c'}",
        f"-DOPTIONS={chosen}",
    )
    cmake("-S", STAND_INS / system, "-B", build, *where)
    cmake("--build", build)
    ran = subprocess.run([build / "consumer"], capture_output=True, text=True, check=True)
    return ran.stdout


def test_the_component_of_esp_idf(cmake, consumer: str, tmp_path: Path) -> None:
    choices = {"HEAPSCOPE_GUARD": "n", "HEAPSCOPE_REGIONS_MAX": "7"}
    chosen = options(ROOT / "device" / "Kconfig", choices, tmp_path)
    said = built(cmake, consumer, tmp_path, "esp_idf", chosen)
    assert said == "guard 0 owners 1 regions 7 kinds 4\n"


def test_the_module_of_zephyr(cmake, consumer: str, tmp_path: Path) -> None:
    choices = {"HEAPSCOPE": "y", "HEAPSCOPE_OWNERS": "n", "HEAPSCOPE_KINDS_MAX": "2"}
    chosen = options(ROOT / "device" / "zephyr" / "Kconfig", choices, tmp_path)
    said = built(cmake, consumer, tmp_path, "zephyr", chosen)
    assert said == "guard 1 owners 0 regions 32 kinds 2\n"


def test_the_library_of_platformio(cc, consumer: str, tmp_path: Path) -> None:
    """The build follows PlatformIO: each chosen source by itself, the include folder, and the
    project's flags."""
    build = json.loads((ROOT / "library.json").read_text(encoding="utf-8"))["build"]
    sources = sorted((ROOT / build["srcDir"] / "src").rglob("*.c"))
    (tmp_path / "consumer.c").write_text(consumer, encoding="utf-8")
    program = tmp_path / "consumer"
    flags = ("-std=gnu11", "-I", ROOT / build["includeDir"], "-DHS_KINDS_MAX=3")
    cc(*flags, tmp_path / "consumer.c", *sources, "-o", program)
    ran = subprocess.run([program], capture_output=True, text=True, check=True)
    assert ran.stdout == "guard 1 owners 1 regions 32 kinds 3\n"
