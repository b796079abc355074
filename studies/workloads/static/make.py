"""Makes firmware.elf: python studies/workloads/static/make.py

Nothing ever reads the bytes of its code, so the ELF leaves them out: 75 KB of zeros. And since the
compiler at hand knows no Xtensa, the firmware is RISC-V code, and the machine in the ELF's header
is set to Xtensa.
"""

from __future__ import annotations

import struct
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
FLAGS = "-target riscv32-freestanding-none -mcpu=generic_rv32+m -Os -g -nostdlib -ffreestanding"
XTENSA, NOBITS, EXECUTABLE = 94, 8, 4


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        linked = Path(folder) / "firmware.elf"
        command = [sys.executable, "-m", "ziglang", "cc", *FLAGS.split(), "-fno-sanitize=all"]
        command += ["-fdata-sections", f"-Wl,-T,{HERE / 'firmware.ld'}", "-o", str(linked)]
        subprocess.run([*command, str(HERE / "firmware.c")], check=True)
        (HERE / "firmware.elf").write_bytes(small(linked.read_bytes()))
    return 0


def small(elf: bytes) -> bytes:
    """The same without its code's bytes and without segments: what loads it has no need of them."""
    header = bytearray(elf[:52])
    table, entry, count = (
        struct.unpack_from("<I", elf, 32)[0],
        *struct.unpack_from("<HH", elf, 46),
    )
    rows = [list(struct.unpack_from("<10I", elf, table + entry * n)) for n in range(count)]
    kept = b""
    for row in rows:
        kind, flags, offset, size = row[1], row[2], row[4], row[5]
        row[4] = len(header) + len(kept)
        if flags & EXECUTABLE:
            row[1] = NOBITS
        elif kind != NOBITS:
            kept += elf[offset : offset + size]
    kept += b"\0" * (-len(kept) % 4)
    struct.pack_into("<H", header, 18, XTENSA)
    struct.pack_into("<III", header, 24, 0, 0, len(header) + len(kept))  # no entry, no segments
    struct.pack_into("<HH", header, 42, 0, 0)
    return bytes(header) + kept + b"".join(struct.pack("<10I", *row) for row in rows)


if __name__ == "__main__":
    sys.exit(main())
