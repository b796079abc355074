"""The C library as CMake installs it, used by a project of CMake and by one of pkg-config: the
options that it was built with reach its users."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

EXPECTED = "guard 1 owners 0 regions 5 kinds 4\n"

PROJECT = """
cmake_minimum_required(VERSION 3.20)
project(consumer LANGUAGES C)
find_package(heapscope @VERSION@ REQUIRED)
add_executable(consumer consumer.c)
target_link_libraries(consumer PRIVATE heapscope::heapscope_device)
"""


def says(program: Path) -> str:
    return subprocess.run([program], capture_output=True, text=True, check=True).stdout


@pytest.mark.slow
def test_a_project_of_cmake_finds_it(installed, cmake, consumer, version, tmp_path: Path) -> None:
    (tmp_path / "consumer.c").write_text(consumer, encoding="utf-8")
    (tmp_path / "CMakeLists.txt").write_text(PROJECT.replace("@VERSION@", version))
    build = tmp_path / "build"
    cmake("-S", tmp_path, "-B", build, f"-DCMAKE_PREFIX_PATH={installed.prefix}")
    cmake("--build", build)
    assert says(build / "consumer") == EXPECTED


def test_another_minor_version_is_not_taken(installed, cmake, version, tmp_path: Path) -> None:
    major, minor, _ = version.split(".")
    other = PROJECT.replace("@VERSION@", f"{major}.{int(minor) + 1}")
    (tmp_path / "consumer.c").write_text("int main(void) { return 0; }\n")
    (tmp_path / "CMakeLists.txt").write_text(other)
    with pytest.raises(AssertionError, match="compatible with requested version"):
        cmake("-S", tmp_path, "-B", tmp_path / "b", f"-DCMAKE_PREFIX_PATH={installed.prefix}")


def test_pkg_config_says_how_to_compile(
    installed, pkg_config, cc, consumer, version, tmp_path: Path
) -> None:
    where = {"PKG_CONFIG_PATH": str(installed.prefix / "lib" / "pkgconfig")}
    assert pkg_config("--modversion", "heapscope", **where).strip() == version
    flags = pkg_config("--cflags", "--libs", "heapscope", **where).split()
    (tmp_path / "consumer.c").write_text(consumer, encoding="utf-8")
    cc("-std=c11", tmp_path / "consumer.c", *flags, "-o", tmp_path / "consumer")
    assert says(tmp_path / "consumer") == EXPECTED


def test_drop_in_sources_are_installed(installed) -> None:
    share = installed.prefix / "share" / "heapscope"
    for name in ("compat/freertos/heap_heapscope.c", "compat/libc/malloc.c", "port/bare/port.c"):
        assert (share / name).is_file(), name
