"""The C library as CMake installs it, used by a project of CMake and by one of pkg-config: the
options that it was built with reach its users. And the repository as a part of another project."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from needs import cxx_compiler, need_checkout

ROOT = Path(__file__).resolve().parents[2]
EXPECTED = "guard 1 owners 0 regions 5 kinds 4\n"

PROJECT = """
cmake_minimum_required(VERSION 3.20)
project(consumer LANGUAGES C)
find_package(heapscope @VERSION@ REQUIRED)
add_executable(consumer consumer.c)
target_link_libraries(consumer PRIVATE heapscope::@NAME@)
"""

#: The one of docs/guide/cmake.md, with a test of its own.
FETCHING = """
cmake_minimum_required(VERSION 3.20)
project(consumer VERSION 9.9 LANGUAGES C CXX)
enable_testing()
include(FetchContent)
set(HEAPSCOPE_OWNERS OFF)
set(HEAPSCOPE_REGIONS_MAX 5)
FetchContent_Declare(heapscope @PLACE@)
FetchContent_MakeAvailable(heapscope)
add_executable(consumer consumer.c)
target_link_libraries(consumer PRIVATE heapscope::heapscope)
add_executable(plus plus.cpp)
target_link_libraries(plus PRIVATE heapscope::heapscope)
add_test(NAME consumer COMMAND consumer)
install(TARGETS consumer)
"""

PLUS = """
#include "heapscope/heap.h"
alignas(8) static unsigned char memory[1024];
int main()
{
    hs_heap_t *const heap = hs_heap_create(memory, sizeof memory, nullptr);
    return hs_heap_free(heap, hs_heap_malloc(heap, 20)) == HS_OK ? 0 : 1;
}
"""


def says(program: Path) -> str:
    return subprocess.run([program], capture_output=True, text=True, check=True).stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", ["heapscope", "heapscope_device"])
def test_a_project_of_cmake_finds_it(
    installed, cmake, consumer, version, tmp_path: Path, name: str
) -> None:
    (tmp_path / "consumer.c").write_text(consumer, encoding="utf-8")
    project = PROJECT.replace("@VERSION@", version).replace("@NAME@", name)
    (tmp_path / "CMakeLists.txt").write_text(project)
    build = tmp_path / "build"
    cmake("-S", tmp_path, "-B", build, f"-DCMAKE_PREFIX_PATH={installed.prefix}")
    cmake("--build", build)
    assert says(build / "consumer") == EXPECTED


@pytest.mark.slow
def test_another_minor_version_is_not_taken(installed, cmake, version, tmp_path: Path) -> None:
    major, minor, _ = version.split(".")
    other = PROJECT.replace("@VERSION@", f"{major}.{int(minor) + 1}").replace("@NAME@", "heapscope")
    (tmp_path / "consumer.c").write_text("int main(void) { return 0; }\n")
    (tmp_path / "CMakeLists.txt").write_text(other)
    with pytest.raises(AssertionError, match="compatible with requested version"):
        cmake("-S", tmp_path, "-B", tmp_path / "b", f"-DCMAKE_PREFIX_PATH={installed.prefix}")


@pytest.mark.slow
def test_pkg_config_says_how_to_compile(
    installed, pkg_config, cc, consumer, version, tmp_path: Path
) -> None:
    where = {"PKG_CONFIG_PATH": str(installed.prefix / "lib" / "pkgconfig")}
    assert pkg_config("--modversion", "heapscope", **where).strip() == version
    flags = pkg_config("--cflags", "--libs", "heapscope", **where).split()
    (tmp_path / "consumer.c").write_text(consumer, encoding="utf-8")
    cc("-std=c11", tmp_path / "consumer.c", *flags, "-o", tmp_path / "consumer")
    assert says(tmp_path / "consumer") == EXPECTED


@pytest.mark.slow
def test_pkg_config_finds_it_where_the_folder_was_moved(
    installed, pkg_config, cc, consumer, tmp_path: Path
) -> None:
    moved = tmp_path / "moved"
    shutil.copytree(installed.prefix, moved)
    where = {"PKG_CONFIG_PATH": str(moved / "lib" / "pkgconfig")}
    flags = pkg_config("--cflags", "--libs", "heapscope", **where).split()
    assert str(installed.prefix) not in " ".join(flags)
    (tmp_path / "consumer.c").write_text(consumer, encoding="utf-8")
    cc("-std=c11", tmp_path / "consumer.c", *flags, "-o", tmp_path / "consumer")
    assert says(tmp_path / "consumer") == EXPECTED


def fetched(cmake, consumer: str, folder: Path, place: str) -> Path:
    cxx_compiler()
    (folder / "consumer.c").write_text(consumer, encoding="utf-8")
    (folder / "plus.cpp").write_text(PLUS, encoding="utf-8")
    (folder / "CMakeLists.txt").write_text(FETCHING.replace("@PLACE@", place))
    cmake("-S", folder, "-B", folder / "build", f"-DCMAKE_INSTALL_PREFIX={folder / 'prefix'}")
    cmake("--build", folder / "build")
    return folder / "build"


@pytest.mark.slow
def test_a_project_that_fetches_it_gets_the_library_and_nothing_else(
    cmake, consumer, tmp_path: Path
) -> None:
    """No lab, no test, no installation and no setting of the project's own is changed."""
    build = fetched(cmake, consumer, tmp_path, f"SOURCE_DIR {ROOT}")
    assert says(build / "consumer") == EXPECTED
    assert says(build / "plus") == ""
    results = {path.name for path in build.rglob("*") if path.suffix in {".a", ".so"}}
    assert results == {"libheapscope_device.a"}
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    assert "\nCMAKE_BUILD_TYPE:STRING=\n" in cache
    assert "\nCMAKE_PROJECT_VERSION:STATIC=9.9\n" in cache
    assert not (build / "compile_commands.json").exists()
    cmake("--install", build)
    prefix = tmp_path / "prefix"
    assert [p.relative_to(prefix) for p in prefix.rglob("*.*")] == []
    assert (prefix / "bin" / "consumer").is_file()
    tests = (build / "CTestTestfile.cmake").read_text(encoding="utf-8")
    assert tests.count("add_test(") == 1


@pytest.mark.slow
def test_a_project_fetches_it_by_git(cmake, consumer, tmp_path: Path) -> None:
    need_checkout()
    place = f"GIT_REPOSITORY file://{ROOT} GIT_TAG HEAD"
    assert says(fetched(cmake, consumer, tmp_path, place) / "consumer") == EXPECTED


def test_drop_in_sources_are_installed(installed) -> None:
    share = installed.prefix / "share" / "heapscope"
    for name in ("compat/freertos/heap_heapscope.c", "compat/libc/malloc.c", "port/bare/port.c"):
        assert (share / name).is_file(), name
