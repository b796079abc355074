"""The difference of two memories part by part, and what buys it back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from heapscope.answers.upgrade.cost import UpgradeResult
from heapscope.answers.upgrade.explain import explain
from heapscope.answers.upgrade.sides import Upgrade, measured_of
from heapscope.answers.upgrade.state import Meter
from heapscope.base import capabilities
from heapscope.base.progress import OnProgress, counted
from heapscope.cli.verbs.recorded import with_word_size
from heapscope.memory.options import MemoryOptions


def compared_parts(
    trace: str | Path | None,
    memory: MemoryOptions,
    *,
    sides: Sequence[MemoryOptions],
    caps: str,
    reported_free: Sequence[int | str],
    progress: OnProgress | None,
) -> UpgradeResult:
    """The difference part by part, and what buys it back; without a trace that of the start alone.
    InputError: an input cannot be used."""
    apart = list(sides) or [MemoryOptions(), MemoryOptions()]
    path = None if trace is None else Path(trace)
    wanted, measured = capabilities.parse(caps), measured_of(reported_free)
    upgrade = Upgrade(path, memory, apart, caps=wanted, measured=measured)
    meter = Meter(path, caps=wanted, measured=counted(progress, "replays"))
    knobs, knobs_of = upgrade.knobs()
    result = explain(
        meter,
        upgrade.sides,
        measured=measured,
        ideas=upgrade.ideas(),
        knobs=knobs,
        knobs_of=knobs_of,
    )
    return with_word_size(result, path, limits=False)  # they are among its notes
