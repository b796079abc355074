"""Every package of the device library says the same of itself, and options are those of
config.h."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DEVICE = ROOT / "device"


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_every_version_is_that_of_the_project(version: str) -> None:
    component = re.search(r'^version: "([^"]*)"', read("device/idf_component.yml"), re.MULTILINE)
    assert component is not None
    assert component[1] == version
    assert json.loads(read("library.json"))["version"] == version


def macros() -> dict[str, int]:
    """The options of config.h and their defaults."""
    matches = re.findall(r"^#ifndef (HS_\w+)\n#define \1 (\d+)$", read(CONFIG), re.MULTILINE)
    return {name: int(value) for name, value in matches}


CONFIG = "device/include/heapscope/config.h"


def test_kconfig_has_every_option_with_its_default_and_range() -> None:
    text = read("device/Kconfig.options")
    options = dict(re.findall(r"^config HEAPSCOPE_(\w+)\n((?:    .*\n)+)", text, re.MULTILINE))
    expected = macros()
    assert {f"HS_{name}" for name in options} == set(expected)
    for name, body in options.items():
        default = re.search(r"default (\w+)", body)
        assert default is not None
        assert {"y": 1, "n": 0}.get(default[1]) == expected[f"HS_{name}"] or default[1] == str(
            expected[f"HS_{name}"]
        ), name
        limits = re.search(r"range (\d+) (\d+)", body)
        if limits is not None:
            match = re.search(rf"{limits[1]} to {limits[2]} .*\n#ifndef HS_{name}", read(CONFIG))
            assert match is not None, f"{name}: config.h has another range"


def test_kconfig_has_the_recorder_s_switches_with_their_defaults_and_ranges() -> None:
    """HEAPSCOPE_RECORDER_X is the macro HS_RECORDER_X; others are of its configuration."""
    header = read("device/include/heapscope/recorder.h")
    result = dict(
        re.findall(r"^#define (HS_RECORDER_[A-Z_]+) (\d+)(?: .*)?$", header, re.MULTILINE)
    )
    macros_of_it = {
        name: int(value) for name, value in result.items() if f"#ifndef {name}\n" in header
    }
    text = read("device/Kconfig.recorder")
    options = dict(re.findall(r"^config HEAPSCOPE_(\w+)\n((?:    .*\n)+)", text, re.MULTILINE))
    shared = {f"HS_{name}": body for name, body in options.items() if f"HS_{name}" in macros_of_it}
    # The system knows the cores; call sites are a matter of the trace's length alone.
    assert {*macros_of_it} - {*shared} == {"HS_RECORDER_CORES", "HS_RECORDER_SITES"}
    for name, body in shared.items():
        default = re.search(r"default (\w+)", body)
        assert default is not None
        assert int({"y": "1", "n": "0"}.get(default[1], default[1])) == macros_of_it[name], name
    assert "range 1 4\n" in shared["HS_RECORDER_CALLERS"]
    assert "1 to 4" in header.split("#ifndef HS_RECORDER_CALLERS")[0].splitlines()[-1]
    known = set(re.findall(r"\w+", read("device/kconfig.cmake")))
    known |= {f"CONFIG_HEAPSCOPE_RECORDER_{word}" for word in known}
    assert {f"CONFIG_HEAPSCOPE_{name.removeprefix('HS_')}" for name in shared} <= known


def test_cmake_and_kconfig_cmake_know_every_option() -> None:
    for name in ("cmake/package.cmake", "device/kconfig.cmake"):
        words = set(re.findall(r"\w+", read(name)))
        known = {word for word in words if f"HS_{word}" in macros()}
        known |= {word.removeprefix("CONFIG_HEAPSCOPE_") for word in words}
        assert {macro.removeprefix("HS_") for macro in macros()} <= known, name


def test_the_manifest_of_platformio_names_what_there_is() -> None:
    manifest = json.loads(read("library.json"))
    assert re.fullmatch(r"[\w\- ]{1,100}", manifest["name"])
    assert manifest["license"] == "MIT"
    assert len(manifest["description"]) <= 255
    build = manifest["build"]
    assert (ROOT / build["srcDir"]).is_dir()
    for header in manifest["headers"]:
        assert (ROOT / build["includeDir"] / header).is_file()
    # The rules of the source filter: everything out, and these in; files are the ways into the
    # recorder that a sketch's one build flag takes out of the archive.
    assert build["srcFilter"][0] == "-<*>"
    chosen = [match for rule in build["srcFilter"][1:] for match in re.findall(r"\+<(.*)>", rule)]
    ways = {DEVICE / path for path in chosen if (DEVICE / path).suffix}
    assert all(path.is_file() and path.parent.name == "recorder" for path in ways)
    sources = {path for folder in chosen for path in (DEVICE / folder).rglob("*.c")}
    assert sources == set((DEVICE / "src").rglob("*.c"))
    for entry in manifest["export"]["include"]:
        assert (ROOT / entry).exists(), entry


@pytest.mark.parametrize("name", ["zephyr/module.yml"])
def test_the_module_of_zephyr_names_what_there_is(name: str) -> None:
    stated = dict(re.findall(r"^ *(cmake|kconfig): (\S+)$", read(name), re.MULTILINE))
    assert (ROOT / stated["cmake"] / "CMakeLists.txt").is_file()
    assert (ROOT / stated["kconfig"]).is_file()
