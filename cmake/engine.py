"""Builds the lab's library as WebAssembly, for pages: the same C files, with zig as the compiler.

Called with the root of the source tree and the file to write. The bytes are a function of the
sources and of zig's version: no path, no time and no name of a machine is in them.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

#: Functions of the interface, and what a caller needs to hand over memory.
DECLARED = re.compile(r"\b(hs_lab_\w+)\(")
MEMORY = ("malloc", "free")

FLAGS = (
    *("--target=wasm32-wasi", "-mexec-model=reactor", "-std=c11", "-O2", "-flto"),
    *("-DNDEBUG", "-DHS_ENDS=1", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror"),
    *("-Idevice/include", "-Ilab/models", "-Ilab/native", "-Wl,--strip-all"),
)


def sources(root: Path) -> list[str]:
    """All that the desk's library has, without the recorder of Linux programs."""
    results = [
        *root.glob("device/src/**/*.c"),
        *root.glob("lab/models/*.c"),
        *root.glob("lab/native/*/*.c"),
    ]
    return sorted(path.relative_to(root).as_posix() for path in results)


def exports(root: Path) -> list[str]:
    """The functions of lab.h and heard.h. Those of record.h are of Linux programs."""
    headers = [(root / f"lab/native/lab/{name}.h").read_text("utf-8") for name in ("lab", "heard")]
    return [*MEMORY, *sorted(set(DECLARED.findall("".join(headers))))]


def build(root: Path, out: Path) -> None:
    """The paths are relative to the root, so that none of them depends on where it is."""
    wanted = [f"-Wl,--export={name}" for name in exports(root)]
    command = [sys.executable, "-m", "ziglang", "cc", *FLAGS, *wanted, *sources(root)]
    done = subprocess.run(
        [*command, "-o", str(out.resolve())], cwd=root, capture_output=True, text=True
    )
    if done.returncode != 0:
        sys.exit(f"{out}: the engine of the pages cannot be built:\n{done.stderr}")


if __name__ == "__main__":
    build(Path(sys.argv[1]).resolve(), Path(sys.argv[2]))
