"""The price of a new SDK, and what buys it back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

from heapscope.answers.upgrade.cost import UpgradeResult
from heapscope.answers.upgrade.explain import explain
from heapscope.answers.upgrade.sides import Upgrade, measured_of
from heapscope.answers.upgrade.state import Meter
from heapscope.base import capabilities
from heapscope.base.errors import InputError
from heapscope.base.progress import OnProgress, counted
from heapscope.cli.verbs.recorded import with_word_size
from heapscope.memory.options import MemoryOptions, given


def upgrade(
    trace: str | Path | None = None,
    *,
    old: str | None = None,
    new: str | None = None,
    sides: Sequence[MemoryOptions] = (),
    caps: str = "",
    reported_free: Sequence[int | str] = (),
    progress: OnProgress | None = None,
    **memory: Unpack[MemoryOptions],
) -> UpgradeResult:
    """Says what an upgrade of the SDK cost, part by part, and what buys it back.

    `old`, `new`: the versions of ESP-IDF. `sides`: two mappings with what else tells before from
    after; `memory`: the options that both share. `caps`: counts the memory with these capabilities
    instead of malloc's. `reported_free`: free heap that the device reported at its start, before
    and after. Without a trace only the start is compared. InputError: an input cannot be used.
    """
    if (old is None) != (new is None):
        missing = "--to" if new is None else "--from"
        raise InputError(
            f"{missing} is missing: an upgrade has two versions", remedy="give --from and --to"
        )
    apart = list(sides) or [MemoryOptions(), MemoryOptions()]
    if old is not None and new is not None:
        apart = [given({**one, "idf": idf}) for one, idf in zip(apart, (old, new), strict=True)]
    path = None if trace is None else Path(trace)
    wanted, measured = capabilities.parse(caps), measured_of(reported_free)
    asked = Upgrade(path, given(memory), apart, caps=wanted, measured=measured)
    meter = Meter(path, caps=wanted, measured=counted(progress, "replays"))
    knobs, knobs_of = asked.knobs()
    found = explain(
        meter,
        asked.sides,
        measured=measured,
        ideas=asked.ideas(),
        knobs=knobs,
        knobs_of=knobs_of,
    )
    return with_word_size(found, path, limits=False)  # they are among its notes
