"""Regions as machine code of 32-bit chips, on the addresses of an ESP32: the memory that they need,
IRAM touched by words alone, and what is left of parts that are not compiled in."""

from __future__ import annotations

import itertools
import struct
from functools import cache
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from emulation.build import COMMON, DRIVER, build_image
from emulation.machine import FaultError, Machine
from emulation.places import HERE, run
from emulation.targets import TARGETS

ROOT = Path(__file__).parents[2]
REGIONS_DRIVER = HERE / "regions_driver.c"
#: Start and size: seeds' boot log of an ESP32 under ESP-IDF v4.2.
ESP32 = (
    (0x3FFAE6E0, 0x1920),
    (0x3FFB31F8, 0x2CE08),
    (0x3FFE0440, 0x3AE0),
    (0x3FFE4350, 0x1BCB0),
    (0x4008B2AC, 0x14D54),
)
IRAM = ESP32[4]
ARGUMENTS = 0x3000_0000
#: Those whose memory can be watched (Machine.allow_words_only).
WATCHED = ("rv32imc", "cortex-m0plus")
STEPS = 200


def sources(*parts: str) -> list[Path]:
    return [path for part in parts for path in sorted((ROOT / "device/src" / part).glob("*.c"))]


@cache
def image(name: str) -> Path:
    parts = sources("heap", "guard", "owners", "regions")
    return build_image(TARGETS[name], [DRIVER, REGIONS_DRIVER, *parts])


class Esp32:
    """A set of its five regions; the guard of a level, rows of owners (0: none)."""

    def __init__(
        self,
        name: str,
        level: int = 0,
        owners: int = 0,
        *,
        words: bool = False,
        broken: bool = False,
    ) -> None:
        self.machine = Machine(TARGETS[name], image(name))
        self.machine.map(0x3FFAE000, 0x52000)
        self.machine.map(0x4008B000, 0x15000)
        self.machine.map(ARGUMENTS, 4096)
        if words:
            self.machine.allow_words_only(*IRAM)
        self.machine.write(ARGUMENTS, struct.pack("<3I", level, owners, broken))
        assert self.machine.call("esp32_open", ARGUMENTS) == 1

    def run(self, seed: int, steps: int = STEPS) -> int:
        """The digest of all addresses; never 0."""
        digest = self.machine.call("esp32_run", seed, steps)
        assert digest != 0, seed
        return digest

    def figures(self) -> tuple[int, tuple[int, ...], tuple[int, ...], int]:
        """Bytes: the set, each heap's control, each one's bitmap, the owners."""
        self.machine.call("esp32_figures", ARGUMENTS)
        words = struct.unpack("<12I", self.machine.read(ARGUMENTS, 48))
        return words[0], words[1:6], words[6:11], words[11]


@pytest.mark.slow
def test_control_memory_of_an_esp32() -> None:
    """ESP-IDF's five heaps need 8.1 KB of control in v4.3.2 and 3.3 KB in v5.5."""
    seen = {name: Esp32(name, 0, 16).figures() for name in WATCHED}
    assert len(set(seen.values())) == 1
    own, control, bitmap, owners = seen["rv32imc"]
    print(f"set {own}, heaps {control}, bitmaps {bitmap}, table of 16 owners {owners}")
    assert own + sum(control) <= 900
    # One bit for each 8 bytes, to whole words.
    assert [abs(bits - size / 64) < 8 for bits, (_, size) in zip(bitmap, ESP32, strict=True)]
    page = (ROOT / "docs" / "guide" / "regions.md").read_text(encoding="utf-8")
    for figure in (own, *control, sum(control), own + sum(control), sum(bitmap), owners):
        assert f"{figure}" in page, figure


@pytest.mark.parametrize(("level", "owners"), [(0, 0), (3, 8)])
def test_all_processors_agree(level: int, owners: int) -> None:
    digests = {name: Esp32(name, level, owners).run(7, 1000) for name in WATCHED}
    assert len(set(digests.values())) == 1, digests


@pytest.mark.cells(2)
@pytest.mark.parametrize(("level", "owners"), [(0, 0), (0, 8), (1, 0), (3, 8)])
@pytest.mark.parametrize("name", WATCHED)
def test_iram_is_touched_by_words_alone(name: str, level: int, owners: int) -> None:
    """By malloc, calloc, realloc also from and to other memory, free, walk, check and guard."""
    Esp32(name, level, owners, words=True).run(11)


@pytest.mark.parametrize("name", WATCHED)
def test_other_memory_is_not(name: str) -> None:
    """So the memory of the test above does fault."""
    with pytest.raises(FaultError, match=r"of [12] bytes? at 0x40|of [12] bytes at 0x40"):
        Esp32(name, words=True, broken=True).run(11)


def compile_here(source: Path, out: Path, *flags: str | Path) -> None:
    run("cc", "-O0", *COMMON, *flags, "-Wall", "-Wextra", "-Werror", "-c", source, "-o", out)


def objects(folder: Path, guard: int, owners: int) -> dict[str, tuple[int, set[str]]]:
    """The bytes that each file adds to an image, and the functions that it calls. This machine's
    compiler is there and fast, and a file that adds nothing here adds nothing everywhere."""
    built = {}
    for source in sources("guard", "owners", "regions"):
        out = folder / f"{source.stem}-{guard}{owners}.o"
        compile_here(source, out, f"-DHS_GUARD={guard}", f"-DHS_OWNERS={owners}")
        with out.open("rb") as file:
            elf = ELFFile(file)
            sections = [s for s in elf.iter_sections() if not s.name.startswith(".note")]
            size = sum(s["sh_size"] for s in sections if s["sh_flags"] & 2)
            tables = [s for s in sections if isinstance(s, SymbolTableSection)]
            symbols = [symbol for table in tables for symbol in table.iter_symbols()]
            called = {s.name for s in symbols if s["st_shndx"] == "SHN_UNDEF" and s.name}
        built[f"{source.parent.name}/{source.stem}"] = (size, called)
    return built


@pytest.mark.slow
def test_what_is_left_out_is_nothing(tmp_path: Path) -> None:
    sizes = {}
    for guard, owners in itertools.product((0, 1), repeat=2):
        built = objects(tmp_path, guard, owners)
        calls = set().union(*(called for _, called in built.values()))
        for part, left_out in (("owners", not owners), ("guard", not guard and not owners)):
            size = sum(size for name, (size, _) in built.items() if name.startswith(part))
            assert (size == 0) is left_out, (part, guard, owners, size)
            assert not left_out or not any(name.startswith(f"hs_{part}_") for name in calls)
        sizes[guard, owners] = sum(size for size, _ in built.values())
    assert sizes[0, 0] < min(sizes[0, 1], sizes[1, 0])
    assert sizes[1, 1] == max(sizes.values())
    # The remaining files work without them.
    for source in sources("heap"):
        compile_here(source, tmp_path / f"{source.stem}-00.o")
    parts = [*tmp_path.glob("*-00.o")]
    for test in ("test_regions_alias", "test_regions_add"):
        flags = ("-std=c11", "-O1", "-no-pie", "-DHS_GUARD=0", "-DHS_OWNERS=0")
        include = ("-I", ROOT / "device" / "include")
        source = Path(__file__).with_name(f"{test}.c")
        run("cc", *flags, *include, source, *parts, "-o", tmp_path / test)
        run(tmp_path / test)
