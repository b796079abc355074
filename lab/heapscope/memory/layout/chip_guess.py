"""The chip that a log is of, where no line names it: the one whose memory its regions fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from heapscope.config.chip_data import ChipData, VersionData, chip_files, read_chip
from heapscope.memory.layout.map_runs import Range, can_print, ends_matched, has_all


def guess_chip(regions: Iterable[Range]) -> ChipData | None:
    """`regions`: starts and sizes. The one chip that can print them; of several the one at whose
    borders most of them end; or else the one in whose memory they all lie, though no start-up makes
    heaps of them. A chip that releases only preview counts after the others: the ESP32-H21 has the
    addresses and the kinds of memory of the ESP32-H2. None: no chip fits, or two fit as well."""
    wanted = list(dict.fromkeys(regions))
    if not wanted:
        return None
    chips = [read_chip(name) for name in chip_files()]
    fitting = {
        chip.name: max(_matched(chip, version, wanted) for version in versions)
        for chip in chips
        if (versions := fitting_sections(chip, wanted))
    }
    best = [name for name, ends in fitting.items() if ends == max(fitting.values())]
    if not fitting:
        best = [chip.name for chip in chips if any(has_all(one, wanted) for one in chip.versions)]
    best = [name for name in best if not read_chip(name).preview] or best
    return read_chip(best[0]) if len(best) == 1 else None


def fitting_sections(chip: ChipData, regions: Sequence[Range]) -> tuple[VersionData, ...]:
    """The sections of a chip's file whose releases can print these regions."""
    return tuple(version for version in chip.versions if can_print(version, regions))


def _matched(chip: ChipData, version: VersionData, regions: Sequence[Range]) -> int:
    reserved = [part.start for part in chip.reserved]
    return ends_matched(version, reserved, regions)
