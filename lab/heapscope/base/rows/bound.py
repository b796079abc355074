"""How far a figure of a damaged trace can be believed: a mark for each, by its place.

Counts only grow, peaks only rise, minima only fall: what was seen before the loss bounds the whole
run. The bytes that are live or free at the end, and the largest block then, go up and down.
"""

from __future__ import annotations

import enum
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import fields

from heapscope.base.rows.figure import figure_of
from heapscope.base.rows.row import Row, hints


class Bound(enum.StrEnum):
    """The word that a figure of a part has for the whole run."""

    EXACT = "exact"  # the loss cannot change it
    AT_LEAST = "at_least"
    AT_MOST = "at_most"
    FIRST = "first"  # exact where there is one; null: none before the loss
    BEFORE = "before_loss"  # exact at the loss, or before it; it says nothing of later events
    WITHHELD = "withheld"
    AS_RECORDED = "as_recorded"  # exact of the recording, of whose origin facts are lost


EXACT, AT_LEAST, AT_MOST, FIRST, BEFORE, WITHHELD, AS_RECORDED = Bound

#: A mark for each field of a row that has one.
Bounds = Mapping[str, Bound]


def bounds(**names: str) -> Bounds:
    """A mark and the fields that have it, which stand in one string."""
    result: dict[str, Bound] = {}
    for mark, marked in names.items():
        result |= dict.fromkeys(marked.split(), Bound[mark])
    return result


def bounds_of(row: type[Row], *, without: tuple[str, ...] = ()) -> dict[str, Bounds]:
    """The marks of a row's figures and of the rows in it, by their place. `without`: fields whose
    rows are left out, since they tell what happened: the loss hides others, which came later."""
    return dict(_places(row, "", without))


def _places(row: type[Row], place: str, without: tuple[str, ...]) -> Iterator[tuple[str, Bounds]]:
    marks = {}
    for f in fields(row):
        reported, path = figure_of(f), f"{place}.{f.name}" if place else f.name
        if reported is not None and reported.bound:
            marks[f.name] = Bound(reported.bound)
        elif f.name not in without:
            kind = hints(row)[f.name]
            listed = typing.get_origin(kind) is tuple
            inner = kind
            if listed or isinstance(kind, types.UnionType):  # each of them; the row, or None
                inner = typing.get_args(kind)[0]
            if isinstance(inner, type) and issubclass(inner, Row):
                yield from _places(inner, f"{path}[]" if listed else path, without)
    if marks:
        yield place, marks


def flat(rows: Mapping[str, Bounds]) -> dict[str, Bound]:
    """The marks by path."""
    return {
        f"{place}.{name}" if place else name: bound
        for place, marks in rows.items()
        for name, bound in marks.items()
    }


def after(bound: Bound, event: int | None, *, facts_lost: bool) -> Bound:
    """The mark after a loss. `event`: heap events before the first one that is missing; 0: what is
    true at the loss is of no worth; None: none is missing, and facts alone are lost."""
    if event is None:
        return AS_RECORDED
    if event == 0 and bound == BEFORE:
        return WITHHELD
    return AS_RECORDED if facts_lost and bound == EXACT else bound
