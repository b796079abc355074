"""A release's options with those of a project."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from heapscope.config.kconfig.condition import Condition, names_in, parse_condition, written
from heapscope.config.kconfig.definitions import Choice, Entry, Fault, FileLine
from heapscope.config.kconfig.kconfig_file import KconfigReader
from heapscope.config.kconfig.table import (
    Kind,
    OptionChoice,
    OptionTable,
    Pairs,
    Symbol,
    with_symbols,
)
from heapscope.config.kconfig.words import ALWAYS, Word, both, condition_of, either

_KINDS = ("bool", "int", "hex", "string")
_OPTION = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


def with_files(table: OptionTable, reader: KconfigReader, *, whole: bool = True) -> OptionTable:
    """The table with what the reader has read. Faults go to the reader's. `whole`:
    no files are missing, besides those that the reader could not read."""
    built = _OptionDefinitions(table, reader)
    choices = dict(built.choices())
    every = with_symbols(table, dict(built.symbols()), choices)
    whole = whole and not reader.unread and not reader.faults
    return with_symbols(every, unsure=(built.unread if whole else built.unsure(every)) | reader.set)


class _OptionDefinitions:
    """Symbols and choices of all definitions. `unread`: options whose values are not known; so it
    is where ESP-IDF defines an option too, as its files may be read before the project's or be
    replaced by them."""

    def __init__(self, table: OptionTable, reader: KconfigReader) -> None:
        self._table = table
        self._faults = reader.faults
        self._choices = reader.choices
        self._entries: dict[str, list[Entry]] = {}
        for entry in reader.entries:
            self._entries.setdefault(entry.name, []).append(entry)
        self._members: dict[Choice, list[str]] = {
            choice: list(_members(choice)) for choice in self._choices
        }
        self.unread: set[str] = set()

    def symbols(self) -> Iterator[tuple[str, Symbol]]:
        for name, entries in self._entries.items():
            kind = next((each.kind for each in reversed(entries) if each.kind), "")
            base = self._table.symbols.get(name)
            if not kind:
                in_choice = any(each.choice for each in entries)
                kind = "bool" if in_choice else base.kind if base is not None else ""
            if any(each.unsure for each in entries) or kind not in _KINDS:
                self.unread.add(name)
            if kind in _KINDS:
                early = self._symbol([each for each in entries if each.projbuild], cast(Kind, kind))
                late = self._symbol(
                    [each for each in entries if not each.projbuild], cast(Kind, kind)
                )
                parts = [part for part in (early, base, late) if part is not None]
                if base is not None and any(part != base for part in parts):
                    self.unread.add(name)
                yield name, parts[0] if len(parts) == 1 else _joined(cast(Kind, kind), parts)

    def choices(self) -> Iterator[tuple[str, OptionChoice]]:
        by_name: dict[str, list[Choice]] = {}
        for choice in self._choices:
            by_name.setdefault(choice.name, []).append(choice)
        for name, same in by_name.items():
            members = [member for choice in same for member in self._members[choice]]
            prompts = [choice.prompt for choice in same if choice.prompt is not None]
            defaults = [pair for choice in same for pair in self._choice_defaults(choice)]
            prompt = _text(either(*prompts))
            base = self._table.choices.get(name)
            if base is not None:
                members += base.members
                defaults += base.defaults
                prompt = _text(either(*prompts, parse_condition(base.prompt)))
            yield name, OptionChoice(tuple(dict.fromkeys(members)), prompt, tuple(defaults))

    def unsure(self, table: OptionTable) -> set[str]:
        """Options that hang on a name that stands where nobody here can read."""
        results = set(self.unread)
        used = {name: set(_names(table, name)) for name in self._entries if name in table.symbols}
        used = {name: names | self._of_choices(table, names) for name, names in used.items()}
        for name, names in used.items():
            if any(_missing(each, table) for each in names):
                results.add(name)
        while True:
            more = {name for name, names in used.items() if names & results} - results
            if not more:
                break
            results |= more
        for name in [*results]:
            symbol = table.symbols.get(name)
            if symbol is not None:
                results.update(target for target, _ in (*symbol.selects, *symbol.implies))
        return results

    def _of_choices(self, table: OptionTable, names: set[str]) -> set[str]:
        choices = [table.choices.get(name[1:]) for name in names if name[0] == "@"]
        prompts = [choice.prompt for choice in choices if choice is not None]
        return {name for prompt in prompts for name in names_in(parse_condition(prompt))}

    def _symbol(self, entries: Sequence[Entry], kind: Kind) -> Symbol | None:
        if not entries:
            return None
        depends = [both(each.depends, each.outer) for each in entries]
        prompts = [
            both(each.prompt, each.visible, depend)
            for each, depend in zip(entries, depends, strict=True)
            if each.prompt is not None
        ]
        each_with = list(zip(entries, depends, strict=True))
        choices = [each.choice for each in entries if self._in_choice(each)]
        return Symbol(
            kind=kind,
            depends=_text(either(*depends)),
            prompt=_text(either(*prompts)) if prompts else None,
            ranges=tuple(
                (low.atom(), high.atom(), _text(both(condition, depend)))
                for each, depend in each_with
                for low, high, condition in each.ranges
            ),
            defaults=tuple(
                pair for each, depend in each_with for pair in self._defaults(each, depend, kind)
            ),
            selects=_targets((each.selects, depend) for each, depend in each_with),
            implies=_targets((each.implies, depend) for each, depend in each_with),
            choice=choices[-1].name if choices and choices[-1] is not None else "",
        )

    def _in_choice(self, entry: Entry) -> bool:
        return entry.choice is not None and entry.name in self._members[entry.choice]

    def _defaults(self, entry: Entry, depends: Condition, kind: Kind) -> Iterator[tuple[str, str]]:
        for words, condition in entry.defaults:
            value = self._value(entry.place, words, kind)
            if value is not None:
                yield value, _text(both(condition, depends))

    def _choice_defaults(self, choice: Choice) -> Iterator[tuple[str, str]]:
        for words, condition in choice.defaults:
            if len(words) == 1:
                yield words[0].text, _text(both(condition, choice.depends))
            else:
                self._faults.append(Fault(choice.place, "a choice's default is one option"))

    def _value(self, place: FileLine, words: list[Word], kind: Kind) -> str | None:
        """A condition for a bool, an atom for others; None: it is neither."""
        if kind == "bool":
            try:
                return _text(condition_of(words)) or "y"
            except ValueError as error:
                self._faults.append(Fault(place, str(error)))
                return None
        if len(words) == 1:
            return words[0].atom()
        self._faults.append(Fault(place, f"a default of {kind} is one value"))
        return None


def _members(choice: Choice) -> Iterator[str]:
    """Without those that depend on the one before them: the program makes a menu of these, below
    it, and does not count them."""
    above: list[str] = []
    for entry in choice.members:
        shown = entry.depends if entry.prompt is None else both(entry.prompt, entry.depends)
        while above and not _hangs_on(both(shown, entry.outer), above[-1]):
            above.pop()
        if not above:
            yield entry.name
        above.append(entry.name)


def _hangs_on(condition: Condition, name: str) -> bool:
    """It cannot hold while the option is off."""
    if condition[0] == "and":
        return any(_hangs_on(part, name) for part in condition[1])
    if condition[0] == "is":
        return bool(condition[1] == name)
    sides = condition[1:]
    return (condition[0] == "=" and set(sides) == {name, "y"}) or (
        condition[0] == "!=" and set(sides) == {name, "n"}
    )


def _joined(kind: Kind, parts: Sequence[Symbol]) -> Symbol:
    """All definitions of an option count, in their order."""
    prompts = [parse_condition(part.prompt) for part in parts if part.prompt is not None]
    return Symbol(
        kind=kind,
        depends=_text(either(*(parse_condition(part.depends) for part in parts))),
        prompt=_text(either(*prompts)) if prompts else None,
        ranges=tuple(each for part in parts for each in part.ranges),
        defaults=tuple(each for part in parts for each in part.defaults),
        selects=tuple(each for part in parts for each in part.selects),
        implies=tuple(each for part in parts for each in part.implies),
        choice=next((part.choice for part in parts if part.choice), ""),
    )


def _targets(pairs: Iterable[tuple[list[tuple[str, Condition]], Condition]]) -> Pairs:
    return tuple(
        (name, _text(both(condition, depends)))
        for targets, depends in pairs
        for name, condition in targets
    )


def _text(condition: Condition) -> str:
    """ "" where it always holds."""
    return "" if condition == ALWAYS else written(condition)


def _names(table: OptionTable, name: str) -> Iterator[str]:
    """All that the value of an option hangs on."""
    symbol = table.symbols[name]
    conditions = [symbol.depends, symbol.prompt or ""]
    conditions += [when for _, when in (*symbol.defaults, *symbol.selects, *symbol.implies)]
    conditions += [when for _, _, when in symbol.ranges]
    if symbol.kind == "bool":
        conditions += [value for value, _ in symbol.defaults]
    for condition in conditions:
        yield from names_in(parse_condition(condition))
    for low, high, _ in symbol.ranges:
        yield from (low, high)
    if symbol.kind != "bool":
        yield from (value for value, _ in symbol.defaults if value[:1] != '"')


def _missing(name: str, table: OptionTable) -> bool:
    """True for an option-like name that this release does not define."""
    known = name in table.symbols or name in table.elsewhere or name in ("y", "n")
    return _OPTION.fullmatch(name) is not None and not known
