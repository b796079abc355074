"""Makes the wheels of all systems on this one: `python cmake/wheels FOLDER`, as `make wheels` does.

The Python files come from the wheel that scikit-build-core makes without running CMake, so that its
metadata has one source. The native files come from zig, which has all systems' C libraries."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from native import ROOT, ZIG, build_native
from pack import read_folder, read_pure, write_wheel
from targets import TARGETS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="the folder for the wheels")
    parser.add_argument("--only", action="append", choices=[one.name for one in TARGETS])
    parser.add_argument("--work", type=Path, help="build here, and keep it")
    options = parser.parse_args()
    out = options.out.resolve()
    zig = subprocess.run(
        [ZIG, "version"], capture_output=True, text=True, check=True
    ).stdout.strip()
    with tempfile.TemporaryDirectory() as temporary:
        work = (options.work or Path(temporary)).resolve()
        work.mkdir(parents=True, exist_ok=True)
        python_files = read_pure(_pure_wheel(work))
        for target in TARGETS:
            if options.only and target.name not in options.only:
                continue
            native_files = read_folder(build_native(target, work / target.name))
            files = {**python_files, **native_files}
            wheel = write_wheel(files, target.platform, zig, out)
            print(f"{wheel.name}: {wheel.stat().st_size:,} B", flush=True)


def _pure_wheel(work: Path) -> Path:
    """The wheel of the Python files alone."""
    from scikit_build_core.build import build_wheel

    os.chdir(ROOT)
    sys.stdout.flush()
    name = build_wheel(str(work), {"wheel.cmake": "false"})
    return work / name


if __name__ == "__main__":
    main()
