"""The firmware demo: a whole firmware on an emulated board talks to a TLS server.

Its heap's own figures are held against the lab's replay of what it recorded. Three changes are
predicted, and then built and run.

    python emulation/firmware/demo.py [BOARD]      virt (RISC-V, unless told otherwise) or mps2
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from rich.console import Console
from rich.table import Table
from rich.text import Text

from emulation.firmware.boards import BOARDS, Board
from emulation.firmware.build import Options, build
from emulation.firmware.changes import CHANGES
from emulation.firmware.effects import Base, Effect, effects_of, run_base
from emulation.firmware.proof import Proof
from emulation.firmware.recorded import Recorded
from emulation.firmware.run import Ran
from emulation.firmware.stream import hear_live, stated_file
from emulation.places import BUILD, ROOT, MissingError

FOLDER = BUILD / "demo"
SHOWN = 14  #: lines of an output


def show_lines(console: Console, text: str) -> None:
    lines = text.splitlines()
    for line in lines[:SHOWN]:
        console.print(Text(f"  {line}", style="dim"))
    if len(lines) > SHOWN:
        console.print(Text(f"  ... {len(lines) - SHOWN} more lines", style="dim"))


def show_run(console: Console, board: Board, ran: Ran, seconds: float) -> None:
    console.print(
        f"The firmware ran on {board.qemu}, board {board.name}, in {seconds:.1f} s. It says:"
    )
    show_lines(console, ran.console)
    console.print("heapscope live, at the other end of its second serial port, says:")
    show_lines(console, stated_file(ran.recording).read_text("utf-8"))


def show_recorded(console: Console, recorded: Recorded) -> None:
    console.print(
        f"Its recording has {recorded.allocations:,} allocations, {recorded.interrupts:,} of them "
        f"in interrupts, and {recorded.failed:,} requests that failed. Tasks that began: "
        f"{', '.join(recorded.started)}; that ended: {', '.join(recorded.ended)}."
    )


def show_proof(console: Console, proof: Proof) -> bool:
    """All of it equal?"""
    summary = proof.result.summary
    equal = proof.figures - sum(difference.figures for difference in proof.differences)
    marks = len(proof.result.marks)
    console.print(
        f"Replayed: {summary.address_matched:,} of {summary.address_compared:,} addresses are the "
        f"recorded ones; {equal:,} of {proof.figures:,} printed figures are the lab's, to the "
        f"byte; {proof.walks} of {marks} walks of the heap found the lab's blocks."
    )
    return proof.holds


def show_effects(console: Console, effects: list[Effect]) -> None:
    table = Table("Change", "Memory", title="Least free bytes, predicted and measured")
    for heading in ("now", "predicted", "measured", "error", "between equal runs"):
        table.add_column(heading, justify="right")
    for row in effects:
        figures = (row.before, row.predicted, row.measured, row.error, row.spread)
        table.add_row(row.change, row.capabilities, *(f"{figure:,}" for figure in figures))
    console.print(table)


def show_next(console: Console, base: Base) -> None:
    files = (path.relative_to(ROOT) for path in (base.ran[0].recording, base.layout_file))
    trace, layout = map(str, files)
    console.print("Now ask the lab yourself:")
    for question in (
        f"info {trace}",
        f"replay {trace} --layout {layout} --need 16717:DMA",
        f"why {trace} --layout {layout} --need 15800:EXEC",
        f"leaks {trace} --from started --to finished",
    ):
        console.print(f"  heapscope {question}", soft_wrap=True)


def main() -> int:
    console = Console()
    name = sys.argv[1] if len(sys.argv) > 1 else "virt"
    if name not in BOARDS:
        console.print(f"no such board: {name}; there are {', '.join(BOARDS)}")
        return 2
    board = BOARDS[name]
    FOLDER.mkdir(parents=True, exist_ok=True)
    try:
        console.print("Building the firmware: a kernel, lwIP, mbedTLS, cJSON, Heapscope's heap")
        build(board, Options())
        begun = time.monotonic()
        base = run_base(board, FOLDER, listener=hear_live)
        seconds = (time.monotonic() - begun) / len(base.ran)
        show_run(console, board, base.ran[0], seconds)
        show_recorded(console, base.proofs[0].recorded)
        good = True
        for proof in base.proofs:
            good &= show_proof(console, proof)
        effects: list[Effect] = []
        for change in CHANGES:
            console.print(f"\nPredicted, then built and run: {change.name}")
            proof, rows = effects_of(board, base, change, FOLDER)
            good &= show_proof(console, proof)
            effects += rows
        show_effects(console, effects)
        show_next(console, base)
    except MissingError as error:
        console.print(f"missing: {error}")
        return 3
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
