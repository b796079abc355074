"""The packages that device/packages/pack.py makes, taken apart and used: by the rules of each
system, with a plain compiler, and with stand-ins for what the systems' builds provide."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from needs import cxx_compiler

from .conftest import tool
from .test_components import ROOT, built, options

URL = "https://example.org/heapscope"
#: Arduino's library specification, revision 2.2.
FIELDS = {"name", "version", "author", "maintainer", "sentence", "paragraph", "category", "url"}
FIELDS |= {"architectures", "includes", "dot_a_linkage"}
CATEGORIES = {"Display", "Communication", "Signal Input/Output", "Sensors", "Device Control"}
CATEGORIES |= {"Timing", "Data Storage", "Data Processing", "Other"}

#: A core for this sketch: its line is standard output.
CORE = """
#include <cstdio>
#include "Arduino.h"
Printer Serial;
void Printer::begin(unsigned long) {}
void Printer::print(const char *text) { std::printf("%s", text); }
void Printer::println(unsigned long number) { std::printf("%lu\\n", number); }
int main() { setup(); loop(); return 0; }
"""
CORE_HEADER = """
#pragma once
#include <stddef.h>
#include <stdint.h>
struct Printer {
    void begin(unsigned long baud);
    void print(const char *text);
    void println(unsigned long number);
};
extern Printer Serial;
void setup();
void loop();
"""


def pack(folder: Path, *more: str) -> str:
    script = ROOT / "device" / "packages" / "pack.py"
    command = [sys.executable, str(script), str(folder), *more]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packages")
    pack(folder, "--url", URL)
    return folder


def unpacked(packages: Path, name: str, version: str, folder: Path) -> Path:
    [archive] = packages.glob(f"heapscope-{name}-{version}.*")
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(folder)
    else:
        with tarfile.open(archive) as opened:
            opened.extractall(folder)
    return folder


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", ["arduino", "esp-idf", "platformio"])
def test_a_package_has_its_papers_and_every_source_of_the_library(
    packages: Path, version: str, tmp_path: Path, name: str
) -> None:
    inside = names(unpacked(packages, name, version, tmp_path))
    ends = {tuple(Path(one).parts[-2:]) for one in inside}
    wanted = [*(ROOT / "device/src").rglob("*.[ch]"), *(ROOT / "device/include").rglob("*.h")]
    assert len(wanted) > 60
    assert [path for path in wanted if tuple(path.parts[-2:]) not in ends] == []
    papers = {"LICENSE", "README.md", "CHANGELOG.md"}
    assert papers <= {Path(one).name for one in inside if one.count("/") <= 1}
    assert not [one for one in inside if "__pycache__" in one or one.endswith((".py", ".o"))]


def test_archives_are_the_same_whoever_makes_them(packages: Path, tmp_path: Path) -> None:
    pack(tmp_path, "--url", URL)
    first = {path.name: path.read_bytes() for path in packages.glob("heapscope-*")}
    assert {path.name: path.read_bytes() for path in tmp_path.glob("heapscope-*")} == first
    assert len(first) == 4


def test_who_gives_no_place_of_the_repository_is_reported(tmp_path: Path) -> None:
    assert "The registries want it" in pack(tmp_path)
    for manifest in ("arduino/Heapscope/library.properties", "esp-idf/heapscope/idf_component.yml"):
        assert "url" not in (tmp_path / manifest).read_text("utf-8"), manifest
    text = (tmp_path / "platformio/Heapscope/library.json").read_text("utf-8")
    assert "repository" not in json.loads(text)


# ---- Arduino -------------------------------------------------------------------------------------


@pytest.fixture
def library(packages: Path, version: str, tmp_path: Path) -> Path:
    [folder] = unpacked(packages, "arduino", version, tmp_path / "libraries").iterdir()
    return folder


def test_the_library_of_arduino_keeps_the_rules_of_its_specification(
    library: Path, version: str
) -> None:
    lines = (library / "library.properties").read_text("utf-8").splitlines()
    stated = dict(line.split("=", 1) for line in lines)
    assert len(stated) == len(lines)
    assert set(stated) == FIELDS
    assert all(value == value.strip() != "" for value in stated.values())
    assert re.fullmatch(r"(?!Arduino)[A-Za-z0-9][\w .\-]{0,62}", stated["name"], re.ASCII)
    assert library.name == stated["name"]
    assert stated["version"] == version
    assert stated["category"] in CATEGORIES
    assert stated["url"] == URL
    assert re.fullmatch(r"[a-z0-9_]+(,[a-z0-9_]+)*", stated["architectures"])
    assert stated["dot_a_linkage"] == "true"
    for header in stated["includes"].split(","):
        assert (library / "src" / header).is_file()
    assert {path.name for path in library.iterdir()} == {
        *("library.properties", "src", "examples", "LICENSE", "README.md", "CHANGELOG.md"),
    }
    sketches = list(library.rglob("*.ino"))
    assert sketches
    assert [p for p in sketches if p.parts[-3:] != ("examples", p.stem, p.name)] == []
    assert [p for p in library.rglob("*") if p.is_symlink() or p.suffix == ".exe"] == []


def test_its_headers_bring_the_whole_interface(library: Path) -> None:
    """The IDE finds a library by the headers in src itself. Who includes that one has every part;
    the rest is brought by those, or is asked for by who needs it."""
    text = (library / "src" / "Heapscope.h").read_text("utf-8")
    brought = set(re.findall(r'#include "heapscope/(\w+)\.h"', text))
    every = {path.stem for path in (library / "src" / "heapscope").glob("*.h")}
    inner = {"assert", "config", "guard_none", "status", "source"}
    on_request = {"fixed", "port", "recorder_port", "text", "trace"}
    assert brought == every - inner - on_request


@pytest.mark.slow
def test_a_sketch_of_the_library_is_built_as_arduino_does_and_runs(
    cc, library: Path, tmp_path: Path
) -> None:
    """Each source by itself with src on the include path, the objects as an archive, and the sketch
    as C++ behind the core's header."""
    cxx_compiler()  # with it, the C compiler compiles C++ too
    core = tmp_path / "core"
    core.mkdir()
    (core / "Arduino.h").write_text(CORE_HEADER, encoding="utf-8")
    (core / "main.cpp").write_text(CORE, encoding="utf-8")
    [sketch] = library.rglob("Hello.ino")
    (core / "sketch.cpp").write_text(
        f'#include <Arduino.h>\n#line 1 "{sketch.name}"\n' + sketch.read_text("utf-8")
    )
    sources = [p for p in (library / "src").rglob("*") if p.suffix in {".c", ".cpp"}]

    def compiled(number: int, source: Path) -> Path:
        # Without ARDUINO, a core's own macro: the recorder's way into a sketch is tested elsewhere.
        plus = ("-x", "c++", "-std=gnu++11") if source.suffix == ".cpp" else ("-std=gnu11",)
        cc("-c", *plus, "-I", library / "src", source, "-o", tmp_path / f"{number}.o")
        return tmp_path / f"{number}.o"

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        objects = list(pool.map(compiled, range(len(sources)), sources))
    tool("ar")("crs", tmp_path / "library.a", *objects)
    flags = ("-x", "c++", "-std=gnu++11", "-I", core, "-I", library / "src")
    mains = [core / "main.cpp", core / "sketch.cpp"]
    end = ("-x", "none", tmp_path / "library.a", "-lstdc++", "-o", tmp_path / "sketch")
    cc(*flags, *mains, *end)
    ran = subprocess.run([tmp_path / "sketch"], capture_output=True, text=True, check=True)
    stated = dict(line.split(": ") for line in ran.stdout.splitlines())
    assert stated["free"] == stated["free again"]
    assert int(stated["free"]) - int(stated["with two blocks"]) >= 24 + 1460
    assert stated["a second free is refused"] == "1"


# ---- ESP-IDF and PlatformIO ----------------------------------------------------------------------


@pytest.mark.slow
def test_the_packed_component_of_esp_idf_is_built_from_its_own_sources(
    cmake, packages: Path, version: str, consumer: str, tmp_path: Path
) -> None:
    component = unpacked(
        packages, "esp-idf", version, tmp_path / "managed_components" / "heapscope"
    )
    chosen = options(component / "Kconfig", {"HEAPSCOPE_REGIONS_MAX": "9"}, tmp_path)
    more = (f"-DCOMPONENT={component}",)
    stated = built(cmake, consumer, tmp_path, "esp_idf", chosen, more)
    assert stated == "guard 1 owners 1 regions 9 kinds 4\n"
    ninja = tool("ninja")
    commands = ninja("-C", tmp_path / "build", "-t", "commands")
    assert str(ROOT / "device" / "src") not in commands


def test_the_manifest_of_the_component_is_complete(packages: Path) -> None:
    import yaml

    text = (packages / "esp-idf/heapscope/idf_component.yml").read_text("utf-8")
    manifest = yaml.safe_load(text)
    assert {
        "version",
        "description",
        "license",
        "url",
        "repository",
        "tags",
        "dependencies",
    } <= set(manifest)
    assert manifest["url"] == manifest["repository"] == URL
    assert all(re.fullmatch(r"[\w\-]{3,32}", tag) for tag in manifest["tags"])


@pytest.mark.slow
def test_the_package_of_platformio_is_built_as_its_manifest_says(
    cc, packages: Path, version: str, consumer: str, tmp_path: Path
) -> None:
    folder = unpacked(packages, "platformio", version, tmp_path / "lib")
    manifest = json.loads((folder / "library.json").read_text("utf-8"))
    assert manifest["homepage"] == manifest["repository"]["url"] == URL
    build = manifest["build"]
    results = [
        path
        for rule in build["srcFilter"]
        for name in re.findall(r"\+<(.*)>", rule)
        for path in (folder / build["srcDir"]).glob(f"{name}**/*.c" if name.endswith("/") else name)
    ]
    assert len({path.suffix for path in results}) == 2
    (tmp_path / "consumer.c").write_text(consumer, encoding="utf-8")
    sources = [path for path in results if path.is_relative_to(folder / "device" / "src")]
    flags = ("-std=gnu11", "-I", folder / build["includeDir"], "-DHS_OWNERS=0")
    cc(*flags, tmp_path / "consumer.c", *sources, "-o", tmp_path / "consumer")
    ran = subprocess.run([tmp_path / "consumer"], capture_output=True, text=True, check=True)
    assert ran.stdout == "guard 1 owners 0 regions 32 kinds 4\n"
    for entry in manifest["export"]["include"]:
        assert (folder / entry).exists(), entry
