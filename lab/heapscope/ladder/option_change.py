"""The options whose final values differ between two configurations, and which go together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from heapscope.config.config import Config
from heapscope.config.tables import option_table
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
    """By name. An option that is off and one that is not there are alike."""
    found = {}
    for name in sorted({*_names(before), *_names(after)}):
        if name.startswith(_BUILDS):
            continue
        if _final(before, name) != _final(after, name):
            given = before.given(name) or after.given(name)
            found[name] = OptionChange(
                name=name,
                before=before.value(name),
                after=after.value(name),
                given=given,
                leader=name,
            )
    return _led(before, after, found)


def shown_value(value: Value | None) -> str:
    """The text of a line of sdkconfig; "-": there is no such option."""
    return "-" if value is None else value_text(value)


def _names(config: Config) -> Iterator[str]:
    yield from option_table()
    yield from config.settings


def _final(config: Config, name: str) -> tuple[Value | None, bool]:
    """The value, and whether it is another one than the default, which some parts ask about."""
    value = config.value(name)
    return (None if value is False or value == "" else value), config.changed(name)


def _led(
    before: Config, after: Config, found: Mapping[str, OptionChange]
) -> dict[str, OptionChange]:
    """Options that have their new value as soon as another one's line is changed belong to it."""
    made = dict(found)
    free = set(found)
    for leader in sorted(found, key=lambda name: (found[name].after is not True, name)):
        value = found[leader].after
        if not found[leader].given or leader not in free:
            continue
        free.discard(leader)
        alone = before.without([leader]) if value is None else before.changed_to({leader: value})
        for name in sorted(free):
            each = found[name]
            if each.before != each.after and alone.value(name) == each.after:
                free.discard(name)
                made[name] = OptionChange(**vars(each) | {"leader": leader})
    return made
