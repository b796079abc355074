"""The programs of the package managers take our packages: ESP-IDF's component manager, PlatformIO
and west, in an environment of their own."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest
from needs import need_checkout

from .conftest import ENVIRONMENT, Program
from .test_components import ROOT, built, options
from .test_packages import names, pack

pytestmark = pytest.mark.slow

#: PlatformIO fetches the list of licences from the network; the rest of its checks stays.
PLATFORMIO = """
import sys
from platformio.package.manifest import schema
from platformio.__main__ import main
known = {"licenses": [{"licenseId": "MIT"}]}
schema.ManifestSchema.load_spdx_licenses = staticmethod(lambda: known)
sys.exit(main())
"""

#: A registry as a folder, as Espressif's manager keeps one for machines without a network.
REGISTRY = """
import json, sys, tarfile
from pathlib import Path
from idf_component_tools.hash_tools.calculate import hash_dir
from idf_component_tools.hash_tools.checksums import CHECKSUMS_FILENAME, ChecksumsManager
archive, folder, version = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
with tarfile.open(archive) as opened:
    opened.extractall(folder / "unpacked")
(folder / "components" / "example").mkdir(parents=True)
(folder / archive.name).write_bytes(archive.read_bytes())
one = {"version": version, "component_hash": hash_dir(folder / "unpacked"), "url": archive.name}
idf = {"name": "idf", "source": "idf", "spec": ">=4.2"}
one |= {"dependencies": [idf], "docs": {}, "examples": [], "license": None}
one["checksums"] = CHECKSUMS_FILENAME
ChecksumsManager(folder / "unpacked").dump(folder)
told = {"name": "heapscope", "namespace": "example", "versions": [one]}
(folder / "components" / "example" / "heapscope.json").write_text(json.dumps(told))
"""

PROJECT = (
    "cmake_minimum_required(VERSION 3.16)\ninclude($ENV{IDF_PATH}/tools/cmake/project.cmake)\n"
)


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    pack(tmp_path / "packages", "--url", "https://example.org/heapscope")
    return tmp_path / "packages"


def inside(archive: Path) -> set[str]:
    with tarfile.open(archive) as opened:
        return {member.name.removeprefix("./") for member in opened if member.isfile()}


def resolved(program: Program, folder: Path, dependency: str, **more: str) -> Path:
    """The component manager's answer for a project with this dependency: what it does when CMake
    configures, after `idf.py add-dependency` has written the line."""
    project = folder / "project"
    (project / "main").mkdir(parents=True)
    (project / "CMakeLists.txt").write_text(PROJECT, encoding="utf-8")
    (project / "main" / "CMakeLists.txt").write_text("idf_component_register()\n", encoding="utf-8")
    (project / "main" / "idf_component.yml").write_text(f"dependencies:\n{dependency}", "utf-8")
    (folder / "idf").mkdir()
    idf = {"IDF_PATH": str(folder / "idf"), "CI_TESTING_IDF_VERSION": "5.3.0"}
    idf |= {"ESP_IDF_VERSION": "5.3", "IDF_TARGET": "esp32c3"}
    idf |= {"IDF_COMPONENT_CACHE_PATH": str(folder / "cache")}
    program(
        *("-m", "idf_component_manager.prepare_components", "--project_dir", project),
        *("--interface_version", "4", "--lock_path", "dependencies.lock", "prepare_dependencies"),
        *("--managed_components_list_file", folder / "managed.cmake"),
        cwd=folder,
        **idf,
        **more,
    )
    [component] = (project / "managed_components").iterdir()
    assert f'idf_build_component("{component}"' in (folder / "managed.cmake").read_text("utf-8")
    return component


def builds(cmake, consumer: str, component: Path, folder: Path) -> None:
    (folder / "options").mkdir()
    chosen = options(component / "Kconfig", {"HEAPSCOPE_REGIONS_MAX": "9"}, folder / "options")
    stated = built(cmake, consumer, folder, "esp_idf", chosen, (f"-DCOMPONENT={component}",))
    assert stated == "guard 1 owners 1 regions 9 kinds 4\n"


def test_the_component_manager_packs_the_component_and_finds_it_in_a_registry(
    program: Program, folders: Path, version: str, cmake, consumer: str, tmp_path: Path
) -> None:
    component = folders / "esp-idf" / "heapscope"
    compote = (ENVIRONMENT / "bin" / "compote", "-W")
    program(*compote, "manifest", "lint", component, cwd=tmp_path)
    where = ("--project-dir", component, "--dest-dir", tmp_path / "dist")
    program(*compote, "component", "pack", "--name", "heapscope", *where, cwd=tmp_path)
    archive = tmp_path / "dist" / f"heapscope_{version}.tgz"
    assert inside(archive) == names(component)

    registry = tmp_path / "registry"
    program("-c", REGISTRY, archive, registry, version, cwd=tmp_path)
    storage = {"IDF_COMPONENT_LOCAL_STORAGE_URL": registry.as_uri()}
    result = resolved(program, tmp_path, f'  example/heapscope: "^{version}"\n', **storage)
    assert result.name == "example__heapscope"
    assert names(component) <= names(result)
    builds(cmake, consumer, result, tmp_path)


def test_the_component_manager_finds_the_component_in_the_repository(
    program: Program, cmake, consumer: str, tmp_path: Path
) -> None:
    need_checkout()
    place = f"  heapscope:\n    git: {ROOT.as_uri()}\n    path: device\n"
    result = resolved(program, tmp_path, place)
    assert (result.name, (result / "src/heap/heap.c").is_file()) == ("heapscope", True)
    builds(cmake, consumer, result, tmp_path)


def test_platformio_packs_the_library(
    program: Program, folders: Path, version: str, tmp_path: Path
) -> None:
    library = folders / "platformio" / "Heapscope"
    program("-c", PLATFORMIO, "pkg", "pack", library, "-o", f"{tmp_path}/", cwd=tmp_path)
    packed = inside(tmp_path / f"Heapscope-{version}.tar.gz")
    assert names(library) <= packed
    assert packed - names(library) <= {".piopm"}


def test_west_fetches_the_module_where_the_manifest_says(program: Program, tmp_path: Path) -> None:
    need_checkout()
    manifest = tmp_path / "workspace" / "application"
    manifest.mkdir(parents=True)
    one = f"name: heapscope\n      url: {ROOT.as_uri()}\n      revision: HEAD\n"
    text = f"manifest:\n  projects:\n    - {one}      path: modules/lib/heapscope\n"
    (manifest / "west.yml").write_text(text, encoding="utf-8")
    program("-m", "west", "init", "-l", manifest, cwd=tmp_path)
    program("-m", "west", "update", "--narrow", "-o=--depth=1", cwd=manifest.parent)
    stated = program("-m", "west", "list", "-f", "{name} {abspath}", cwd=manifest.parent)
    paths = dict(line.split(" ", 1) for line in stated.splitlines())
    module = Path(paths["heapscope"])
    output = (module / "zephyr" / "module.yml").read_text("utf-8")
    for key, entry in (("cmake", "CMakeLists.txt"), ("kconfig", "")):
        [place] = [
            line.split()[1] for line in output.splitlines() if line.strip().startswith(f"{key}:")
        ]
        assert (module / place / entry).exists()
