"""docs/reference/chips.md, made from the chips' data."""

from __future__ import annotations

from collections.abc import Iterator

from pages import make

from heapscope.layout.chip_data import VersionData
from heapscope.layout.chips import Chip, chip_names, load_chip
from heapscope.layout.layout import Region

HEAD = """\
# Chips

`make generated` makes this page from [the chips' files](../../lab/heapscope/data/chips/README.md),
which name their sources. [The design](../design/regions.md) says how a region is chosen.

Regions are those of `--chip C --idf V` and nothing else, in the order in which they are tried:
size in bytes and kind of memory. *stack*: holds start-up stacks, a heap only once the scheduler
runs. *words*: cannot be accessed by bytes. `--boot-log` takes a real device's regions instead.

`head-2026-07` is ESP-IDF's development branch of July 2026 and no release (`--idf 6.0`).
"""

DEFAULTS = """\
Only the ESP32 has default regions from a real device. Those of the other chips are its memory map
less what is reserved, with the static use of a minimal ESP32 firmware (45,740 bytes of code, 12,792
of data) and its start-up use (15,504 bytes); with `--static-iram`, `--static-dram` or `--boot-log`
they are your firmware's.
"""


def markdown() -> str:
    chips = [load_chip(name) for name in chip_names()]
    return "\n".join([HEAD, _overview(chips), DEFAULTS, *(_section(chip) for chip in chips)])


def _overview(chips: list[Chip]) -> str:
    """Chip by version: which allocator the device has, and whether the model was compared."""
    versions = sorted({version for chip in chips for version in chip.versions})
    rows = [f"| chip | {' | '.join(versions)} |", "| --- |" + " --- |" * len(versions)]
    for chip in chips:
        known = {version.name: version for version in chip.data.versions}
        cells = (_verdict(known.get(version)) for version in versions)
        rows.append(f"| [{chip.title}](#{chip.title.lower()}) | {' | '.join(cells)} |")
    return "\n".join([*rows, ""])


def _verdict(version: VersionData | None) -> str:
    if version is None:
        return ""
    if version.rom_allocator:
        return "unverified: allocator in ROM"
    return "unverified: size of tables" if version.unverified else version.allocator


def _section(chip: Chip) -> str:
    rows = ["| version | regions | options |", "| --- | --- | --- |"]
    for version in chip.data.versions:
        regions = chip.layout(idf=version.name).regions
        shown = ", ".join(_region(region) for region in regions)
        rows.append(f"| {version.label} | {shown} | {'; '.join(_options(chip, version))} |")
    notes = dict.fromkeys(note for version in chip.data.versions for note in _notes(version))
    lines = [f"- {note}" for note in notes]
    return "\n".join([f"## {chip.title}\n", *rows, "", *lines, *([""] if lines else [])])


def _region(region: Region) -> str:
    flags = [("stack", region.startup_stack), ("words", region.word_only)]
    marks = ", ".join(name for name, on in flags if on)
    return f"{region.size:,} {region.kind}{f' ({marks})' if marks else ''}"


def _options(chip: Chip, version: VersionData) -> Iterator[str]:
    if version.psram:
        most = sum(window.size for window in version.psram)
        yield f"`--psram` to {most / 2**20:g} MB"
    if version.rtc is not None:
        one = any(entry.option == "rtc" and entry.cores == 1 for entry in version.map)
        yield f"`--rtc` ({'on' if version.rtc else 'off'}{', one core' if one else ''})"
    if version.protection is not None:
        yield f"`--memprot` ({'on' if version.protection else 'off'})"
    if chip.data.cores > 1:
        yield f"`--cores` ({chip.data.cores})"
    if chip.name == "esp32":
        yield "`--iram-8bit` (off, one core)"


def _notes(version: VersionData) -> Iterator[str]:
    if version.rom_allocator:
        yield (
            "Unverified: a default build uses the allocator in the chip's ROM "
            "(`CONFIG_HEAP_TLSF_USE_ROM_IMPL`), which was not compared with the model."
        )
    if version.unverified:
        yield f"Unverified in {version.name}: {version.unverified}."


if __name__ == "__main__":
    make("docs/reference/chips.md", markdown())
