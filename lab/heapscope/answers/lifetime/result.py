"""How long runs of a program live that goes on as it was recorded."""

from __future__ import annotations

from statistics import median

from heapscope.base.rows.figure import computed, figure, in_bytes
from heapscope.base.rows.row import Row
from heapscope.simulation.jitter.share import Share
from heapscope.trace.provenance import RecordedDocument

LEAK, FRAGMENTATION, FULL = CAUSES = ("leak", "fragmentation", "too small a memory")


class LifetimeRun(Row):
    """One run, from the begin of the recording to its end."""

    number: int = figure("Its number, from 0.", heading="run")
    rounds: int = figure("Rounds that it played after the recording.", heading="rounds")
    seconds: float | None = figure(
        "Seconds from the begin of the recording to its end; null: the trace has no clock.",
        least=None,
        digits=3,
    )
    end: str = figure(
        "lives: nothing failed in the time; request: one of the program failed; need: one that was "
        "given fitted at no moment of a round.",
        choices=("lives", "request", "need"),
        heading="ends by",
    )
    size: int | None = in_bytes("Bytes of the request; null: it lives.", "request")
    capabilities: str = figure("Capabilities of the request; empty: it lives.", heading="of")
    task: str = figure("Task of the request; empty: none.", heading="task", wide=True)
    site: str = figure("Call site of the request; empty: not known.", heading="site", wide=True)
    cause: str = figure(
        "leak: free memory was lost; fragmentation: the largest piece was, and free memory not; "
        "too small a memory: neither was; empty: it lives.",
        choices=("", *CAUSES),
        heading="cause",
    )
    free: int = in_bytes("Free bytes at the end where the request could lie.", "free")
    largest: int = in_bytes("The largest request there at the end.", "largest")


class LifetimeGrowth(Row):
    """The blocks of a holder that a round leaves over."""

    task: str = figure("Task that allocated it.", heading="Task")
    site: str = figure("Call site; empty: not known.", heading="Site")
    blocks: int = figure("Blocks that each round leaves.", heading="blocks a round")
    bytes: int = figure("Their bytes.", "B", "bytes a round")
    verdict: str = figure("The verdict of `leaks` on the recording.", heading="verdict")
    until: int | None = figure(
        "The round after which its blocks are replaced, and it grows no more; null: it goes on.",
        heading="until round",
    )


class LifetimeHolder(Row):
    """A holder whose blocks keep a hole from closing, at the end of the first run that ends."""

    task: str = figure("Task of its blocks.", heading="Task")
    site: str = figure("Call site; empty: not known.", heading="Site")
    blocks: int = figure("Its blocks there.", heading="blocks")
    live: int = figure("Their bytes.", "B", "bytes")
    hole: int = figure("The largest hole that would be there without them.", "B", "hole")


class Lifetime(RecordedDocument):
    """Runs of a trace whose steady part is played again and again, perturbed, until a request fails
    or the time is over. Times in seconds of the trace's clock, sizes in bytes."""

    VERB = "replay"
    KIND = "lifetime"
    COMMAND = "replay --repeat --json"
    VERSION = 1
    main_table = "runs"

    trace: str = figure("The file.")
    layout: str = figure("The memory, for people.")
    first_event: int = figure("First heap event of the stretch that is repeated.")
    last_event: int = figure("The event before which it ends.")
    stretch: str = figure("How it was chosen, for people.")
    period: float | None = figure(
        "Seconds of one round; null: the trace has no clock.", least=None, digits=6
    )
    limit: int = figure("Rounds after which a run lives.", least=1)
    seconds: float | None = figure(
        "The same in seconds; null: the trace has no clock.", least=None, digits=3
    )
    lives: Share = figure("The runs in which nothing fails in the time.")
    free: int = figure("Free bytes of all regions when the recording ends.", "B")
    runs: tuple[LifetimeRun, ...] = figure("The runs by number.", entries=(1, None))
    growth: tuple[LifetimeGrowth, ...] = figure(
        "The blocks that a round leaves over, most bytes first; empty: none."
    )
    holders: tuple[LifetimeHolder, ...] = figure(
        "Who holds most at the end of the first run that ends, and the hole that each keeps from "
        "closing; empty: every run lives."
    )
    varied: tuple[str, ...] = figure("The differences from run to run, a sentence each.")

    @property
    @computed("Rounds that half of the runs live; null: more than half live on.")
    def median_rounds(self) -> float | None:
        return self._half([run.rounds for run in self.runs])

    @property
    @computed("The same in seconds; null: also where the trace has no clock.")
    def median_seconds(self) -> float | None:
        seconds = [run.seconds for run in self.runs if run.seconds is not None]
        return self._half(seconds) if len(seconds) == len(self.runs) else None

    def _half(self, ends: list[int] | list[float]) -> float | None:
        """Runs that live end later than all others."""
        ended = sum(run.end != "lives" for run in self.runs)
        return float(median(ends)) if 2 * ended > len(self.runs) else None
