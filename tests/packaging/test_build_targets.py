"""Heapscope's targets in builds by CMake and by PlatformIO: the real programs run the command."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.lab.static.test_static_image import esp32

from heapscope.capture.line_forms import import_text

from .conftest import ROOT, Program, Tool, path

BUILDS = ROOT / "lab" / "heapscope" / "cli" / "builds"

PROJECT = """\
cmake_minimum_required(VERSION 3.20)
project(program LANGUAGES C)
enable_testing()
find_package(heapscope-lab REQUIRED)
add_executable(program main.c)
"""
MAIN = """\
#include <stdlib.h>
#include <string.h>
int main(int count, char **words)
{
    size_t size = count > 1 ? strtoul(words[1], 0, 10) : 1000;
    char *block = malloc(size);
    memset(block, 1, size);
    int last = block[size - 1];
    free(block);
    return last - 1;
}
"""
CHECKS = """\
heapscope_check(program ARGS 5000 MEMORY --pool 64KB FAIL_ON failures=0 min_free=1KB)
heapscope_check(FILE heapscope.toml)
heapscope_report(program MEMORY --pool 64KB --allocator tlsf OUTPUT ${CMAKE_BINARY_DIR}/heap.md)
"""
BUDGETS = '[memory]\npool = "64KB"\n[budget]\nmin_free = "60KB"\n[[run]]\ntrace = "T.hst"\n'


def project(folder: Path, more: str) -> None:
    (folder / "CMakeLists.txt").write_text(PROJECT + more, encoding="utf-8")
    (folder / "main.c").write_text(MAIN, encoding="utf-8")
    (folder / "heapscope.toml").write_text(BUDGETS, encoding="utf-8")
    (folder / "T.txt").write_text("a 1 100\nf 1\na 2 30000\n", encoding="utf-8")
    import_text(folder / "T.txt", folder / "T.hst")


def configure(folder: Path, more: str) -> subprocess.CompletedProcess[str]:
    project(folder, more)
    return subprocess.run(
        ["cmake", "-S", str(folder), "-B", str(folder / "build"), f"-Dheapscope-lab_DIR={BUILDS}"],
        env={**os.environ, "CMAKE_GENERATOR": "Ninja", "PATH": path()},
        capture_output=True,
        text=True,
        check=False,
    )


FIRMWARE = """\
add_executable(firmware IMPORTED)
set_target_properties(firmware PROPERTIES IMPORTED_LOCATION "{elf}")
heapscope_ram(firmware ARGS --chip esp32 --idf 5.5 OUTPUT ${{CMAKE_BINARY_DIR}}/ram.md)
"""


@pytest.mark.slow
def test_a_target_of_cmake_shows_the_ram_of_a_firmware(cmake: Tool, tmp_path: Path) -> None:
    elf = ROOT / "studies" / "workloads" / "static" / "firmware.elf"
    done = configure(tmp_path, FIRMWARE.format(elf=elf))
    assert done.returncode == 0, done.stdout + done.stderr
    cmake("--build", tmp_path / "build", "--target", "firmware-heap-ram")
    assert "### Memories (bytes)" in (tmp_path / "build" / "ram.md").read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform != "linux", reason="the recorder is for Linux")
@pytest.mark.slow
def test_ctest_records_a_program_and_holds_its_budgets(cmake: Tool, tmp_path: Path) -> None:
    done = configure(tmp_path, CHECKS)
    assert done.returncode == 0, done.stdout + done.stderr
    cmake("--build", tmp_path / "build")
    ctest = subprocess.run(
        ["ctest", "--test-dir", str(tmp_path / "build"), "--output-on-failure"],
        env={**os.environ, "PATH": path()},
        capture_output=True,
        text=True,
        check=False,
    )
    stated = {
        line.split()[3]: "Passed" in line for line in ctest.stdout.splitlines() if " Test #" in line
    }
    assert stated == {
        "program-heap-record": True,
        "program-heap-check": True,
        "heap-check": False,  # 30 000 bytes of 64 KB are in use
    }, ctest.stdout
    assert "min_free" in ctest.stdout
    cmake("--build", tmp_path / "build", "--target", "program-heap-report")
    assert "malloc had" in (tmp_path / "build" / "heap.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("heapscope_report(other)", "there is no target 'other'"),
        ("heapscope_ram(program --chip esp32)", "unknown words: --chip;esp32"),
        ("heapscope_report(program --chip esp32)", "unknown words: --chip;esp32"),
        ("heapscope_check(program)", "no budget. Name one: FAIL_ON"),
        ("heapscope_check(FILE heapscope.toml FAIL_ON failures=0)", "Leave the rest out"),
    ],
)
@pytest.mark.cells(1)
def test_a_wrong_call_is_an_error_when_cmake_configures(
    cmake: Tool, tmp_path: Path, call: str, text: str
) -> None:
    done = configure(tmp_path, f"{call}\n")
    assert done.returncode != 0
    assert text in " ".join(done.stderr.split())


@pytest.mark.slow
def test_cmake_finds_the_package_where_a_program_beside_it_is_on_the_path(
    cmake: Tool, tmp_path: Path
) -> None:
    """An environment of Python has both, its bin on the PATH and the package in its share."""
    prefix = tmp_path / "environment"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "bin" / "heapscope").symlink_to(Path(sys.executable).with_name("heapscope"))
    place = prefix / "share" / "cmake" / "heapscope-lab"
    place.mkdir(parents=True)
    shutil.copy(BUILDS / "heapscope-lab-config.cmake", place)
    folder = tmp_path / "project"
    folder.mkdir()
    project(folder, 'message(STATUS "runs ${HEAPSCOPE_EXECUTABLE}")\n')
    done = subprocess.run(
        ["cmake", "-S", str(folder), "-B", str(folder / "build")],
        env={**os.environ, "CMAKE_GENERATOR": "Ninja", "PATH": f"{prefix / 'bin'}:{path()}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"runs {prefix}/bin/heapscope" in done.stdout


#: PlatformIO's own package of SCons is in no registry of packages, and neither are its platforms.
#: The package is made of SCons itself, and the platform is an empty one.
CORE = """
import json, sys
from pathlib import Path
from platformio.dependencies import get_core_dependencies
tool = Path(sys.argv[1]) / "pio" / "packages" / "tool-scons"
tool.mkdir(parents=True)
version = get_core_dependencies()["tool-scons"].lstrip("~^=")
spec = {"owner": "platformio", "id": None, "name": "tool-scons", "requirements": None, "uri": None}
told = {"type": "tool", "name": "tool-scons", "version": version}
(tool / ".piopm").write_text(json.dumps({**told, "spec": spec}))
(tool / "package.json").write_text(json.dumps(told))
(tool / "scons.py").write_text("from SCons.Script import main\\nmain()\\n")
"""
PLATFORM = {
    "platform.json": '{"name": "bench", "version": "1.0.0", "title": "Bench", "description": "-"}',
    "platform.py": "from platformio.public import PlatformBase\n"
    "class BenchPlatform(PlatformBase):\n    pass\n",
    "builder/main.py": "from SCons.Script import Default, DefaultEnvironment\n"
    'DefaultEnvironment().Replace(PROGNAME="program", PROGSUFFIX="")\nDefault([])\n',
}
SDKCONFIG = 'CONFIG_IDF_TARGET="esp32"\nCONFIG_LWIP_TCP_MSS=9000\n'
INI = """\
[env:host]
platform = symlink://{platform}
extra_scripts = post:heapscope_targets.py
custom_heap_memory = --pool 64KB --allocator tlsf
custom_heap_trace = T.hst
custom_heap_out = heap.md
monitor_port = /dev/no-such-port
"""


@pytest.fixture
def board(program: Program, tmp_path: Path) -> Path:
    """A project of PlatformIO, as `heapscope --print platformio` begins one."""
    program("-c", CORE, tmp_path, cwd=tmp_path)
    platform = tmp_path / "platform"
    (platform / "builder").mkdir(parents=True)
    for name, text in PLATFORM.items():
        (platform / name).write_text(text, encoding="utf-8")
    (tmp_path / "src").mkdir()
    project(tmp_path, "")
    shutil.copy(BUILDS / "platformio_targets.py", tmp_path / "heapscope_targets.py")
    (tmp_path / "platformio.ini").write_text(INI.format(platform=platform), encoding="utf-8")
    return tmp_path


@pytest.mark.slow
def test_platformio_runs_the_targets(program: Program, board: Path) -> None:
    text = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])

    def pio(target: str, code: int = 0) -> str:
        return program(*("-m", "platformio", "run", "-t", target), cwd=board, code=code, PATH=text)

    listed = program("-m", "platformio", "run", "--list-targets", cwd=board)
    for target in ("heap-report", "heap-check", "heap-live", "heap-lint", "heap-ram"):
        assert f" {target} " in listed
    pio("heap-report")
    assert "malloc had" in (board / "heap.md").read_text("utf-8")
    assert "min_free" in pio("heap-check", code=1)
    (board / "heapscope.toml").write_text(BUDGETS.replace("60KB", "20KB"), encoding="utf-8")
    assert "min_free" in pio("heap-check")
    assert "/dev/no-such-port" in pio("heap-live", code=1)
    (board / "sdkconfig").write_text(SDKCONFIG, encoding="utf-8")
    assert "LWIP_TCP_MSS" in pio("heap-lint", code=1)
    built = board / ".pio" / "build" / "host"
    built.mkdir(parents=True, exist_ok=True)
    (built / "firmware.bin").write_bytes(esp32(bluetooth=False))
    assert "The ESP32 has 532,480 B of RAM" in pio("heap-ram")


@pytest.mark.slow
def test_platformio_says_how_to_install_the_command_where_it_is_not(
    program: Program, board: Path
) -> None:
    stated = program(
        "-m", "platformio", "run", "-t", "heap-check", cwd=board, code=1, PATH="/usr/bin"
    )
    assert "remedy: pipx install 'PATH[all]'" in stated


@pytest.mark.slow
def test_the_actions_stand_beside_those_of_the_real_component_manager(
    program: Program, tmp_path: Path
) -> None:
    """ESP-IDF's tools that are in a registry bring actions of the same form to idf.py."""
    (tmp_path / "main").mkdir()
    text = "from heapscope.cli.builds.idf_extension import action_extensions\n"
    (tmp_path / "idf_ext.py").write_text(text, encoding="utf-8")
    loader = ROOT / "tests" / "lab" / "builds" / "idf_py.py"
    words = (loader, "--also", "idf_component_manager.idf_extensions")
    idf = {"IDF_PATH": str(tmp_path), "ESP_IDF_VERSION": "6.0.2", "PYTHONPATH": str(ROOT / "lab")}
    listed = program(*words, "--help", cwd=tmp_path, **idf)
    for action in ("add-dependency", "heap-report", "heap-check", "heap-live", "heap-lint"):
        assert f"  {action} " in listed
    stated = program(*words, "create-manifest", "heap-live", cwd=tmp_path, code=2, **idf)
    assert (tmp_path / "main" / "idf_component.yml").is_file()
    assert "remedy: idf.py -p PORT heap-live" in stated
