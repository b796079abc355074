"""The effects of the three changes: predicted, and measured beside it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from emulation.firmware.boards import Board
from emulation.firmware.build import Options, build
from emulation.firmware.changes import CHANGES, Change
from emulation.firmware.proof import Proof, prove
from emulation.firmware.run import Ran, run_firmware
from emulation.firmware.stream import Listener, hear
from heapscope.base import capabilities
from heapscope.memory.layout.toml_file import read_layout
from heapscope.simulation.result.result import ReplayResult

__all__ = ["Base", "Effect", "effects_of", "minimum", "run_base"]

#: The sets that are shown: malloc's own, and memory for DMA.
SHOWN = ("malloc", "DMA|8BIT")


@dataclass(frozen=True)
class Effect:
    """Least free bytes of a run. `spread`: between runs of the unchanged firmware, which the timing
    of the network makes."""

    change: str
    capabilities: str
    before: int
    predicted: int
    measured: int
    spread: int
    failures: tuple[int, int]  # failed requests, predicted and measured

    @property
    def error(self) -> int:
        return self.predicted - self.measured


@dataclass(frozen=True)
class Base:
    """Runs of the unchanged firmware."""

    ran: tuple[Ran, ...]
    proofs: tuple[Proof, ...]
    layout_file: Path


def run_and_prove(
    board: Board, options: Options, recording: Path, listener: Listener = hear
) -> tuple[Ran, Proof]:
    ran = run_firmware(board, build(board, options), recording, listener=listener)
    return ran, prove(ran, recording.with_suffix(".toml"))


def run_base(board: Board, folder: Path, *, listener: Listener = hear) -> Base:
    """Three runs."""
    files = [folder / f"{board.name}-{i}.hst" for i in range(3)]
    both = [run_and_prove(board, Options(), file, listener) for file in files]
    ran, proofs = zip(*both, strict=True)
    return Base(ran, proofs, folder / f"{board.name}-0.toml")


def minimum(result: ReplayResult, named: str) -> int:
    """The least that was free."""
    wanted = named if named == "malloc" else capabilities.format(capabilities.parse(named))
    return next(row.minimum_free for row in result.sets if row.capabilities == wanted)


def effects_of(
    board: Board, base: Base, change: Change, folder: Path
) -> tuple[Proof, list[Effect]]:
    """The proof of the changed firmware's run, and what the change did."""
    masks = tuple(capabilities.parse(named) for named in SHOWN[1:])
    predicted = change.predict(base.ran[0].recording, read_layout(base.layout_file), masks, folder)
    recording = folder / f"{board.name}-changed-{CHANGES.index(change)}.hst"
    _, proof = run_and_prove(board, change.options, recording)
    rows = []
    for named in SHOWN:
        before = [minimum(one.result, named) for one in base.proofs]
        row = Effect(
            change=change.name,
            capabilities=named,
            before=before[0],
            predicted=minimum(predicted, named),
            measured=minimum(proof.result, named),
            spread=max(before) - min(before),
            failures=(predicted.summary.failures, proof.result.summary.failures),
        )
        rows.append(row)
    return proof, rows
