"""One question for a placement, and all that is known of it before a solver runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from heapscope.answers.place.blocks import Array, TracedBlocks, read_blocks
from heapscope.answers.place.classes import Classes, classes_of
from heapscope.answers.place.memories import PlaceTarget, start_room, targets
from heapscope.answers.place.pools import pool_targets
from heapscope.answers.place.rule_lines import PlaceRule, file_of
from heapscope.answers.place.trial import PlaceTrials, RuleOutcome, placement_of
from heapscope.answers.place.usage import HeldBytes, Usage, held_by
from heapscope.answers.why.recording import Recording, read_recording
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.request import Request
from heapscope.memory.layout.attempts import attempts, malloc_attempts
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.placement import RULES_MAX, SIZE_MAX, Placement
from heapscope.native.reader import NativeReader
from heapscope.trace.feed import read_trace

SLOW = 10.0  # percent of the bytes asked for: a choice
SECONDS = 60.0
_WITHIN = 0.95  # of the time: the last step may take longer than was left


@dataclass(frozen=True, kw_only=True)
class PlaceWish:
    """The aim: `need` fits at every moment, or, None, most internal memory is free. `slow`: percent
    of the bytes asked for that may be in slow memory. `given`: the text of the user's own rules,
    which stay in front of all others. `pools`: pools of fixed blocks are tried, too."""

    need: Request | None = None
    slow: float = SLOW
    seconds: float = SECONDS
    given: str = ""
    pools: bool = False

    def check(self) -> None:
        """InputError: a value is outside its range."""
        if not 0 <= self.slow <= 100:
            raise InputError(f"--slow {self.slow:g}: not a percentage", remedy="give 0 to 100")
        if not 1 <= self.seconds <= 86_400:
            raise InputError(
                f"--time-limit {self.seconds:g}: outside its range", remedy="give 1 to 86400"
            )


@dataclass(kw_only=True, eq=False)
class PlaceQuestion:
    """The trace and the memory. `with_threshold`: the memory where malloc itself goes to external
    memory above so many bytes, None: it cannot be set up; without it no option is looked for.
    InputError: nothing can be placed."""

    path: Path
    layout: Layout
    wish: PlaceWish
    with_threshold: Callable[[int], Layout | None] | None = None
    tried: Callable[[], None] | None = None
    until: float = field(init=False)
    recording: Recording = field(init=False)
    trials: PlaceTrials = field(init=False)
    placed: Layout = field(init=False)  # with the private heaps of the user's rules

    def __post_init__(self) -> None:
        self.until = time.monotonic() + _WITHIN * self.wish.seconds
        self.layout.check()
        check_whole(self.path)
        self.recording = read_recording(self.path)
        given = self.given
        self.placed = self.layout if given is None else given.apply(self.layout)
        self.trials = PlaceTrials(
            self.recording, self.layout, need=self.wish.need, tried=self.tried
        )

    @cached_property
    def given(self) -> Placement | None:
        return placement_of(self.wish.given, self.layout)

    @cached_property
    def blocks(self) -> TracedBlocks:
        return read_blocks(self.recording)

    @cached_property
    def rooms(self) -> tuple[int, ...]:
        """Bytes that are free in each region before the first event."""
        return start_room(self.placed)[: len(self.layout.regions)]

    @cached_property
    def targets(self) -> tuple[PlaceTarget, ...]:
        return targets(self.layout, self.rooms)

    @property
    def inner(self) -> tuple[PlaceTarget, ...]:
        return tuple(target for target in self.targets if not target.weight)

    @property
    def slow(self) -> tuple[PlaceTarget, ...]:
        """Slow memory that the budget allows."""
        return tuple(target for target in self.targets if target.weight and self.wish.slow)

    @cached_property
    def pools(self) -> tuple[PlaceTarget, ...]:
        """Pools of fixed blocks that the wish allows."""
        return pool_targets(self) if self.wish.pools else ()

    @property
    def room(self) -> int:
        """Internal bytes that are free before the first event."""
        return sum(target.room for target in self.inner)

    @cached_property
    def serving(self) -> frozenset[int]:
        """The regions that can serve the need, of whatever size it is."""
        need = self.wish.need
        if need is None:
            return frozenset()
        if need.caps:
            return frozenset(each.index for each in attempts(self.layout, need.caps))
        sizes = (1, min(self.layout.malloc.threshold + 1, SIZE_MAX))
        return frozenset(each.index for n in sizes for each in malloc_attempts(self.layout, n))

    @cached_property
    def classes(self) -> Classes:
        inside = frozenset(index for target in self.inner for index in target.regions)
        return classes_of(self.blocks, self.recording.names, self.given, inside)

    @cached_property
    def counts(self) -> Array:
        """How often each kind of request was made."""
        return np.bincount(self.blocks.request, minlength=len(self.blocks.requested))

    @cached_property
    def held(self) -> HeldBytes:
        return held_by(self.blocks, self.layout)

    @property
    def budget(self) -> float:
        return self.wish.slow / 100 * self.classes.total

    @property
    def rules_left(self) -> int:
        return RULES_MAX - (0 if self.given is None else len(self.given.rules))

    def now(self) -> float:
        """On the clock of `until`."""
        return time.monotonic()

    def usage(self, to: Sequence[PlaceTarget], *, resized_stay: bool = True) -> Usage:
        return Usage(self.blocks, self.classes, self.held, to, resized_stay=resized_stay)

    def slow_share(self, to: Sequence[PlaceTarget], moved: Array) -> float:
        """Percent of the bytes asked for, each times the weight of where it goes."""
        weights = np.array([target.weight for target in to])
        requested = np.array([row.requested for row in self.classes.rows], dtype=float)
        return float(100 * (requested @ moved @ weights) / max(1, self.classes.total))

    def text(self, rules: Sequence[PlaceRule]) -> str:
        """The whole file with these rules: the user's own are the first."""
        return file_of(rules, self.wish.given)

    def figure(self, outcome: RuleOutcome) -> int:
        """The one that is to be large."""
        return outcome.free if outcome.largest is None else outcome.largest


def check_whole(path: Path) -> None:
    """InputError: the file holds no trace, or events are missing in it."""
    shown = printable(str(path), limit=400)
    with NativeReader() as reader:
        read_trace(path, reader)
        if not reader.whole:
            raise InputError(
                f"{shown}: events are missing, so it is not known how long blocks live",
                remedy="record it again without a loss",
            )
        census = reader.census()
        allocated = census.mallocs + census.callocs + census.aligneds + census.reallocs
        if allocated == 0 and census.live_peak == 0:
            raise InputError(
                f"{shown}: no allocation in it, so there is nothing to place",
                remedy="record a program that allocates",
            )
