"""Holds what a firmware printed against the replay of what it recorded."""

from __future__ import annotations

import re
from dataclasses import astuple, dataclass
from pathlib import Path

from emulation.firmware.recorded import Recorded, printed_walks, read_recorded
from emulation.firmware.run import Ran
from heapscope.base import capabilities
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.region_rows import SetRow
from heapscope.memory.layout.toml_file import read_layout
from heapscope.simulation.replay.run import replay
from heapscope.simulation.result.result import ReplayResult

__all__ = ["Difference", "Figures", "Proof", "layout_of", "printed_marks", "prove"]

REGION = re.compile(r"^region (\w+) 0x([0-9a-f]+) (\d+) (\d+) (\d+) (\d+)$", re.MULTILINE)
MARK = re.compile(
    r"^mark (?P<name>[^:]+): (?P<set>\S+) free (?P<free>\d+)"
    r" minimum (?P<minimum>\d+) largest (?P<largest>\d+)$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Figures:
    """Bytes in the regions that have a set of capabilities, at a mark."""

    free: int
    minimum: int
    largest: int


@dataclass(frozen=True)
class Difference:
    mark: str
    capabilities: str
    printed: Figures
    replayed: Figures

    @property
    def figures(self) -> int:
        """How many of the three differ."""
        pairs = zip(astuple(self.printed), astuple(self.replayed), strict=True)
        return sum(one != other for one, other in pairs)


@dataclass(frozen=True)
class Proof:
    """`figures`: how many of the printed ones were compared. `walks`: of the heap, one a mark, that
    found exactly the blocks which are used according to the recording."""

    result: ReplayResult
    figures: int
    differences: tuple[Difference, ...]
    recorded: Recorded
    walks: int

    @property
    def holds(self) -> bool:
        summary = self.result.summary
        return (
            summary.address_matched == summary.address_compared
            and not self.differences
            and self.walks == len(self.result.marks)
        )


def layout_of(console: str, into: Path) -> Layout:
    """The memory that the firmware printed at its start, as a layout file."""
    text = 'name = "the firmware"\nallocator = "heapscope"\nmalloc = "8BIT|DEFAULT"\n'
    for name, start, size, *caps in REGION.findall(console):
        text += f'\n[[region]]\nstart = 0x{start}\nsize = {size}\nkind = "{name}"\n'
        named = [capabilities.format(int(bits)) if int(bits) else "" for bits in caps]
        text += f"caps = {named}\n"
    into.write_text(text, "utf-8")
    return read_layout(into)


def printed_marks(console: str) -> list[tuple[str, dict[str, Figures]]]:
    """The marks in the order in which they were printed, with the figures of each set."""
    marks: list[tuple[str, dict[str, Figures]]] = []
    for match in MARK.finditer(console):
        sets = marks[-1][1] if marks else {}
        if not marks or marks[-1][0] != match["name"] or match["set"] in sets:
            sets = {}
            marks.append((match["name"], sets))
        sets[match["set"]] = Figures(*(int(match[k]) for k in ("free", "minimum", "largest")))
    return marks


def figures_of(row: SetRow) -> Figures:
    """The figures of the device's interface: its minimum is the sum of the regions' own."""
    return Figures(row.free, row.minimum_free_reported, row.largest_allocatable)


def prove(ran: Ran, layout_file: Path) -> Proof:
    """Replays the recording on the printed memory and compares all that was printed. RuntimeError:
    marks are missing on one side."""
    layout = layout_of(ran.console, layout_file)
    printed = printed_marks(ran.console)
    names = {name for _, sets in printed for name in sets if name != "malloc"}
    masks = {name: capabilities.parse(name) for name in sorted(names)}
    result = replay(ran.recording, layout, capsets=masks.values())
    if [mark.name for mark in result.marks] != [name for name, _ in printed]:
        raise RuntimeError(f"the marks of the recording are not those of:\n{ran.console}")
    if any(len(sets) != len(masks) + 1 for _, sets in printed):
        raise RuntimeError(f"a mark has not all of its lines in:\n{ran.console}")
    count, differences = 0, []
    for mark, (name, sets) in zip(result.marks, printed, strict=True):
        rows = {row.capabilities: row for row in mark.sets}
        for key, figures in sets.items():
            row = rows["malloc" if key == "malloc" else capabilities.format(masks[key])]
            count += 3
            if figures_of(row) != figures:
                differences.append(Difference(name, key, figures, figures_of(row)))
    recorded = read_recorded(ran.recording)
    walks = zip(recorded.walks, printed_walks(ran.console), strict=True)
    equal = sum(one == other for one, other in walks)
    return Proof(result, count, tuple(differences), recorded, equal)
