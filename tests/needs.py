"""Needs of a test beyond a bare machine, which has Python with the extra "dev", a C compiler,
make and git. Each is asked for by using it, for a program may be there and not run, and a compiler
may compile what it cannot link.

    need_program("fish", package="fish")       in a test or a fixture, before it is used

MissingError names what is missing and the Debian package that has it. A test that meets one, from
here or from what the test calls, is skipped by tests/conftest.py; with HEAPSCOPE_ALL=1 it fails.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

__all__ = [
    "MissingError",
    "c_compiler",
    "cxx_compiler",
    "musl_compiler",
    "need_32_bits",
    "need_checkout",
    "need_header",
    "need_path",
    "need_program",
    "need_root",
    "need_rust_sources",
    "need_static_library",
    "need_thread_sanitizer",
]

ROOT = Path(__file__).resolve().parents[1]
SANITIZER = "a thread sanitizer that runs here"
PROGRAM = "#include <stdio.h>\nint main(void) { return fflush(NULL); }\n"
PLUS = '#include <string>\nint main(int n, char **) { return std::to_string(n) != "1"; }\n'


class MissingError(Exception):
    """Something is not on this machine; the message names it and what brings it. Other folders have
    a MissingError of their own, which does the same to a test."""


def c_compiler() -> list[str]:
    """The C compiler with its options."""
    return shlex.split(os.environ.get("CC", "")) or ["cc"]


def cxx_compiler() -> list[str]:
    command = shlex.split(os.environ.get("CXX", "")) or ["g++"]
    _need_builds((*command, "-x", "c++"), PLUS, f"{command[0]}; Debian package: g++")
    return command


def need_32_bits() -> None:
    _need_c("-m32", "programs of 32 bit; Debian package: gcc-multilib")


def need_static_library() -> None:
    _need_c("-static", "a C library to link statically; Debian package: libc6-dev")


def need_thread_sanitizer() -> None:
    _need_c("-fsanitize=thread", f"{SANITIZER}; Debian package: libtsan2, or libclang-rt-dev")


def musl_compiler() -> list[str]:
    _need_builds(("musl-gcc", "-x", "c"), PROGRAM, "musl-gcc; Debian package: musl-tools")
    return ["musl-gcc"]


def need_header(name: str, *flags: str, package: str) -> None:
    command = (*c_compiler(), *flags, "-E", "-x", "c", "-", "-o", os.devnull)
    if not _succeeds(*command, given=f"#include <{name}>\n"):
        raise MissingError(f"{name}; Debian package: {package}")


def need_program(*names: str, package: str, ask: str = "--version") -> str:
    """The path of the first of these programs that answers."""
    for name in names:
        if _succeeds(name, ask):
            return shutil.which(name) or name
    raise MissingError(f"{names[0]}; Debian package: {package}")


def need_path(path: Path, *, package: str) -> Path:
    if not path.exists():
        raise MissingError(f"{path}; Debian package: {package}")
    return path


def need_root() -> None:
    if os.name != "posix" or os.geteuid() != 0:
        raise MissingError("the rights of root")


def need_checkout() -> None:
    """A clone, not the files alone."""
    if not _succeeds("git", "-C", str(ROOT), "rev-parse", "--git-dir"):
        raise MissingError("a git checkout; Debian package: git")


def need_rust_sources() -> Path:
    """A cargo beside whose compiler the sources of Rust's library are, which it can compile for a
    chip."""
    for folder in (*os.environ["PATH"].split(os.pathsep), "/usr/bin"):
        cargo, rustc = Path(folder, "cargo"), Path(folder, "rustc")
        if _succeeds(str(cargo), "--version") and _succeeds(str(rustc), "--version"):
            command = (str(rustc), "--print", "sysroot")
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            library = Path(done.stdout.strip(), "lib", "rustlib", "src", "rust", "library")
            if (library / "Cargo.lock").is_file():
                return cargo
    raise MissingError("the sources of Rust's library; Debian package: rust-web-src")


def _need_c(flag: str, what: str) -> None:
    _need_builds((*c_compiler(), flag, "-x", "c"), PROGRAM, what)


def _need_builds(command: tuple[str, ...], text: str, what: str) -> None:
    if not _builds(command, text):
        raise MissingError(what)


@cache
def _builds(command: tuple[str, ...], text: str) -> bool:
    """Does a program compile, link and run?"""
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "program")
        return _succeeds(*command, "-", "-o", program, given=text) and _succeeds(program)


@cache
def _succeeds(*command: str, given: str = "") -> bool:
    try:
        done = subprocess.run(command, input=given.encode(), capture_output=True, check=False)
    except OSError:
        return False
    return done.returncode == 0
