"""The native files of one system, cross-built by zig with the CMakeLists.txt that every other build
uses."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import ziglang

from targets import Target

ROOT = Path(__file__).resolve().parents[2]
ZIG = Path(ziglang.__file__).with_name("zig")

#: Programs of the compiler's family that CMake calls by a single path.
_TOOLS = ("ar", "ranlib", "dlltool")


def build_native(target: Target, folder: Path) -> Path:
    """Builds in `folder`, which is emptied, and returns the folder with what is in the wheel."""
    shutil.rmtree(folder, ignore_errors=True)
    build, staged = folder / "build", folder / "staged"
    toolchain = _toolchain(target, folder)
    _run(
        *("cmake", "-S", str(ROOT), "-B", str(build), "-G", "Ninja"),
        f"-DCMAKE_MAKE_PROGRAM={_beside('ninja')}",
        f"-DCMAKE_TOOLCHAIN_FILE={toolchain}",
        "-DCMAKE_BUILD_TYPE=Release",
        "-DSKBUILD=ON",
        "-DSKBUILD_STATE=wheel",
        f"-DSKBUILD_DATA_DIR=heapscope-{_version()}.data/data",
        f"-DPython_EXECUTABLE={sys.executable}",
    )
    _run("cmake", "--build", str(build))
    _run("cmake", "--install", str(build), "--prefix", str(staged))
    return staged


def _version() -> str:
    """The one place of the version is the project's CMakeLists.txt."""
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    match = re.search(r"^project\(heapscope VERSION ([0-9.]+)", text, re.MULTILINE)
    if match is None:
        sys.exit("CMakeLists.txt: no version")
    return match[1]


def _toolchain(target: Target, folder: Path) -> Path:
    """The file that tells CMake of the compiler. No debugging information is made, since it names
    the folder of the build."""
    tools = folder / "tools"
    tools.mkdir(parents=True)
    lines = {"cc": f'"{ZIG}" cc -target {target.zig} -g0 "$@"'}
    lines |= {name: f'"{ZIG}" {name} "$@"' for name in _TOOLS}
    for name, line in lines.items():
        (tools / name).write_text(f"#!/bin/sh\nexec {line}\n", encoding="utf-8")
        (tools / name).chmod(0o755)
    settings = {
        "CMAKE_SYSTEM_NAME": target.system,
        "CMAKE_SYSTEM_PROCESSOR": target.processor,
        "CMAKE_C_COMPILER": tools / "cc",
        "CMAKE_AR": tools / "ar",
        "CMAKE_C_COMPILER_AR": tools / "ar",
        "CMAKE_RANLIB": tools / "ranlib",
        "CMAKE_C_COMPILER_RANLIB": tools / "ranlib",
        "CMAKE_DLLTOOL": tools / "dlltool",
        "CMAKE_SHARED_LINKER_FLAGS_INIT": "-s",
    }
    built = folder / "toolchain.cmake"
    built.write_text(
        "".join(f'set({name} "{value}")\n' for name, value in settings.items()), encoding="utf-8"
    )
    return built


def _beside(name: str) -> str:
    """Beside this Python lie cmake and ninja as wheels."""
    result = Path(sys.executable).with_name(name)
    return str(result) if result.exists() else name


def _run(program: str, *arguments: str) -> None:
    done = subprocess.run(
        [_beside(program), *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"{program} {' '.join(arguments)}\n{done.stdout}{done.stderr}")
