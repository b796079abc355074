"""Two configurations side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

from heapscope.forecast.ladder.compared import difference_of
from heapscope.forecast.ladder.difference import Diff
from heapscope.forecast.ladder.side import named_files
from heapscope.forecast.ladder.sides import SideOptions, levels, sides_of


def diff(before: str | Path, after: str | Path, **options: Unpack[SideOptions]) -> Diff:
    """Says what two configurations differ in, and what each difference gives.

    `before`, `after`: an sdkconfig, several with commas between them, or a folder; "@5.1" behind
    it names its release. `after` may be "+CONFIG_X=y" or "+FILE", which adds lines to `before`, or
    "@5.5", the same under another release. `options`: those of predict(); the static use is that
    of `before`. InputError: an input cannot be used.
    """
    sides = sides_of(named_files([before, after]), options)
    rungs, rests_on, notes = levels(sides)
    return Diff(
        before=rungs[0],
        after=rungs[1],
        **vars(difference_of(*sides)),
        rests_on=rests_on,
        notes=notes,
    )
