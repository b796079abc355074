"""The fate of lines where other Kconfig files may have been read than those at hand.

A file that Kconfig wrote whole states the value of every option of its build: what it does not name
was off, or its component was not in the build. So its lines are judged by each other, one by one.
Lines of options that differ between the patch releases that may be meant are not judged.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from heapscope.config.kconfig.condition import Condition, names_in, parse_condition
from heapscope.config.kconfig.fate import LineFate, fates
from heapscope.config.kconfig.lines import ReadLine, legal, user_values
from heapscope.config.kconfig.names import releases_with
from heapscope.config.kconfig.table import Kind, OptionTable, Symbol, members_of, with_only
from heapscope.config.kconfig.values import OptionValues, UserValues

#: Without a prompt, yet ESP-IDF's build reads the line out of the file and keeps its value.
_KEPT = ("IDF_INIT_VERSION",)
_MANY = 5  # lines of one condition; a person adds fewer
_HEX = re.compile(r"0[xX][0-9a-fA-F]+")


@dataclass(frozen=True, kw_only=True)
class JudgedLines:
    """The fate of each line, and the values that tell the reason of one that is at fault."""

    fates: tuple[LineFate, ...]
    values: OptionValues


def judged_lines(
    lines: Sequence[ReadLine], whole: Sequence[bool], values: OptionValues
) -> JudgedLines:
    """`whole`: of each line, whether it is of a file that Kconfig wrote whole. `values`: what the
    options at hand make of all lines. A line is at fault where each of two readings finds it so."""
    table = values.table
    stated = {_name(line) for line, of_whole in zip(lines, whole, strict=True) if of_whole}
    one = two = values
    if stated or table.unlike.lines:
        one = OptionValues(*_first(table, lines, stated))
        two = OptionValues(_second(one, lines, stated), one.user)
    results = []
    for line, of_whole, first, second in zip(
        lines, whole, fates(lines, one), fates(lines, two), strict=True
    ):
        sound = _is_sound(line, table, of_whole=of_whole) or not second.reason
        default = of_whole and first.reason == "hidden" and _is_default(line, table)
        results.append(_sound(first) if sound or default else first)
    if stated:
        theirs = _of_others(lines, results, one, table)
        results = [
            _sound(fate) if of_them else fate for fate, of_them in zip(results, theirs, strict=True)
        ]
    return JudgedLines(fates=tuple(results), values=one)


def _is_default(line: ReadLine, table: OptionTable) -> bool:
    """Kconfig may have written the line of an option that no user can set there."""
    symbol = table.symbols[line.option]
    same = symbol.kind != "bool" and any(line.value == value for value, _ in symbol.defaults)
    return same or line.option in table.unlike.values


def _sound(fate: LineFate) -> LineFate:
    return LineFate(reason="", final=fate.final)


def _of_others(
    lines: Sequence[ReadLine],
    line_fates: Sequence[LineFate],
    values: OptionValues,
    table: OptionTable,
) -> list[bool]:
    """Lines that are at fault because a condition fails which many of them share, and which holds
    by what no person sets: a component that is not ESP-IDF's has these options, too."""
    named = {_name(line) for line in lines}
    set_by_hand = {
        name
        for name in named
        if (symbol := table.symbols.get(name)) is not None and symbol.prompt is not None
    }
    if not any(name not in table.symbols and not releases_with(name) for name in named):
        return [False for _ in lines]
    parts = [
        {part for part in _failing(line, values) if set(names_in(part)) - set_by_hand}
        if fate.reason == "hidden"
        else set()
        for line, fate in zip(lines, line_fates, strict=True)
    ]
    shared = Counter(part for each in parts for part in each)
    return [any(shared[part] >= _MANY for part in each) for each in parts]


def _failing(line: ReadLine, values: OptionValues) -> Iterator[Condition]:
    prompt = values.table.symbols[line.option].prompt or ""
    return values.failing(parse_condition(prompt))


def _is_sound(line: ReadLine, table: OptionTable, *, of_whole: bool) -> bool:
    """The line is taken, whatever its option has in the end."""
    name = _name(line)
    if line.fault == "malformed" or not name:
        return False
    symbol = table.symbols.get(name)
    written = of_whole and (symbol is None or symbol.prompt is None)
    differs = name in table.unlike.lines and not _of_like_choice(name, table)
    return written or differs or name in _KEPT


def _of_like_choice(name: str, table: OptionTable) -> bool:
    """Each release that may be meant has the same choice with this member, which no line sets where
    the choice is hidden or the chip lacks it."""
    if name in table.unlike.values:
        return False
    symbol = table.symbols.get(name)
    return name in members_of(table.release) if symbol is None else bool(symbol.choice)


def _first(
    table: OptionTable, lines: Sequence[ReadLine], stated: set[str]
) -> tuple[OptionTable, UserValues]:
    """The options at hand, but what no user sets or what may be otherwise is as its line says."""
    text = {_name(line): line for line in lines}
    as_stated: dict[str, Symbol] = {}
    more: dict[str, str] = {}
    for name, line in text.items():
        symbol = table.symbols.get(name)
        if symbol is None and name in stated:
            kind = _kind(line.given)
            value = legal(line.given, kind)
            if value is not None:
                as_stated[name], more[name] = Symbol(kind, prompt=""), value
        elif symbol is not None and (
            name in table.unlike.lines or (name in stated and symbol.prompt is None)
        ):
            prompt = f"@{symbol.choice}" if _of_like_choice(name, table) else ""
            as_stated[name] = symbol._replace(prompt=prompt, ranges=(), choice="")
    with_these = with_only(table, {**table.symbols, **as_stated})
    user = user_values(lines, with_these)
    return with_these, UserValues(
        values={**user.values, **more}, picked=user.picked, marked=user.marked
    )


def _second(first: OptionValues, lines: Sequence[ReadLine], stated: set[str]) -> OptionTable:
    """Without what no line names, where a whole file is among the lines; else with the other value
    of each bool that no line names and whose default may be otherwise."""
    symbols, named = first.table.symbols, {_name(line) for line in lines}
    if stated:
        return with_only(first.table, {name: symbols[name] for name in symbols if name in named})
    turned = dict(_turned(first, named))
    return with_only(first.table, {**symbols, **turned})


def _turned(first: OptionValues, named: set[str]) -> Iterator[tuple[str, Symbol]]:
    for name in first.table.unlike.values - named:
        symbol = first.table.symbols.get(name)
        if symbol is None or symbol.kind == "bool":
            other = "n" if symbol is not None and first.text(name) == "y" else "y"
            yield name, Symbol("bool", defaults=((other, ""),))


def _name(line: ReadLine) -> str:
    return line.option or line.written


def _kind(text: str) -> Kind:
    if text[:1] == '"':
        return "string"
    if text in ("y", "n"):
        return "bool"
    return "hex" if _HEX.fullmatch(text) else "int"
