"""The answer of a replay: what is worst about it comes first.

Every verb that says how a replay stands takes its headline from here. The order of severity is
RANKS, from 1: a request that failed outranks a need that was only asked about, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from heapscope.measure.findings import (
    Finding,
    Sentences,
    closest,
    damage,
    failed,
    fitting,
    loss,
    short,
)
from heapscope.measure.record import Record
from heapscope.measure.source import of_wide_pointers
from heapscope.measure.wording import percent, size

if TYPE_CHECKING:
    from heapscope.measure.result import ReplayResult

__all__ = ["RANKS", "Facts", "Verdict", "facts_of", "kind_of", "limits", "verdict"]

#: Worst first; rank 1 is the first one. docs/reference/verdict.md says what each means.
RANKS = ("failed", "short", "damage", "near", "fine")

#: Less than this share of malloc's memory free at the least is a near miss.
NEAR_SHARE = 0.05


@dataclass(frozen=True, kw_only=True)
class Facts(Record):
    """What the kind is decided from; memory in bytes.

    `recorded_failures`: requests that failed in the recorded program; `least_margin`: the smallest
    of all needs, None without any; `anomalies`: events that contradict those before them;
    `near_below`: less of malloc's memory free than this is a near miss.
    """

    requests: int
    failures: int
    recorded_failures: int
    recorded_failures_fit: int
    events: int
    lost_events: int
    whole: bool
    anomalies: int
    needs: int
    needs_short: int
    least_margin: int | None
    minimum_free: int
    near_below: int


@dataclass(frozen=True, kw_only=True)
class Verdict(Record):
    """`sentence` is the first finding's; `limits` says what limits the worth of all of it."""

    rank: int
    kind: str
    sentence: str
    facts: Facts
    findings: tuple[Finding, ...]
    limits: tuple[str, ...]

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
    found = [
        *_ranked("failed", _seen(result, failed(result)), result),
        *_ranked("short", _seen(result, short(result)), result),
        *_ranked("damage", ((sentence, None) for sentence in loss(result)), result),
        *_ranked("damage", _seen(result, damage(result)), result),
        *_ranked("fine", _seen(result, fitting(result)), result),
        *_ranked("near" if near else "fine", _seen(result, closest(result)), result),
    ]
    found.sort(key=lambda finding: finding.rank)
    return Verdict(
        rank=RANKS.index(kind) + 1,
        kind=kind,
        sentence=found[0].sentence,
        facts=facts,
        findings=tuple(found),
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


def _ranked(kind: str, found: Sentences, result: ReplayResult) -> Iterator[Finding]:
    for sentence, event in found:
        yield Finding(
            rank=RANKS.index(kind) + 1,
            kind=kind,
            sentence=sentence,
            event=event,
            seconds=None if result.clock is None else result.clock.seconds(event),
        )


def _seen(result: ReplayResult, found: Sentences) -> Sentences:
    """Sentences about what was replayed, which after a loss is not the whole run."""
    if result.loss is None:
        return found
    if result.loss.event == 0:
        return iter(())
    return ((f"Before the loss: {sentence}", event) for sentence, event in found)


def limits(result: ReplayResult) -> Iterator[str]:
    """Sentences without which the figures would claim more than they know."""
    yield from loss(result)
    yield from _other_limits(result)


def _other_limits(result: ReplayResult) -> Iterator[str]:
    summary = result.summary
    if wide := of_wide_pointers(result.trace.metadata):
        yield wide
    if summary.address_matched < summary.address_compared and not result.trace.unmodelled:
        share = percent(summary.address_matched, summary.address_compared)
        yield f"Only {share} of the recorded addresses were met: take the figures as estimates."
    if summary.startup_unplaced:
        yield f"{size(summary.startup_unplaced)} of start-up use found no place in this layout."
