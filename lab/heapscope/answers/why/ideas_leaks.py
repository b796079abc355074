"""The first change of all: free what a holder forgets."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from heapscope.answers.leaks.verdict import LEAK
from heapscope.answers.why.idea import Idea, Question
from heapscope.answers.why.lives import rows_at
from heapscope.answers.why.recording import ALLOCATIONS, Edit
from heapscope.answers.why.trial import Variation
from heapscope.base.wording import plural, size
from heapscope.trace.call_sites import SITE_ROOM, shortened

FREED = 2  # holders that are tried


def what_leaks_freed(question: Question) -> Iterator[Idea]:
    """The trace without the blocks that a leaking holder never frees, as if they went at once."""
    recording, event = question.trials.recording, question.target.event
    leaking = [one for one in question.moment.case.holders if one.verdict == LEAK]
    names = recording.names
    for holder in leaking[:FREED]:
        live = recording.stays.live
        owners = np.unique(live[["task", "site"]])
        (mine,) = (
            live[(live["task"] == task) & (live["site"] == site)]
            for task, site in owners
            if names.tasks[int(task)] == holder.task
            and (names.sites[int(site)] if site else "") == holder.site
        )
        births = [int(birth) for birth in mine["birth"] if int(birth) != event]
        kept = [n for n, row in rows_at(recording, births).items() if row["kind"] in ALLOCATIONS]
        if not kept:
            continue
        at = f" at {shortened([holder.site], SITE_ROOM)[0]}" if holder.site else ""
        forgotten = f"{plural(len(kept), 'block')} with {size(int(mine['size'].sum()))}"
        yield Idea(
            kind="free",
            text=f"Free what '{holder.task}' forgets{at}: {forgotten} of the whole run. "
            "Replayed without these blocks.",
            effort="request",
            variation=Variation(
                layout=question.trials.layout, edit=Edit(blank=frozenset(kept)), event=event
            ),
        )
