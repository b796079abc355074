"""The answer of a replay: what is worst about it comes first.

Every verb that says how a replay stands takes its headline from here. The order of severity is
RANKS, from 1: a request that failed outranks a need that was only asked about, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.base.wording import percent, plural, size
from heapscope.simulation.result.findings import (
    Finding,
    Sentences,
    closest,
    damage,
    failed,
    fitting,
    loss,
    short,
)
from heapscope.trace.loss import is_cut
from heapscope.trace.provenance import limits_of

if TYPE_CHECKING:
    from heapscope.simulation.result.result import ReplayResult

#: Worst first; rank 1 is the first one. docs/reference/verdict.md says what each means.
RANKS = ("failed", "short", "damage", "near", "fine")

#: Less than this share of malloc's memory free at the least is a near miss.
NEAR_SHARE = 0.05


class Facts(Row):
    """The figures from which the kind is decided; memory in bytes."""

    requests: int = figure("Requests of the trace.")
    failures: int = figure("Requests that failed in this replay.")
    recorded_failures: int = figure("Requests that failed in the recorded program.")
    recorded_failures_fit: int = figure("Those of them that would have been served here.")
    events: int = figure("Heap events replayed.")
    lost_events: int = figure("Events that are known to be missing.")
    whole: bool = figure("Nothing of the recording is lost, neither events nor metadata.")
    anomalies: int = figure("Events that contradict those before them.")
    needs: int = figure("Requests that were asked about.")
    needs_short: int = figure("Those of them that would not always have been served.")
    least_margin: int | None = figure(
        "The smallest largest_allocatable minus size of all of them; null without any.", least=None
    )
    minimum_free: int = figure("Least free memory for malloc.")
    near_below: int = figure("Less free memory for malloc than this is near.")


class Verdict(Row):
    """The answer. Its kind is the worst that the facts say."""

    rank: int = figure(
        "Severity, 1 the worst: the kind's place in the order failed, short, damage, near, fine.",
        least=1,
        most=5,
    )
    kind: str = figure(
        "failed: a request failed, here or in the recorded program; short: a request "
        "that was asked about would not always have been served; damage: events or "
        "metadata are lost, or events contradict each other; near: less than 5 % of "
        "malloc's memory was free at the least; fine: none of these.",
        choices=("failed", "short", "damage", "near", "fine"),
    )
    sentence: str = figure("The headline: the sentence of the first finding.")
    facts: Facts = figure("The facts that decide the kind.")
    findings: tuple[Finding, ...] = figure("By rank, the worst first.", entries=(1, None))
    limits: tuple[str, ...] = figure("The sentences that limit the worth of all figures.")

    @property
    def sentences(self) -> tuple[str, ...]:
        """The whole answer, the headline first."""
        return (*(finding.sentence for finding in self.findings), *self.limits)


def kind_of(facts: Facts) -> str:
    """The worst that the facts say, one of RANKS."""
    if facts.failures or facts.recorded_failures:
        return "failed"
    if facts.needs_short:
        return "short"
    if facts.lost_events or not facts.whole or facts.anomalies:
        return "damage"
    return "near" if facts.minimum_free < facts.near_below else "fine"


def verdict(result: ReplayResult) -> Verdict:
    """Findings by rank; those of one rank in the order in which they are made."""
    facts = facts_of(result)
    kind = kind_of(facts)
    near = facts.minimum_free < facts.near_below
    results = [
        *_ranked("failed", _seen(result, failed(result)), result),
        *_ranked("short", _seen(result, short(result)), result),
        *_ranked("damage", ((sentence, None) for sentence in loss(result)), result),
        *_ranked("damage", _seen(result, damage(result)), result),
        *_ranked("fine", _seen(result, fitting(result)), result),
        *_ranked("near" if near else "fine", _seen(result, closest(result)), result),
    ]
    results.sort(key=lambda finding: finding.rank)
    return Verdict(
        rank=RANKS.index(kind) + 1,
        kind=kind,
        sentence=results[0].sentence,
        facts=facts,
        findings=tuple(results),
        limits=tuple(_other_limits(result)),
    )


def facts_of(result: ReplayResult) -> Facts:
    summary = result.summary
    return Facts(
        requests=summary.results,
        failures=summary.failures,
        recorded_failures=summary.recorded_failures,
        recorded_failures_fit=summary.recorded_failures_fit,
        events=summary.event_count,
        lost_events=result.health.lost_events,
        whole=result.loss is None,
        anomalies=summary.anomalies,
        needs=len(result.needs),
        needs_short=sum(need.short_events > 0 for need in result.needs),
        least_margin=min((need.minimum_margin for need in result.needs), default=None),
        minimum_free=result.malloc.minimum_free,
        near_below=round(NEAR_SHARE * result.malloc.size),
    )


def _ranked(kind: str, sentences: Sentences, result: ReplayResult) -> Iterator[Finding]:
    for sentence, event in sentences:
        yield Finding(
            rank=RANKS.index(kind) + 1,
            kind=kind,
            sentence=sentence,
            event=event,
            seconds=None if result.clock is None else result.clock.seconds(event),
        )


def _seen(result: ReplayResult, sentences: Sentences) -> Sentences:
    """Sentences about what was replayed, which after a loss is not the whole run."""
    if not is_cut(result.loss):
        return sentences
    if result.loss.event == 0:
        return iter(())
    return ((f"Before the loss: {sentence}", event) for sentence, event in sentences)


def limits(result: ReplayResult) -> Iterator[str]:
    """Sentences without which the figures would claim more than they know."""
    yield from loss(result)
    yield from _other_limits(result)


def _other_limits(result: ReplayResult) -> Iterator[str]:
    summary = result.summary
    yield from limits_of(result.trace.metadata)
    if summary.address_matched < summary.address_compared and not result.trace.unmodelled:
        share = percent(summary.address_matched, summary.address_compared)
        yield f"Only {share} of the recorded addresses were met: take the figures as estimates."
        if summary.begun_blocks:
            yield (
                f"The heaps begin with the {plural(summary.begun_blocks, 'block')} of a snapshot, "
                "which tells neither the order of the allocator's holes nor what a block holds "
                "beyond its size: from the first such choice on, blocks may lie elsewhere."
            )
    if summary.startup_unplaced:
        yield f"{size(summary.startup_unplaced)} of start-up use found no place in this layout."
