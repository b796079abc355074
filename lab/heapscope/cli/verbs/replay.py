"""Say what a trace holds, or run it on a chip's memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Unpack, overload

from heapscope.base.errors import InputError
from heapscope.base.option import Option
from heapscope.base.progress import OnProgress, phase
from heapscope.cli.verbs.options import (
    STRENGTH,
    Fold,
    Needs,
    Runs,
    Seed,
    State,
    Strength,
    Trace,
)
from heapscope.memory.options import MemoryOptions, given
from heapscope.trace.fold_sites import fold as fold_sites

if TYPE_CHECKING:
    from heapscope.answers.lifetime.result import Lifetime
    from heapscope.simulation.result.result import ReplayResult
    from heapscope.trace.info import TraceInfo

#: Runs that --repeat plays.
LIVES = 10


@overload
def replay(trace: str | Path, *, progress: OnProgress | None = None) -> TraceInfo: ...


@overload
def replay(
    trace: str | Path,
    *,
    repeat: str,
    need: Sequence[int | str] = (),
    jitter: int | None = None,
    jitter_seed: int = 0,
    jitter_strength: float = STRENGTH,
    progress: OnProgress | None = None,
    **memory: Unpack[MemoryOptions],
) -> Lifetime: ...


@overload
def replay(
    trace: str | Path,
    *,
    need: Sequence[int | str] = (),
    explain: int | None = None,
    state: str | Path | None = None,
    progress: OnProgress | None = None,
    **memory: Unpack[MemoryOptions],
) -> ReplayResult: ...


def replay(
    trace: Trace,
    *,
    need: Needs = (),
    explain: Annotated[
        int | None, Option("EVENT", "Say why this request went where it went.", least=0)
    ] = None,
    state: State = None,
    repeat: Annotated[
        str | None,
        Option(
            "TIME",
            "Go on: play the steady part of the trace again and again, perturbed, until a request "
            "fails or so much time is over: 30d, 12h; a number alone is one of rounds.",
        ),
    ] = None,
    jitter: Runs = None,
    jitter_seed: Seed = 0,
    jitter_strength: Strength = STRENGTH,
    fold: Fold = None,
    contents: bool = True,
    progress: OnProgress | None = None,
    **memory: Unpack[MemoryOptions],
) -> ReplayResult | TraceInfo | Lifetime:
    """Run a trace on a chip's memory and say how close it came to running out. With the trace alone
    it says what that holds: events, tasks, marks, live peak, where it came from, damage.

    The memory is one of
      --chip C [--idf V] [--boot-log F] [--cores N] [--static-dram N] [--static-iram N]
               [--sdkconfig F] [--elf F or --map F]
               [--load wifi,tls=2]
               [--psram SIZE] [--rtc on/off] [--memprot on/off] [--iram-8bit on/off]
      --boot-log F       a real device's regions; its own chip and version count
      --bin F            the regions that a firmware's image makes; the same
      --layout F.toml    regions of your own
      --pool BYTES       a single pool
      --state LOG        a device's heaps as the end of its log tells them: by a heap dump, or by
                         a summary with one free block a heap
    and --allocator A puts another allocator on every region of it, --allocator REGION=A on one
    (a kind or an address). --place RULES.toml sends requests elsewhere than their capabilities do.

    --repeat asks how long the program lives if it goes on so: rounds of the part of the trace that
    comes back to what it was (whole rounds of a mark where one repeats), each a little different,
    in --jitter runs (10). It says how many of the runs live, when the others end, and of what.

    Examples:
      heapscope replay T.hst
      heapscope replay T.hst --chip esp32 --idf 5.5 --need 16717
      heapscope replay T.hst --chip esp32s3 --idf 5.5 --psram 8MB --need 16717:INTERNAL
      heapscope replay T.hst --boot-log boot.txt --need 16717 --need 4KB:DMA
      heapscope replay T.hst --pool 256KB --allocator idf-4.2 --digest
      heapscope replay T.hst --chip esp32 --allocator idf-5.5 --allocator D/IRAM=tlsf
      heapscope replay T.hst --chip esp32 --place rules.toml
      heapscope replay T.hst --chip esp32 --explain 0
      heapscope replay T.hst --chip esp32 --elf firmware.elf
      heapscope replay T.hst --bin build/app.bin
      heapscope replay T.hst --sdkconfig sdkconfig --idf 5.5 --load wifi,tls=2
      heapscope replay T.hst --state device.log --need 16717
      heapscope replay day.hst --chip esp32 --idf 5.5 --repeat 12h --need 16717
      heapscope replay T.hst --chip esp32 --json replay.json
      heapscope replay T.hst --chip esp32 --fail-on min_free=20KB

    Python: without `contents`, the trace alone is replayed on the chip that it names.
    """
    from heapscope.cli.verbs.replayed import replayed
    from heapscope.trace.info import read_info

    fold_sites(fold)
    path, options = Path(trace), given(memory)
    if repeat is not None:
        from heapscope.cli.verbs.lived import lived
        from heapscope.simulation.jitter.runs import Jitter

        _refuse("--repeat", {"--explain": explain, "--state": state})
        runs = Jitter(
            runs=LIVES if jitter is None else jitter, seed=jitter_seed, strength=jitter_strength
        )
        return lived(path, options, repeat, runs, need=need, progress=progress)
    beside = {
        "--jitter": jitter,
        "--jitter-seed": jitter_seed or None,
        "--jitter-strength": None if jitter_strength == STRENGTH else jitter_strength,
    }
    _refuse("no --repeat", beside)
    if contents and not options and not need and explain is None and state is None:
        return read_info(path, peak_time=True, progress=phase(progress, "reading"))
    return replayed(path, options, need=need, explain=explain, state=state, progress=progress)


def _refuse(beside: str, others: Mapping[str, object]) -> None:
    """InputError names the first option that is given."""
    for name, value in others.items():
        if value is not None:
            raise InputError(
                f"{name} and {beside}: neither is for the other", remedy=f"leave {name} out"
            )
