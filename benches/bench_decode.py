"""How fast traces are decoded, on one core, and how many bytes an event takes."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from traces import ROOT, name, paths, repeated

ROUNDS = 7
SOURCES = ("benches/decode.c", "lab/native/trace/*.c", "device/src/trace/*.c")
FLAGS = ("-std=c11", "-O2", "-flto", "-Ilab/native", "-Idevice/include")


def build(folder: Path) -> Path:
    program = folder / "decode"
    files = [str(file) for pattern in SOURCES for file in sorted(ROOT.glob(pattern))]
    compiler = os.environ.get("CC", "cc").split()
    subprocess.run([*compiler, *FLAGS, *files, "-o", str(program)], cwd=ROOT, check=True)
    return program


def main() -> None:
    print(f"flags {' '.join(FLAGS)}; processor time, best of {ROUNDS}; CRC included")
    print(f"{'trace':<20} {'events':>10} {'bytes/event':>11} {'ns/event':>9} {'M events/s':>11}")
    with tempfile.TemporaryDirectory() as folder:
        program = build(Path(folder))
        for path in paths():
            data, _ = repeated(path)
            file = Path(folder) / "trace.hst"
            file.write_bytes(data)
            command = [str(program), str(file), str(ROUNDS)]
            out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            events, best, size = (float(word) for word in out.split())
            print(
                f"{name(path):<20} {events:>10,.0f} {size / events:>11.2f} "
                f"{best * 1e9 / events:>9.1f} {events / best / 1e6:>11.1f}"
            )


if __name__ == "__main__":
    main()
