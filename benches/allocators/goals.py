"""The goals of the heap, beside the measured figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Goal", "goals"]

BLOCKS = ("32", "128", "512")
POOLS = ("4096", "262144")


@dataclass(frozen=True)
class Goal:
    """Figures that belong together; all of them have to reach `must`. `aims`: one or more sets of
    figures; reaching one of them suffices."""

    what: str
    must: tuple[float, ...]
    aims: tuple[tuple[float, ...], ...]
    measured: tuple[float, ...]
    more_is_better: bool = False

    def reaches(self, wanted: Sequence[float]) -> bool:
        pairs = zip(self.measured, wanted, strict=True)
        return all(own >= other if self.more_is_better else own <= other for own, other in pairs)

    @property
    def met(self) -> str:
        if any(self.reaches(aim) for aim in self.aims):
            return "aim"
        return "must" if self.reaches(self.must) else "**no**"


def goals(measured: Mapping[str, Any]) -> list[Goal]:
    needed, density = measured["needed"]["means"], measured["density"]["heapscope"]["blocks"]
    control = measured["control"]["heapscope"]["control"]
    best = measured["instructions"]["best"]
    return [
        Goal(
            "needed pool to idf-4.2's, real traces",
            (0.98,),
            ((0.97,),),
            (needed["real"]["heapscope"]["to_reference"],),
        ),
        Goal(
            "the same, each program counted once",
            (0.98,),
            ((0.97,),),
            (needed["real, by program"]["heapscope"]["to_reference"],),
        ),
        Goal(
            "the same, synthetic, fresh seeds",
            (1.0,),
            ((0.97,),),
            (needed["synthetic"]["heapscope"]["to_reference"],),
        ),
        Goal("malloc, mean / most seen", (135, 280), ((100, 160),), tuple(best["malloc"])),
        Goal("free, mean / most seen", (160, 295), ((90, 150),), tuple(best["free"])),
        Goal(
            "250 000 bytes, blocks of 32 / 128 / 512",
            (6930, 1880, 478),
            ((7600, 1910, 480), (6943, 1893, 484)),
            tuple(density[size] for size in BLOCKS),
            more_is_better=True,
        ),
        Goal(
            "control of 4 KB / 256 KB, bitmap apart",
            (150, 170),
            ((110, 150),),
            tuple(control[size] for size in POOLS),
        ),
        Goal(
            "wide form, malloc / free mean",
            (150, 150),
            ((130, 110),),
            (best["wide malloc"][0], best["wide free"][0]),
        ),
    ]
