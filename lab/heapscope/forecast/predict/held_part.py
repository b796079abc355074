"""A part of the memory as one configuration has it."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.forecast.predict.memory_fit import memory_fit
from heapscope.forecast.predict.memory_scene import MemoryScene
from heapscope.forecast.predict.part_place import DRAM, place_of
from heapscope.forecast.predict.part_table import BEYOND, BOOT, MAP, PartRow

#: Components whose parts are fractions of libraries that count whole, and what is a chip's own.
_INSIDE, _CHIP = ("system", "power", "allocator"), ("chip", BEYOND)


@dataclass(frozen=True, kw_only=True, eq=False)
class Held:
    """`place`: one of part_place.KINDS. `size`: of each, by its figure, before anything that was
    learned. `more`: it is memory that the configuration gives."""

    part: PartRow
    place: str
    count: int
    size: float
    more: bool = False

    @property
    def static(self) -> bool:
        return self.part.state == BOOT

    @property
    def is_ruled(self) -> bool:
        """It follows from the others: neither an empty program nor a file of a build has it."""
        return self.part.component == BEYOND

    @property
    def is_whole(self) -> bool:
        """It has memory of its own: options of the system act within libraries, and caches lie
        outside the memory that data can have."""
        inside = self.part.component in _INSIDE and self.part.kind != MAP
        return self.place == DRAM and not inside and self.part.component not in _CHIP

    @property
    def taken(self) -> float:
        """The bytes that its figure says; below 0: it is given."""
        return (-1 if self.more else 1) * self.count * self.size

    @property
    def bytes(self) -> float:
        """The bytes that it is taken to be."""
        return self.taken * memory_fit().factor(self.part.kind)


def held_part(part: PartRow, scene: MemoryScene, count: int) -> Held:
    place, more = place_of(part, scene)
    size = float(part.size(scene))
    return Held(part=part, place=place, count=count, size=abs(size), more=more or size < 0)
