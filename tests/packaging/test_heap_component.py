"""The component that takes the place of ESP-IDF's heap, as far as it goes without ESP-IDF:
configured by CMake with stand-ins for ESP-IDF's functions and folders, with options from the
component's Kconfig read by Espressif's own reader, compiled for 32 bits, linked to a program that
is started as ESP-IDF starts it, and run; and what of it can be called while the flash cache is
off is what its linker fragment places into IRAM."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
import yaml
from emulation.drop_in import fragments_of
from emulation.fragment import FRAGMENT, ROOTS, fragment, placed
from emulation.reach import Code, reached, read
from tests.packaging.conftest import ENVIRONMENT
from tests.packaging.esp_idf_stand_in import (
    COMPONENT,
    EVERY_RELEASE,
    ROOT,
    build,
    configured,
)

ALL = (
    "HEAP_POISONING_COMPREHENSIVE",
    "HEAP_TASK_TRACKING",
    "HEAP_TRACK_DELETED_TASKS",
    "HEAP_TRACING_STANDALONE",
    "HEAP_USE_HOOKS",
    "HEAP_ABORT_WHEN_ALLOCATION_FAILS",
)
CHOICES: dict[str, tuple[str, ...]] = {"plain": (), "all": ALL}
TEXTS = {
    "plain": "plain guard 0 owners 0 kinds 8 stack 32768\n",
    "all": "overflow found guard 1 owners 1 kinds 8 stack 32768\n"
    "Mem alloc fail. size 0x00100000 caps 0x00000008\n",
}
TEXTS_BEFORE_4_4 = {
    "plain": TEXTS["plain"],
    "all": TEXTS["all"].partition("\n")[0] + "\nMemory allocation failed\n",
}


def started(cmake, cc, folder: Path, name: str, release: str) -> dict[str, str]:
    """Builds and runs the program; the options' values."""
    values = configured(CHOICES[name], folder)
    assert all(values[option] == "y" for option in CHOICES[name])
    build(cmake, folder, release=release)
    ran = subprocess.run([folder / "build" / "consumer"], capture_output=True, text=True)
    stated = TEXTS[name] if release not in ("4.2", "4.3") else TEXTS_BEFORE_4_4[name]
    assert (ran.stdout, ran.returncode) == (stated, 3 if name == "all" else 0)
    return values


@pytest.mark.slow
@pytest.mark.parametrize("name", CHOICES)
def test_a_program_runs_on_it(cmake, cc, tmp_path: Path, name: str) -> None:
    values = started(cmake, cc, tmp_path, name, "5.5")
    objects = (tmp_path / "build").rglob("__idf_heap.dir/**/*.o")
    on = [option for option, value in values.items() if value == "y"]
    what_allocates_and_frees_is_in_iram(read(objects), fragments_of(on))


@pytest.mark.slow
@pytest.mark.parametrize("name", CHOICES)
@pytest.mark.parametrize("release", EVERY_RELEASE)
def test_it_starts_in_every_release(cmake, cc, tmp_path: Path, name: str, release: str) -> None:
    started(cmake, cc, tmp_path, name, release)


# ---- what is placed into IRAM ------------------------------------------------------------------


def what_allocates_and_frees_is_in_iram(code: Code, entries: list[str]) -> None:
    result = reached(code, ROOTS)
    assert len(result) > 50
    assert not {one for one in result if not placed(one, entries)}


@pytest.mark.slow
def test_the_fragment_is_what_its_command_makes() -> None:
    assert FRAGMENT.read_text(encoding="utf-8") == fragment()


def test_the_whole_heap_can_be_placed_into_flash() -> None:
    assert fragments_of(["HEAP_POISONING_DISABLED", "HEAP_PLACE_FUNCTION_INTO_FLASH"]) == []


# ---- what must not be --------------------------------------------------------------------------


def test_the_heap_of_the_rom_cannot_be_chosen(tmp_path: Path) -> None:
    values = configured(("HEAP_TLSF_USE_ROM_IMPL", "HEAP_TRACING_TOHOST"), tmp_path)
    assert values["HEAP_TLSF_USE_ROM_IMPL"] == "n"
    assert values["HEAP_TRACING_OFF"] == "y"
    assert "ROM" not in (tmp_path / "sdkconfig.h").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("target", "option", "message"),
    [
        ("linux", "", "leave it out of EXTRA_COMPONENT_DIRS"),
        ("esp32c3", "set(CONFIG_HEAP_TLSF_USE_ROM_IMPL y)", "set it to n"),
        ("esp32z9", "", "no such file or folder"),
        ("esp32c3", "set(CONFIG_COMPILER_KASAN y)", "neither the sanitizer's shadow memory"),
        ("esp32s31", "set(CONFIG_BTDM_CTRL_MODE_BTDM y)", "build with ESP-IDF's own heap"),
        ("esp32s31", "set(CONFIG_BTDM_CTRL_MODE_BR_EDR_ONLY y)", "calls functions of"),
    ],
)
def test_what_cannot_be_built_is_reported(
    cmake, tmp_path: Path, target: str, option: str, message: str
) -> None:
    (tmp_path / "options.cmake").write_text(option, encoding="utf-8")
    with pytest.raises(AssertionError) as caught:
        build(cmake, tmp_path, target)
    assert message in " ".join(str(caught.value).split())


def test_every_option_that_the_heap_asks_for_is_in_the_kconfig(tmp_path: Path) -> None:
    known = set(configured((), tmp_path))
    sources = [*(COMPONENT.parent / "src").glob("*"), *(COMPONENT.parent / "include").glob("*.h")]
    requested: set[str] = set()
    for source in sources:
        requested |= set(re.findall(r"\bCONFIG_(HEAP_\w+)", source.read_text(encoding="utf-8")))
    assert requested <= known | {"HEAP_TRACE_HASH_MAP"}  # documented as not there
    assert "HEAP_POISONING_LIGHT" in requested


# ---- packed ------------------------------------------------------------------------------------


def packed(folder: Path) -> Path:
    command = [
        sys.executable,
        ROOT / "device" / "packages" / "esp_idf_heap.py",
        folder / "packed" / "heap",
    ]
    subprocess.run([*command, "--url", "https://example.org/heapscope"], check=True)
    return folder / "packed" / "heap"


@pytest.mark.slow
def test_the_packed_component_has_its_sources_inside(cmake, cc, tmp_path: Path) -> None:
    component = packed(tmp_path)
    configured((), tmp_path, component=component)
    build(cmake, tmp_path, component=component)
    ran = subprocess.run([tmp_path / "build" / "consumer"], capture_output=True, text=True)
    assert ran.stdout == TEXTS["plain"]
    commands = json.loads((tmp_path / "build" / "compile_commands.json").read_text("utf-8"))
    compiled = [one["file"] for one in commands if "__idf_heap.dir" in one["output"]]
    outside = [one for one in compiled if not one.startswith(str(tmp_path))]
    assert len(compiled) > 20
    assert not outside
    assert not [one for one in commands if str(ROOT / "device") in one["command"]]


def test_the_manifest_is_complete(tmp_path: Path, version: str) -> None:
    text = (packed(tmp_path) / "idf_component.yml").read_text(encoding="utf-8")
    manifest = yaml.safe_load(text)
    assert manifest["version"] == version
    assert manifest["dependencies"] == {"idf": ">=4.2"}
    assert {"description", "license", "url", "targets"} <= set(manifest)
    with (COMPONENT.parent / "asked" / "memories.csv").open(encoding="utf-8") as file:
        chips = {row["chip"] for row in csv.DictReader(file)}
    assert set(manifest["targets"]) == chips


@pytest.mark.slow
@pytest.mark.usefixtures("program")
def test_espressif_s_tool_packs_it(tmp_path: Path, version: str) -> None:
    component = packed(tmp_path)
    where = ["--project-dir", component, "--dest-dir", tmp_path / "dist"]
    compote = [str(ENVIRONMENT / "bin" / "compote"), "-W"]
    for command in (
        ["manifest", "lint", component],
        ["component", "pack", "--name", "heap", *where],
    ):
        done = subprocess.run(
            [*compote, *map(str, command)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    with tarfile.open(tmp_path / "dist" / f"heap_{version}.tgz") as archive:
        names = {one.name.removeprefix("./") for one in archive if one.isfile()}
    assert names == {
        str(one.relative_to(component)) for one in component.rglob("*") if one.is_file()
    }
