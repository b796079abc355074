"""A plan for somebody who has never heard of allocators: what to do, and what it gives."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence

from heapscope.answers.why.change import Change
from heapscope.answers.why.plan import PlannedRequest
from heapscope.base.wording import plural, size
from heapscope.forecast.predict.knob_offers import KnobOffer
from heapscope.simulation.jitter.share import Share

#: The way to make a change of each kind.
HOW = {
    "memory": "Memory is not made: something else has to give up these bytes.",
    "threshold": "Put the line into sdkconfig.defaults and build anew.",
    "knob": "Put the lines into sdkconfig.defaults and build anew.",
    "order": "The SDK's table of memory regions has the order (soc_memory_regions).",
    "early": "Move the call in the program's start-up code.",
    "capability": "Change the call in the program.",
    "allocator": "Link the other allocator in place of the SDK's.",
    "poisoning": "Put the lines into sdkconfig.defaults and build anew. Faults that the checks "
    "would find then stay hidden.",
    "fewer": "The program has to do without the block.",
    "private": "The program hands this task's requests to a heap of its own.",
}


def steps(changes: Sequence[Change]) -> tuple[str, ...]:
    return tuple(f"{change.text} {HOW[change.kind]}" for change in changes)


def lines_of(changes: Sequence[Change]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line for change in changes for line in change.lines))


_LINE = re.compile(r"^(?:# )?(CONFIG_\w+)(?:=| is not set)")


def patch(lines: Sequence[str], name: str, text: str) -> str:
    """The lines as a unified diff of an sdkconfig; each takes the place of its option's line."""
    before = text.splitlines(keepends=True)
    after = [line if line.endswith("\n") else f"{line}\n" for line in before]
    for line in lines:
        option = _option(line)
        places = [at for at, old in enumerate(after) if option and _option(old) == option]
        if places:
            after[places[-1]] = f"{line}\n"
        else:
            after.append(f"{line}\n")
    result = difflib.unified_diff(before, after, f"a/{name}", f"b/{name}")
    ends = ("", "\n\\ No newline at end of file\n")
    return "".join(line + ends[not line.endswith("\n")] for line in result)


def _option(line: str) -> str:
    match = _LINE.match(line)
    return match.group(1) if match else ""


def steps_text(
    changes: Sequence[Change],
    *,
    before: int,
    failures: int,
    needs: Sequence[PlannedRequest],
    runs: Share | None,
    runs_before: Share | None,
    helps: int | None,
) -> Iterator[str]:
    """The answer of the best plan."""
    number = plural(len(changes), "change")
    these = "this change, which takes" if len(changes) == 1 else "all of them, which take"
    if failures == 0:
        now = f"{before:,} fail now" if before else "none fails now either"
        yield f"With {number} no request of the recorded run fails; {now}."
    else:
        yield (
            f"With {number}, {failures:,} of the {plural(before, 'failed request')} are left. "
            "Nothing that was tried ends them all."
        )
    yield from map(_request_sentence, needs)
    given_up = sum(change.given_up for change in changes)
    needed = f"{size(given_up)} of RAM" if given_up else "no RAM"
    yield f"The whole trace was replayed with {these} {needed}."
    if runs is not None and runs_before is not None:
        fits = " and all that is needed fits" if needs else ""
        yield (
            f"No request fails{fits} in {runs.text}; without the plan that is so in "
            f"{runs_before.good:,}. It helps in {helps:,} of {runs.runs:,}."
        )
        if runs.good < runs.runs - runs.runs // 10:
            yield (
                "The plan is close to the edge: another run may well fail. More memory than it "
                "asks for, or a recording of more of the program's life, would make it safe."
            )


def _request_sentence(need: PlannedRequest) -> str:
    what = f"{size(need.size)} for {need.capabilities}"
    events = plural(need.short_before, "event")
    now = f"without the plan there is no room after {events}"
    if need.how == "reserved":
        return f"{what}: they are reserved at start-up; {now}."
    if need.how == "short":
        return f"{what}: there is still no room after {plural(need.short_events, 'event')}; {now}."
    spare = f"they always fit, with {size(need.minimum_margin or 0)} to spare at worst"
    return f"{what}: {spare}; {now if need.short_before else 'so they do without the plan'}."


ASSUMED = (
    "A replay takes it that the program goes on as recorded where a request that failed now "
    "succeeds. A recording made with the plan in place settles whether it does."
)


def predicted(knobs: Sequence[KnobOffer], changes: Sequence[Change]) -> tuple[KnobOffer, ...]:
    """Options that are predicted to give the bytes by which the plan makes memory larger, the
    fewest; empty: it makes none larger, or they do not reach."""
    wanted = sum(change.given_up for change in changes if change.kind == "memory")
    used = set(lines_of(changes))
    knob_offers: list[KnobOffer] = []
    for knob in knobs:
        if wanted <= 0:
            break
        if used.isdisjoint(knob.lines):
            least = knob.gain if knob.gain_low is None else knob.gain_low
            if least > 0:
                knob_offers.append(knob)
                wanted -= least
    return tuple(knob_offers) if wanted <= 0 else ()
