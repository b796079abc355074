"""The options whose final values differ between two configurations, and which go together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from heapscope.config.config import Config
from heapscope.config.kconfig.names import releases_with
from heapscope.config.value import Value, value_text

#: Names that say what is built, and are no options.
_BUILDS = ("IDF_", "SOC_")


@dataclass(frozen=True, kw_only=True)
class OptionChange:
    """`before`, `after`: final values; None: the release does not have it, or its menu is off.
    `given`: a line of either side says it. `leader`: the option whose line it follows; its own name
    where it follows none."""

    name: str
    before: Value | None
    after: Value | None
    given: bool
    leader: str


def option_changes(before: Config, after: Config) -> dict[str, OptionChange]:
    """By shared name. An option that is off and one that is not there are alike."""
    result = {}
    sides = (before, after)
    names = {shared_name(before, after, name) for side in sides for name in _names(side)}
    for name in sorted(names):
        if not name.startswith(_BUILDS) and _final(before, name) != _final(after, name):
            result[name] = OptionChange(
                name=name,
                before=_value(before, name),
                after=_value(after, name),
                given=any(_is_given(side, name) for side in sides),
                leader=name,
            )
    leaders = _leaders(before, after, result)
    return {name: replace(each, leader=leaders.get(name, name)) for name, each in result.items()}


def shared_name(before: Config, after: Config, name: str) -> str:
    """One name for an option that releases call by several."""
    return after.name_here(name) or before.name_here(name) or name


def can_be_set(config: Config, name: str) -> bool:
    """A user may give it a value in some configuration; a project's own options may be set."""
    here = config.name_here(name)
    return here is None or config.table.symbols[here].prompt is not None


def shown_value(value: Value | None) -> str:
    """The text of a line of sdkconfig; "-": there is no such option."""
    return "-" if value is None else value_text(value)


def _names(config: Config) -> Iterable[str]:
    return {*config.table.symbols, *config.settings}


def _value(config: Config, name: str) -> Value | None:
    """The final value; of an option that no release has, a project's own, that of its line."""
    value = config.value(name)
    if value is None and config.name_here(name) is None and not releases_with(name):
        setting = config.setting(name)
        return _stated(setting.text) if setting else None
    return value


def _stated(text: str) -> Value:
    """A value as its line states it."""
    if text in ("y", "n"):
        return text == "y"
    return int(text) if text.isdecimal() else text.strip('"')


def _final(config: Config, name: str) -> tuple[Value | None, bool]:
    """The value, and whether it is another one than the default, which some parts ask about."""
    value = _value(config, name)
    return (None if value is False or value == "" else value), config.changed(name)


def _is_given(config: Config, name: str) -> bool:
    """A line of a file sets it; this counts for an option that no release has, too."""
    unknown = config.name_here(name) is None and not releases_with(name)
    return (unknown and config.setting(name) is not None) or config.given(name)


def _leaders(before: Config, after: Config, result: Mapping[str, OptionChange]) -> dict[str, str]:
    """Lines are changed one after the other, from the side on which less is on, so that both
    directions agree. Options that have their new value then belong to the last line."""
    more = sum((each.after is True) - (each.before is True) for each in result.values())
    now, then = (before, after) if more >= 0 else (after, before)
    free = {name for name, each in result.items() if each.before != each.after}
    leaders: dict[str, str] = {}
    for leader in sorted(free, key=lambda name: (then.value(name) is not True, name)):
        if leader not in free or not result[leader].given:
            continue
        value = then.value(leader)
        now = now.without([leader]) if value is None else now.changed_to({leader: value})
        followers = {name for name in free if now.value(name) == then.value(name)}
        leaders |= dict.fromkeys(followers, leader) | {leader: leader}
        free -= {*followers, leader}
    return leaders
