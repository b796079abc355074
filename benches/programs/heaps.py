"""The heaps that a program runs on: one row each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from emulation.places import ROOT

__all__ = ["HEAPS", "WRONG", "Heap"]

DEVICE = ROOT / "device"
MODELS = ROOT / "lab" / "models"
OWN = ("src/heap",)
GUARDED = ("src/heap", "src/guard")


@dataclass(frozen=True)
class Heap:
    """`adapter`: the file heap_ADAPTER.c; `defines` are for it and for the sources in `parts`,
    which are folders below device/; `models`: it needs the lab's; `timed`: its time is an
    allocator's; `room`: how much larger the program's memory is, for what the heap adds to each
    block."""

    name: str
    title: str
    adapter: str
    defines: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    models: bool = False
    timed: bool = True
    room: float = 1.0

    @property
    def sources(self) -> list[Path]:
        folders = [DEVICE / part for part in self.parts]
        folders += [MODELS] * self.models
        return sorted(source for folder in folders for source in folder.glob("*.c"))

    @property
    def include(self) -> tuple[str, ...]:
        folders = [DEVICE / "include"]
        folders += [MODELS] * self.models
        return tuple(f"-I{folder}" for folder in folders)


def _guarded(level: int, what: str) -> Heap:
    return Heap(
        f"guard-{level}",
        f"our heap, small form, guard level {level}: {what}",
        "guard",
        (f"-DHEAP_LEVEL={level}",),
        GUARDED,
        room=1.6 if level > 0 else 1.2,
    )


ROWS = (
    Heap("small", "our heap, small form", "own", ("-DHEAP_FORM=HS_FORM_SMALL",), OWN),
    Heap("wide", "our heap, wide form", "own", ("-DHEAP_FORM=HS_FORM_WIDE",), OWN),
    Heap(
        "lean",
        "our heap, lean build",
        "own",
        ("-DHEAP_FORM=HS_FORM_SMALL", "-DHS_LEAN=1"),
        OWN,
    ),
    _guarded(0, "links"),
    _guarded(1, "canaries"),
    _guarded(2, "fill"),
    _guarded(3, "walk"),
    Heap(
        "tlsf",
        "TLSF as in ESP-IDF 5.5, by the lab's model",
        "model",
        ("-DHEAP_MODEL=hs_model_idf_5_5",),
        models=True,
        timed=False,
    ),
    Heap("libc", "musl's malloc", "libc"),
)
HEAPS: Mapping[str, Heap] = {heap.name: heap for heap in ROWS}
#: The shadow is proved by it: a heap that the environment makes wrong.
WRONG = Heap("wrong", "our heap, made wrong", "wrong", parts=OWN)
