"""The gain of handles: a replay in which the program moves the blocks of some call sites."""

from __future__ import annotations

import fnmatch

from heapscope.answers.why.recording import Recording
from heapscope.answers.why.trial import Target, Trials, Variation
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.base.wording import plural
from heapscope.native.moment import let_move, moved
from heapscope.trace.call_sites import any_text


class Movable(Row):
    """Where a request fails, the program allocates each block of these call sites anew, the lowest
    first, keeps those that then lie lower, and asks once more."""

    site: str = figure("The pattern of the call sites.")
    sites: int = figure("Call sites that match it.", least=1)
    failures: int = figure("Requests that fail then.")
    served: int = figure("Requests for which blocks were moved, and which succeed then.")
    moved: int = figure("Blocks that are moved, each time.")
    minimum_free: int = figure("Lowest free bytes for malloc.", "B")


def movable_of(trials: Trials, pattern: str) -> Movable:
    """One replay of the whole trace. InputError: no call site matches."""
    sites = _sites(trials.recording, pattern)
    reader = trials.reader(Variation(layout=trials.layout), Target())
    assert reader is not None, "the same memory was replayed"
    with reader:
        let_move(reader, sites)
        trials.recording.push(reader)
        blocks, served = moved(reader)
        return Movable(
            site=pattern,
            sites=len(sites),
            failures=reader.summary().failures,
            served=served,
            moved=blocks,
            minimum_free=reader.capsets()[0].minimum_free,
        )


def movable_sentence(movable: Movable, failures: int) -> str:
    """`failures`: without it."""
    sites = plural(movable.sites, "call site")
    head = f"If the blocks of '{movable.site}' ({sites}) may be moved"
    if not movable.moved:
        return f"{head}, none finds a lower place when a request fails: nothing changes."
    fail = "fails" if movable.failures == 1 else "fail"
    fit = "fits" if movable.served == 1 else "fit"
    return (
        f"{head}, {plural(movable.failures, 'request')} {fail} instead of {failures:,}: blocks are "
        f"moved {plural(movable.moved, 'time')} so that {plural(movable.served, 'request')} {fit}."
    )


def _sites(recording: Recording, pattern: str) -> list[int]:
    names = recording.names.sites
    like = any_text(pattern).replace("[", "[[]")
    found = [
        index
        for index in names.known
        if any(name == pattern or fnmatch.fnmatchcase(name, like) for name in names.called(index))
    ]
    if not found:
        raise InputError(
            f"--movable {printable(pattern)}: no call site of the trace matches",
            remedy="give a name as heapscope leaks shows it, * stands for any text: "
            "'*parse_config*'"
            if names.known
            else "the trace has no call sites; record it with them (heapscope record --stacks)",
        )
    return found
