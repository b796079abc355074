"""Rules, tried by a replay of the whole trace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from heapscope.answers.place.memories import INNER
from heapscope.answers.why.recording import Recording
from heapscope.base.interrupt import scratch_folder
from heapscope.base.request import Request
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.place_file import read_placement
from heapscope.memory.layout.placement import Placement
from heapscope.simulation.jitter.runs import Push
from heapscope.simulation.replay.config import native_config
from heapscope.simulation.replay.placed import rule_rows
from heapscope.simulation.replay.run import replay_reader
from heapscope.simulation.result.placement import RuleRow


@dataclass(frozen=True, kw_only=True)
class RuleOutcome:
    """Bytes; `free`: of internal memory at the worst moment; `largest`: for the need, likewise."""

    failures: int
    free: int
    largest: int | None
    rules: tuple[RuleRow, ...]

    @property
    def elsewhere(self) -> int:
        """Requests that found no room where their rule sends them."""
        return sum(row.refused for row in self.rules)


class PlaceTrials:
    """Replays one trace under rules. `given`: the text of the user's rules, which are always there.
    `tried` is called after each replay. `play`: puts another run of the trace into a reader; None:
    the trace as it is."""

    def __init__(
        self,
        recording: Recording,
        layout: Layout,
        *,
        need: Request | None,
        tried: Callable[[], None] | None = None,
        play: Push | None = None,
    ) -> None:
        self.recording = recording
        self.layout = layout
        self.need = need
        self.replays = 0
        self._tried = tried
        self._play = recording.push if play is None else play

    def run(self, text: str) -> RuleOutcome:
        """The whole trace under the rules of a file with this text; empty: without rules."""
        placement = placement_of(text, self.layout)
        layout = self.layout if placement is None else placement.apply(self.layout)
        needs: Sequence[Request] = () if self.need is None else (self.need,)
        names = self.recording.names
        config = native_config(
            layout,
            needs=needs,
            capsets=(INNER,),
            buckets=0,
            placement=placement,
            names=names,
        )
        with replay_reader(config, layout) as reader:
            self._play(reader)
            self.replays += 1
            if self._tried is not None:
                self._tried()
            requested = reader.needs()
            return RuleOutcome(
                failures=int(reader.summary().failures),
                free=int(reader.capsets()[1].minimum_free),
                largest=int(requested[0].size + requested[0].minimum_margin) if requested else None,
                rules=rule_rows(reader.rules(), placement, names),
            )


def placement_of(text: str, layout: Layout) -> Placement | None:
    """The rules as --place reads them from a file; None: none."""
    if not text:
        return None
    with scratch_folder() as folder:
        file = Path(folder) / "rules.toml"
        file.write_text(text, encoding="utf-8")
        return read_placement(file, layout)
