"""A configuration whose options have the values of one side or of another."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, fields

from heapscope.config.config import Config
from heapscope.config.kconfig.table import Kind
from heapscope.config.setting import Setting
from heapscope.config.value import Value
from heapscope.forecast.ladder.option_change import shared_name


@dataclass(frozen=True, kw_only=True, eq=False)
class MixedConfig(Config):
    """Options of `taken` have their final value in `after`, others of `differing` that in `before`,
    and all else is as in `base`. No other option follows a value, as Kconfig would have it: the
    values of the sides are final. `read`: the names that somebody asked for."""

    base: Config
    before: Config
    after: Config
    differing: Collection[str]
    taken: Collection[str]
    read: set[str] = field(default_factory=set)

    def value(self, name: str) -> Value | None:
        return self._side(name).value(name)

    def default(self, name: str) -> Value | None:
        return self._side(name).default(name)

    def given(self, name: str) -> bool:
        return self._side(name).given(name)

    def changed(self, name: str) -> bool:
        return self._side(name).changed(name)

    def setting(self, name: str) -> Setting | None:
        return self._side(name).setting(name)

    def kind(self, name: str) -> Kind | None:
        return self._side(name).kind(name)

    def _side(self, name: str) -> Config:
        name = shared_name(self.before, self.after, name)
        self.read.add(name)
        if name in self.differing:
            return self.after if name in self.taken else self.before
        return self.base


def mixed(
    base: Config,
    *,
    before: Config,
    after: Config,
    differing: Collection[str],
    taken: Collection[str],
) -> MixedConfig:
    """It has no lines of its own: nobody wrote such a file."""
    own = {each.name: getattr(base, each.name) for each in fields(Config) if each.init}
    empty: dict[str, object] = {"all_settings": ()}
    return MixedConfig(
        **{name: value for name, value in own.items() if not name.startswith("_")} | empty,
        base=base,
        before=before,
        after=after,
        differing=differing,
        taken=taken,
    )
