"""Two configurations, and how a figure's difference is divided among what differs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from heapscope.config.config import Config
from heapscope.forecast.ladder.fair_share import Array, fair_shares
from heapscope.forecast.ladder.mixed_config import MixedConfig, mixed
from heapscope.forecast.ladder.option_change import OptionChange, option_changes
from heapscope.forecast.ladder.side import ConfigSide

#: The change that no option tells: the chip, or the release with what it has built in.
PLATFORM = "release"
#: The change that a core's own code makes, in no option.
CODE = "code"


@dataclass(frozen=True, kw_only=True, eq=False)
class Exchange:
    """From the side `before` to the side `after`. `changes`: the options that differ, by name;
    `queried`: those of them that some figure asked about."""

    before: ConfigSide
    after: ConfigSide
    changes: Mapping[str, OptionChange]
    queried: set[str] = field(default_factory=set)

    @cached_property
    def of_platform(self) -> bool:
        return self.before.platform != self.after.platform

    @cached_property
    def of_code(self) -> bool:
        return self.before.model.scene.instead != self.after.model.scene.instead

    @cached_property
    def members(self) -> dict[str, frozenset[str]]:
        """By leader, the options that change with it."""
        result: dict[str, set[str]] = {}
        for name, change in self.changes.items():
            result.setdefault(change.leader, set()).add(name)
        return {leader: frozenset(names) for leader, names in result.items()}

    def base(self, built: frozenset[str]) -> ConfigSide:
        """The side whose chip and release count after some changes, with the code that does."""
        side = self.after if PLATFORM in built else self.before
        if not self.of_code or (PLATFORM in built) == (CODE in built):
            return side
        code = self.after if CODE in built else self.before
        scene = replace(side.model.scene, instead=code.model.scene.instead, _names={})
        return replace(side, model=replace(side.model, scene=scene))

    def config(self, built: frozenset[str]) -> MixedConfig:
        """The configuration after some changes."""
        taken = frozenset().union(*(self.members.get(each, frozenset()) for each in built))
        return mixed(
            self.base(built).config,
            before=self.before.config,
            after=self.after.config,
            differing=self.changes.keys(),
            taken=taken,
        )

    def divided(self, figure: Callable[[ConfigSide, Config], Array]) -> dict[str, Array]:
        """The share of each change that a figure asks about; it is worked out for a configuration
        on a side's chip and release."""
        known: dict[frozenset[str], Array] = {}
        acting: set[str] = {PLATFORM} if self.of_platform else set()
        acting |= {CODE} if self.of_code else set()
        seen: set[str] = set()

        def at(built: frozenset[str]) -> Array:
            if built not in known:
                config = self.config(built)
                known[built] = figure(self.base(built), config)
                seen.update(config.read & self.changes.keys())
            return known[built]

        while True:
            shares = fair_shares(sorted(acting), at)
            leaders = {self.changes[name].leader for name in seen}
            if leaders <= acting:
                self.queried.update(seen)
                return shares
            acting |= leaders


def exchange(before: ConfigSide, after: ConfigSide) -> Exchange:
    changes = option_changes(before.config, after.config)
    return Exchange(before=before, after=after, changes=changes)
