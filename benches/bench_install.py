"""From a wheel to a first answer: how long, how much, and how quickly a command starts.

    python benches/bench_install.py [WHEEL]

Without a wheel one is built from this tree. It is installed by pip into an environment of its own,
with what it needs from the registry. A start is the processor time of a whole process, the best of
TIMES.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TRACE = ROOT / "format" / "golden" / "v1" / "kinds0.hst"
TIMES = 12
#: A new environment has these.
BEGUN = ("pip", "setuptools")
STARTS = {
    "Python alone": ["-c", "pass"],
    "--version": ["-m", "heapscope", "--version"],
    "--help": ["-m", "heapscope", "--help"],
    "replay --help": ["-m", "heapscope", "replay", "--help"],
    "contents, with the answer": ["-m", "heapscope", "replay", str(TRACE)],
    "replay, with the answer": ["-m", "heapscope", "replay", str(TRACE), "--pool", "64KB"],
}


def main(arguments: Sequence[str]) -> int:
    if len(arguments) > 1:
        print(__doc__, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as created:
        folder = Path(created)
        wheel = Path(arguments[0]) if arguments else built(folder)
        began = time.monotonic()
        python = installed(wheel, folder / "environment")
        installing = time.monotonic() - began
        run([python, *STARTS["replay, with the answer"]])
        answering = time.monotonic() - began - installing
        print(f"wheel                         {wheel.stat().st_size / 1e6:8.1f} MB")
        print(f"an environment and pip        {installing:8.1f} s on the clock")
        print(f"the first answer, after it    {answering:8.1f} s on the clock")
        show_sizes(folder / "environment")
        show_starts(python)
    return 0


def built(folder: Path) -> Path:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet"]
    run([*pip, "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)])
    (wheel,) = folder.glob("heapscope-*.whl")
    return wheel


def installed(wheel: Path, environment: Path) -> str:
    run([sys.executable, "-m", "venv", str(environment)])
    python = str(environment / "bin" / "python")
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    run([*pip, str(wheel)])
    return python


def show_sizes(environment: Path) -> None:
    """The bytes of every distribution, with what Python compiled of it at the installation."""
    (site,) = environment.glob("lib/python*/site-packages")
    sizes = {
        str(one.metadata["Name"]): sum(
            Path(str(file.locate())).stat().st_size
            for file in one.files or ()
            if Path(str(file.locate())).is_file()
        )
        for one in distributions(path=[str(site)])
        if one.metadata["Name"] not in BEGUN
    }
    whole = sum(sizes.values())
    print(f"\n{'installed':<30}{whole / 1e6:8.1f} MB")
    print(f"{'without numpy':<30}{(whole - sizes['numpy']) / 1e6:8.1f} MB")
    for name, size in sorted(sizes.items(), key=lambda one: -one[1]):
        if size >= 100_000:
            print(f"  {name:<28}{size / 1e6:8.1f} MB")


def show_starts(python: str) -> None:
    print()
    for name, words in STARTS.items():
        best = min(started([python, *words]) for _ in range(TIMES))
        print(f"{name:<30}{best:8.3f} s of the processor")


def started(command: Sequence[str]) -> float:
    nowhere = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    process = os.posix_spawn(command[0], command, os.environ, file_actions=nowhere)
    _, status, used = os.wait4(process, 0)
    if status:
        raise SystemExit(f"{' '.join(command)}: {status}")
    return used.ru_utime + used.ru_stime


def run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
