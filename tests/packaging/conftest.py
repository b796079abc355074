"""The tests of packages share these: the tools, and one installation of the C library."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from needs import MissingError, c_compiler, need_program

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT))  # for what they import of emulation/ and of here

Tool = Callable[..., str]
Program = Callable[..., str]

#: Where the programs of package managers are installed.
ENVIRONMENT = ROOT / "build" / "packing"

#: The work of every consumer: a heap, a block, and which parts it was compiled with.
CONSUMER = """
#include <stdio.h>
#include "heapscope/regions.h"
static unsigned long long memory[1024];
int main(void)
{
    static const hs_memory_t ram = {.name = "ram", .caps = {HS_CAP_8BIT | HS_CAP_32BIT}};
    const hs_region_t table = {.memory = &ram, .start = memory, .size = sizeof memory};
    hs_regions_t *set = hs_regions_create(&table, 1, NULL, NULL, 0);
    void *block = set != NULL ? hs_regions_malloc(set, 100, HS_CAP_8BIT) : NULL;
    if (block == NULL || hs_regions_free(set, block) != HS_OK) {
        return 1;
    }
    printf("guard %d owners %d regions %d kinds %d\\n", HS_GUARD, HS_OWNERS, HS_REGIONS_MAX,
           HS_KINDS_MAX);
    return 0;
}
"""


def tool(name: str) -> Tool:
    """A program that every machine has, or that lies beside this Python."""
    beside = Path(sys.executable).with_name(name)
    result = beside if beside.exists() else name

    def run(*arguments: str | Path, **more: str) -> str:
        done = subprocess.run(
            [str(result), *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "CMAKE_GENERATOR": "Ninja", **more, "PATH": path()},
        )
        assert done.returncode == 0, f"{name} {arguments}\n{done.stdout}{done.stderr}"
        return done.stdout

    return run


def path() -> str:
    """Beside this Python lie cmake and ninja as wheels."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])


@pytest.fixture(scope="session")
def cmake() -> Tool:
    return tool("cmake")


@pytest.fixture(scope="session")
def cc() -> Tool:
    command, *options = c_compiler()
    run = tool(command)
    return lambda *arguments, **more: run(*options, *arguments, **more)


@pytest.fixture(scope="session")
def nm() -> Tool:
    return tool("nm")


@dataclass(frozen=True)
class Installed:
    """The C library, as CMake installs it; built without owners, with 5 regions at most."""

    prefix: Path
    build: Path


@pytest.fixture(scope="session")
def installed(cmake: Tool, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    build = tmp_path_factory.mktemp("build")
    prefix = tmp_path_factory.mktemp("prefix")
    cmake(
        *("-S", ROOT, "-B", build, f"-DCMAKE_INSTALL_PREFIX={prefix}"),
        *("-DCMAKE_INSTALL_LIBDIR=lib", "-DCMAKE_BUILD_TYPE=Debug"),
        *("-DHEAPSCOPE_OWNERS=OFF", "-DHEAPSCOPE_REGIONS_MAX=5"),
    )
    cmake("--build", build, "--target", "heapscope_device")
    cmake("--install", build)
    return Installed(prefix, build)


@pytest.fixture(scope="session")
def pkg_config() -> Tool:
    need_program("pkg-config", package="pkgconf")
    return tool("pkg-config")


@pytest.fixture(scope="session")
def consumer() -> str:
    return CONSUMER


@pytest.fixture(scope="session")
def version() -> str:
    """The one that all others must be."""
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    match = re.search(r"^project\(heapscope VERSION ([\d.]+)", text, re.MULTILINE)
    assert match is not None
    return match[1]


@pytest.fixture(scope="session")
def program() -> Program:
    """Runs Python in the environment, which is made when the extra's list is another. `code`: as it
    has to end."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = "\n".join(project["optional-dependencies"]["packages"])
    folder, built = ENVIRONMENT, ENVIRONMENT / "made"
    python = folder / "bin" / "python"
    if not built.exists() or built.read_text("utf-8") != wanted:
        folder.parent.mkdir(exist_ok=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        done = subprocess.run([*pip, *wanted.splitlines()], capture_output=True, check=False)
        if done.returncode != 0:
            raise MissingError(f'Python packages of the extra "packages": {done.stderr.decode()}')
        built.write_text(wanted, encoding="utf-8")

    def run(*arguments: str | Path, cwd: Path, code: int = 0, **more: str) -> str:
        path = os.pathsep.join([str(python.parent), os.environ["PATH"]])
        home = {
            "HOME": str(cwd),
            "IDF_TOOLS_PATH": str(cwd),
            "PLATFORMIO_CORE_DIR": str(cwd / "pio"),
        }
        done = subprocess.run(
            [str(python), *map(str, arguments)],
            cwd=cwd,
            env={**os.environ, **home, "PATH": path, **more},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run
