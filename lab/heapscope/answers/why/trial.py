"""One replay with a change, and what became of the request that is asked about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from heapscope.answers.why.change import ChangeOutcome
from heapscope.answers.why.recording import Edit, Recording
from heapscope.base.errors import HeapscopeError
from heapscope.base.request import Request
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.placement import Placement
from heapscope.native.moment import stop_before
from heapscope.native.reader import NativeReader
from heapscope.simulation.replay.config import native_config

NONE = 0xFFFF_FFFF


@dataclass(frozen=True, kw_only=True)
class Target:
    """The request that has to succeed: that of an event, or a need after every event."""

    event: int | None = None
    need: Request | None = None

    @property
    def needs(self) -> tuple[Request, ...]:
        return () if self.need is None else (self.need,)


@dataclass(frozen=True, kw_only=True)
class Variation:
    """The memory, the events and the rules of a replay. `event`: where the target's event is now;
    `placement` None: the rules that hold anyway."""

    layout: Layout
    edit: Edit | None = None
    event: int | None = None
    placement: Placement | None = None


class Trials:
    """Replays one trace. `needs` are looked at in each replay, whatever its target is. `tried` is
    called after each replay. `placed_peak`: of the last one, the most payload that its first rule
    had placed at once, bytes."""

    def __init__(
        self,
        recording: Recording,
        layout: Layout,
        *,
        placement: Placement | None = None,
        needs: Sequence[Request] = (),
        tried: Callable[[], None] | None = None,
    ) -> None:
        self.recording = recording
        self.layout = layout
        self.placement = placement
        self.needs = tuple(dict.fromkeys(needs))
        self.placed_peak = 0
        self._tried = tried

    def without(self, need: Request | None) -> Trials:
        """The same, and this need is not looked at."""
        return Trials(
            self.recording,
            self.layout,
            placement=self.placement,
            needs=[each for each in self.needs if each != need],
            tried=self._tried,
        )

    def run(self, variation: Variation, target: Target) -> ChangeOutcome | None:
        """The whole trace. None: the memory cannot be set up so."""
        return self._run(variation, target, stop=False)

    def serves(self, variation: Variation, target: Target) -> bool:
        """Whether the target succeeds; of the trace no more is replayed than that takes."""
        outcome = self._run(variation, target, stop=target.event is not None)
        return outcome is not None and outcome.served

    def _run(self, variation: Variation, target: Target, *, stop: bool) -> ChangeOutcome | None:
        event = target.event if variation.event is None else variation.event
        reader = self.reader(variation, target, event)
        if reader is None:
            return None
        with reader:
            end = None if event is None or not stop else event + 1
            if end is not None:
                stop_before(reader, end)
            self.recording.push(reader, edit=variation.edit, until=end)
            if self._tried is not None:
                self._tried()
            rules = reader.rules()
            self.placed_peak = rules[0].payload_peak if rules else 0
            return _outcome(reader, target)

    def reader(
        self, variation: Variation, target: Target, event: int | None = None
    ) -> NativeReader | None:
        """None: the memory cannot be set up so."""
        placement = variation.placement or self.placement
        try:
            variation.layout.check()
            layout = variation.layout if placement is None else placement.apply(variation.layout)
            config = native_config(
                layout,
                needs=tuple(dict.fromkeys((*target.needs, *self.needs))),
                capsets=(),
                buckets=0,
                explain=event,
                placement=placement,
                names=self.recording.names if placement is not None else None,
            )
            return NativeReader(config)
        except HeapscopeError:
            return None


def _outcome(reader: NativeReader, target: Target) -> ChangeOutcome:
    short = [row.short_events for row in reader.needs()]
    if target.need is not None:
        served = short[0] == 0
    else:
        requested = reader.explanation()
        served = bool(requested.found) and requested.address != NONE
    return ChangeOutcome(
        served=served,
        failures=reader.summary().failures,
        minimum_free=reader.capsets()[0].minimum_free,
        short_events=sum(short) if short else None,
        needs_short=sum(map(bool, short)) if short else None,
    )
