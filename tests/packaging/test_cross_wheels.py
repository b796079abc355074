"""Wheels of all systems out of one: their tags hold, two builds give the same bytes, and each
library that can be run here answers as the others do."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest
from needs import MissingError, musl_compiler, need_path, need_program

from .conftest import path, tool

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "tests" / "packaging" / "library_answers.c"
sys.path.append(str(ROOT / "cmake" / "wheels"))

from pack import write_wheel  # noqa: E402 - the folder is a program's
from targets import TARGETS, Target  # noqa: E402

LIBRARIES = {"Linux": "libheapscope_lab.so", "Darwin": "libheapscope_lab.dylib"}
LIBRARIES |= {"Windows": "heapscope_lab.dll"}


def wheels(out: Path, *only: str, **environment: str) -> list[Path]:
    options = [word for name in only for word in ("--only", name)]
    tool("python")(ROOT / "cmake" / "wheels", out, *options, **environment)
    return sorted(out.glob("*.whl"))


@pytest.fixture(scope="session")
def built_wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the wheels of all systems."""
    out = tmp_path_factory.mktemp("wheels")
    wheels(out)
    return out


def wheel_of(target: Target, folder: Path) -> Path:
    (result,) = folder.glob(f"*-py3-none-{target.platform}.whl")
    return result


def library_of(target: Target, built_wheels: Path, folder: Path) -> Path:
    name = f"heapscope/native/{LIBRARIES[target.system]}"
    with ZipFile(wheel_of(target, built_wheels)) as archive:
        return Path(archive.extract(name, folder / target.name))


def test_the_same_files_give_the_same_wheel_whatever_their_order(tmp_path: Path) -> None:
    files = {"heapscope/a.py": b"1\n", "heapscope-1.dist-info/METADATA": b"Name: heapscope\n"}
    first = write_wheel(files, "win_amd64", "1", tmp_path / "1")
    second = write_wheel(dict(reversed(files.items())), "win_amd64", "1", tmp_path / "2")
    assert first.name == second.name == "heapscope-1-py3-none-win_amd64.whl"
    assert first.read_bytes() == second.read_bytes()
    with ZipFile(first) as archive:
        assert archive.namelist()[-1] == "heapscope-1.dist-info/RECORD"
        record = archive.read("heapscope-1.dist-info/RECORD").decode()
        assert "Tag: py3-none-win_amd64\n" in archive.read("heapscope-1.dist-info/WHEEL").decode()
    assert {line.split(",")[0] for line in record.splitlines()} == set(ZipFile(first).namelist())


@pytest.mark.slow
def test_the_recorder_is_in_the_wheels_of_linux_alone(built_wheels: Path) -> None:
    for target in TARGETS:
        with ZipFile(wheel_of(target, built_wheels)) as archive:
            native = {Path(name).name for name in archive.namelist() if "/native/" in name}
        assert LIBRARIES[target.system] in native
        assert ("libheapscope_record.so" in native) == (target.system == "Linux")


@pytest.mark.slow
def test_two_builds_give_the_same_bytes(built_wheels: Path, tmp_path: Path) -> None:
    """The second one has caches of its own, so that it compiles all anew."""
    again = ("linux-x86_64", "macos-arm64", "windows-x64")  # one of each form of library
    caches = {f"ZIG_{kind}_CACHE_DIR": str(tmp_path / kind) for kind in ("GLOBAL", "LOCAL")}
    for wheel in wheels(tmp_path / "out", *again, **caches):
        first, second = (
            hashlib.sha256(each.read_bytes()).hexdigest()
            for each in (built_wheels / wheel.name, wheel)
        )
        assert first == second, wheel.name


@pytest.fixture(scope="session")
def checkers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of the extra "wheels", in an environment of their own."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = project["optional-dependencies"]["wheels"]
    folder = tmp_path_factory.mktemp("checkers")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = [folder / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "install"]
    if subprocess.run([*pip, "--quiet", *wanted], check=False).returncode != 0:
        raise MissingError('Python packages of the extra "wheels"')
    return folder / "bin"


@pytest.mark.slow
def test_the_checkers_of_wheels_find_nothing(built_wheels: Path, checkers: Path) -> None:
    every = sorted(built_wheels.glob("*.whl"))
    ran([checkers / "twine", "check", "--strict", *every])
    # W002: CMake finds its file in the prefix, and `heapscope` its own copy in the package.
    ran([checkers / "check-wheel-contents", "--ignore", "W002", *every])
    for target in TARGETS:
        wheel = wheel_of(target, built_wheels)
        if target.platform.startswith("manylinux"):
            stated = ran([checkers / "auditwheel", "show", wheel])
            assert f'tag: "{target.platform}"' in " ".join(stated.split())
        elif target.system == "Windows":
            stated = ran([checkers / "delvewheel", "show", wheel])
            assert "The following DLLs will be copied into the wheel.\n    None" in stated


#: The names that a Mach-O file needs, and the oldest system that it says.
MACHO = """
import sys
from macholib.MachO import MachO
(header,) = MachO(sys.argv[1]).headers
print(*(name for _, _, name in header.walkRelocatables()))
for _, command, _ in header.commands:
    oldest = getattr(command, "minos", None)
    if oldest is None and type(command).__name__ == "version_min_command":
        oldest = command.version
    if oldest is not None:
        print(int(oldest) >> 16)
"""


@pytest.mark.slow
def test_a_library_for_macos_says_the_oldest_version_and_needs_the_systems_alone(
    built_wheels: Path, checkers: Path, tmp_path: Path
) -> None:
    """auditwheel's sister delocate runs on macOS alone, so its library is read here."""
    for target in (one for one in TARGETS if one.system == "Darwin"):
        library = library_of(target, built_wheels, tmp_path)
        stated = ran([checkers / "python", "-c", MACHO, library])
        assert stated.split() == ["/usr/lib/libSystem.B.dylib", "11"]


@pytest.fixture(scope="session")
def answers(built_wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The answers of this machine's own library, which the Python tests look at."""
    folder = tmp_path_factory.mktemp("answers")
    program = folder / "answers"
    built(["cc", "-D_GNU_SOURCE"], program, "-ldl")
    library = ROOT / "lab" / "heapscope" / "native" / "libheapscope_lab.so"
    stated = ran([program, library])
    assert "summary" in stated
    return stated


def built(compiler: list[str], program: Path, *more: str) -> None:
    includes = [f"-I{ROOT / folder}" for folder in ("lab/native", "device/include")]
    done = subprocess.run(
        [*compiler, *includes, SOURCE, "-o", program, *more],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def ran(command: list[str | Path], **environment: str) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        env={**os.environ, "PATH": path(), **environment},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def named(name: str) -> Target:
    return next(one for one in TARGETS if one.name == name)


def zig(target: Target) -> list[str]:
    return [sys.executable, "-m", "ziglang", "cc", "-target", target.zig]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="runs a library of Linux")
def test_the_library_of_the_wheel_for_glibc_answers_as_our_own(
    built_wheels: Path, answers: str, tmp_path: Path
) -> None:
    target = named("linux-x86_64")
    built(zig(target), tmp_path / "answers", "-ldl")
    assert ran([tmp_path / "answers", library_of(target, built_wheels, tmp_path)]) == answers


@pytest.mark.slow
def test_the_library_for_aarch64_answers_the_same_in_emulation(
    built_wheels: Path, answers: str, tmp_path: Path
) -> None:
    need_program("qemu-aarch64", package="qemu-user")
    system = need_path(Path("/usr/aarch64-linux-gnu/lib"), package="libc6-arm64-cross").parent
    target = named("linux-aarch64")
    built(zig(target), tmp_path / "answers", "-ldl")
    library = library_of(target, built_wheels, tmp_path)
    assert ran(["qemu-aarch64", "-L", system, tmp_path / "answers", library]) == answers


@pytest.mark.slow
def test_the_library_for_musl_answers_the_same(
    built_wheels: Path, answers: str, tmp_path: Path
) -> None:
    built([*musl_compiler(), "-D_GNU_SOURCE"], tmp_path / "answers")
    library = library_of(named("musl-x86_64"), built_wheels, tmp_path)
    assert ran([tmp_path / "answers", library]) == answers


@pytest.mark.slow
def test_the_library_for_windows_answers_the_same_under_wine(
    built_wheels: Path, answers: str, tmp_path: Path
) -> None:
    need_program("wine", package="wine wine64")
    target = named("windows-x64")
    program = tmp_path / "answers.exe"
    built(zig(target), program)
    library = library_of(target, built_wheels, tmp_path)
    stated = ran(
        ["wine", program, f"Z:{library}".replace("/", "\\")],
        WINEPREFIX=str(tmp_path / "wine"),
        WINEDEBUG="-all",
    )
    assert stated.replace("\r\n", "\n") == answers


#: The lines of the guide, by the program that they begin with, from the registry to a first answer.
WAYS = {
    "pip": ["{bin}/pip", "install", "--quiet", "{wheel}"],
    "pipx": ["{bin}/pipx", "install", "--quiet", "{wheel}"],
    "uvx": [
        "{bin}/uvx",
        "--quiet",
        "--python",
        "{python}",
        "--from",
        "{wheel}",
        "heapscope",
        "replay",
    ],
}

#: MB of what the installation of a wheel brings, and of all but numpy.
CORE_MAX, REST_MAX = 115, 60


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="installs a wheel of Linux")
@pytest.mark.parametrize("way", WAYS)
def test_a_fresh_installation_answers(way: str, built_wheels: Path, tmp_path: Path) -> None:
    wheel = wheel_of(named("linux-x86_64"), built_wheels)
    environment = tmp_path / "environment"
    began = time.monotonic()
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    programs = environment / "bin"
    clean = {"PIPX_HOME": str(tmp_path / "pipx"), "PIPX_BIN_DIR": str(programs)}
    clean |= {"UV_CACHE_DIR": str(tmp_path / "uv"), "UV_TOOL_DIR": str(tmp_path / "tools")}
    if way != "pip":
        pip = [programs / "pip", "--disable-pip-version-check", "install", "--quiet"]
        ran([*pip, {"pipx": "pipx", "uvx": "uv"}[way]])
    trace = ROOT / "format" / "golden" / "v1" / "names.hst"
    given = {"bin": programs, "wheel": wheel, "python": sys.executable}
    line = [word.format(**given) for word in WAYS[way]]
    if way == "uvx":
        assert "events" in ran([*line, trace], **clean)
        print(f"{way}: {time.monotonic() - began:.0f} s to the first answer")
        return
    ran(line, **clean)
    assert "events" in ran([programs / "heapscope", "replay", trace])
    print(f"{way}: {time.monotonic() - began:.0f} s to the first answer")
    if way == "pip":
        sizes = sizes_of(environment)
        whole, numpy = sum(sizes.values()), sizes["numpy"] + sizes["numpy.libs"]
        assert whole <= CORE_MAX * 1_000_000
        assert whole - numpy <= REST_MAX * 1_000_000
        assert (environment / "share" / "man" / "man1" / "heapscope.1").is_file()
        refused(programs / "heapscope", trace, tmp_path)


def sizes_of(environment: Path) -> dict[str, int]:
    """Bytes of each package, without those that an environment begins with."""
    (site,) = environment.glob("lib/python*/site-packages")
    begun = re.compile(r"pip|setuptools|pkg_resources|_distutils")
    return {
        one.name: sum(file.stat().st_size for file in one.rglob("*") if file.is_file())
        for one in site.iterdir()
        if one.is_dir() and not begun.match(one.name)
    }


def refused(heapscope: Path, trace: Path, folder: Path) -> None:
    """The verbs that need an extra name the one line that installs it, before they work; it asks
    the registry for what is there, and not for Heapscope."""
    page = folder / "page.html"
    for brought, words in {
        '"bokeh>=3.7" "jinja2>=3.1"': ["report", trace, "--pool", "64KB", "-o", page],
        '"highspy<1.16,>=1.8"': ["tune", "--chip", "esp32", "--goal", "free>=50KB"],
        '"symbolic>=12.0"': ["record", "--stacks", "4", "-o", folder / "T.hst", "--", "true"],
    }.items():
        done = subprocess.run(
            [heapscope, *words], capture_output=True, text=True, check=False, cwd=folder
        )
        assert done.returncode == 2
        assert f"remedy: pip install {brought}" in done.stderr
    assert not page.exists()
