"""docs/reference/chips.md, made from the chips' data."""

from __future__ import annotations

from collections.abc import Iterator

from pages import make

from heapscope.base.capabilities import IRAM_EIGHT_BIT
from heapscope.config.chip_data import VersionData
from heapscope.config.releases import find_release, finished
from heapscope.memory.layout.chips import Chip, chip_names, load_chip
from heapscope.memory.layout.layout import Region
from heapscope.memory.layout.versions import version_of

HEAD = """\
# Chips

`make generated` makes this page from [the chips' files](../../lab/heapscope/data/chips/README.md),
which name their sources. [The design](../design/regions.md) says how a region is chosen.

Regions are those of `--chip C --idf V` and nothing else, in the order in which they are tried:
size in bytes and kind of memory. *stack*: holds start-up stacks, a heap only once the scheduler
runs. *words*: cannot be accessed by bytes. `--boot-log` takes a real device's regions instead.

A row holds from the release of its name on, up to the next row's. `head-2026-07` is ESP-IDF's
development branch of July 2026 and no release. [Releases](releases.md) has every release.
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
    """Chip by allocator: which releases have it, and what of it is not verified."""
    rows = ["| chip | known to | allocator of a default build |", "| --- | --- | --- |"]
    for chip in chips:
        known = f"{chip.versions[0]} and later"
        rows.append(f"| [{chip.title}](#{chip.title.lower()}) | {known} | {_allocators(chip)} |")
    return "\n".join([*rows, ""])


def _allocators(chip: Chip) -> str:
    rom = chip.data.rom
    if rom is not None:
        sure = " (inferred)" if rom.inferred else ""
        return f"in its ROM: {rom.allocator}{sure}"
    result: dict[str, str] = {}
    for name in finished():
        version = version_of(chip.data, find_release(name))
        if version is not None:
            result.setdefault(version.allocator, name)
    return "; ".join(result)


def _section(chip: Chip) -> str:
    """A row for each release after which regions or options are others; capabilities alone may
    change more often."""
    rows, shown = ["| from | regions | options |", "| --- | --- | --- |"], ""
    for version in chip.data.versions:
        regions = ", ".join(_region(region) for region in chip.layout(idf=version.name).regions)
        cells = f"| {regions} | {'; '.join(_options(chip, version))} |"
        if cells != shown:
            rows.append(f"| {version.label} {cells}")
        shown = cells
    lines = [f"- {note}" for note in _notes(chip)]
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
    if any(caps[0] & IRAM_EIGHT_BIT for caps in version.kinds.values()):
        yield "`--iram-8bit` (off, one core)"


def _notes(chip: Chip) -> Iterator[str]:
    rom = chip.data.rom
    if rom is not None and rom.inferred:
        yield (
            "Unverified: a default build uses the allocator in the chip's ROM "
            f"(`CONFIG_HEAP_TLSF_USE_ROM_IMPL`), which is taken to be `{rom.allocator}`: "
            f"{rom.inferred}."
        )


if __name__ == "__main__":
    make("docs/reference/chips.md", markdown())
