"""The objects that go into a recorded program: the built ones, and the 32-bit one on first use."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import shlex
import shutil
import struct
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from heapscope.base.child_process import python_module, run
from heapscope.base.errors import HeapscopeError
from heapscope.base.interrupt import scratch_folder
from heapscope.native.library import library_path

PRELOAD = "libheapscope_record.so"
ATTACH = "libheapscope_attach.so"
LINKED = "heapscope_record.o"
_HOST = struct.calcsize("P")  # bytes of a pointer: of the objects that the build made

#: e_machine by what the system calls its processor: of its own word size, and of 32 bit.
_MACHINES = {
    "x86_64": ("EM_X86_64", "EM_386"),
    "i686": ("EM_386",),
    "i386": ("EM_386",),
    "aarch64": ("EM_AARCH64",),
    "riscv64": ("EM_RISCV",),
}


@dataclass(frozen=True, kw_only=True)
class Linked:
    """The object that a static program is linked with."""

    object: Path
    options: Path  # a file with the linker's options


class Objects:
    """Beside the native library; what is built on first use is kept in the user's cache."""

    def __init__(self) -> None:
        self._folder = library_path().parent

    @property
    def machines(self) -> tuple[str, ...]:
        return _MACHINES.get(platform.machine(), ())

    @property
    def sources(self) -> Path:
        return self._folder / "record"

    def preload(self, word_size: int) -> Path:
        """The object for programs of that word size, built if need be. HeapscopeError: it cannot
        be."""
        if word_size == _HOST:
            return self._there(self._folder / PRELOAD)
        return self._built(self.preload32_path, linked=False)

    def attach(self) -> Path:
        """The object for programs that run already, of this machine's word size."""
        if "EM_X86_64" not in self.machines:
            raise HeapscopeError(
                f"a running program can be recorded on x86-64, not on {platform.machine()}",
                remedy="start it with heapscope record",
            )
        return self._there(self._folder / ATTACH)

    @cached_property
    def preload32_path(self) -> Path:
        """Where the 32-bit object is or will be."""
        return self._cache / "libheapscope_record32.so"

    def linked(self, word_size: int) -> Linked:
        """The same as preload(), for static programs."""
        name = self._folder / LINKED
        result = (
            self._there(name)
            if word_size == _HOST
            else self._built(self._cache / "heapscope_record32.o", linked=True)
        )
        return Linked(object=result, options=self.sources / "preload" / "wrap.txt")

    def _there(self, path: Path) -> Path:
        if not self.machines or sys.platform != "linux":
            raise HeapscopeError(
                f"programs are recorded on Linux, not on {sys.platform} ({platform.machine()})",
                remedy="record there; the trace can be looked at everywhere",
            )
        if not path.is_file():
            raise HeapscopeError(
                f"the recorder's object is missing: {path}",
                remedy="reinstall Heapscope from its wheel, or in its source: make",
            )
        return path

    # ---- the 32-bit ones ----

    @cached_property
    def _cache(self) -> Path:
        """One folder for each state of the sources."""
        state = hashlib.sha256()
        for path in self._files():
            state.update(path.name.encode() + b"\0" + path.read_bytes())
        home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
        return Path(home) / "heapscope" / f"record-{state.hexdigest()[:16]}"

    def _files(self) -> list[Path]:
        results = [self.sources.glob("*.h"), self.sources.glob("preload/*")]
        return sorted(path for paths in results for path in paths if path.is_file())

    def _built(self, target: Path, *, linked: bool) -> Path:
        if target.is_file():
            return target
        if "EM_386" not in self.machines:
            raise HeapscopeError(
                f"this machine ({platform.machine()}) runs no 32-bit programs that can be recorded"
            )
        reported = []
        for compiler in _compilers():
            message = self._build(compiler, target, linked=linked)
            if message is None:
                return target
            reported.append(f"{shlex.join(compiler)}: {message}")
        raise HeapscopeError(
            "the object for 32-bit programs cannot be built: "
            + (
                "; ".join(reported)
                if reported
                else "there is no C compiler (cc, gcc, clang, ziglang)"
            ),
            remedy="install one (Debian package: gcc), or: pip install ziglang",
        )

    def _build(self, compiler: list[str], target: Path, *, linked: bool) -> str | None:
        """None: it is there; else what the compiler said."""
        sources = [str(path) for path in self._files() if path.suffix == ".c"]
        text = (self.sources / "preload" / "flags.txt").read_text(encoding="utf-8")
        flags = [line for line in text.splitlines() if line.startswith("-")]
        kind = ["-r", "-DHS_REC_LINKED"] if linked else ["-shared"]
        include = f"-I{self.sources / 'include'}"
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with scratch_folder(within=str(target.parent)) as folder:
                built = Path(folder) / target.name
                command = [
                    *compiler,
                    *flags,
                    *kind,
                    "-nostdlib",
                    include,
                    *sources,
                    "-o",
                    str(built),
                ]
                done = run(command, capture_output=True, encoding="utf-8", errors="replace")
                if done.returncode != 0:
                    lines = done.stderr.strip().splitlines()
                    return lines[0][:200] if lines else f"exit code {done.returncode}"
                built.replace(target)  # whole or not at all, whoever else builds it
        except OSError as error:
            return str(error)
        return None


def _compilers() -> list[list[str]]:
    """Those that there are, best first. No header or library of 32 bit is needed."""
    named = shlex.split(os.environ.get("CC", ""))
    result = [[*named, "-m32"]] if named else []
    result += [[path, "-m32"] for name in ("cc", "gcc", "clang") if (path := shutil.which(name))]
    if importlib.util.find_spec("ziglang") is not None:
        zig = python_module("ziglang", "cc", "-target", "x86-linux-gnu")
        result.append(zig)
    return result
