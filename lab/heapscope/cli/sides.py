"""The options of the memory where each may be given for several sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from heapscope.base.errors import InputError
from heapscope.base.option import flag
from heapscope.memory.options import MemoryOptions, given

#: The values of each option of several sides, in the order of the command line.
SidesOptions = Mapping[str, Sequence[str]]

#: The options that all sides share, and those of each side; no sides where nothing differs.
Sides = tuple[MemoryOptions, list[MemoryOptions]]


def split_sides(sides_options: SidesOptions, *, count: int) -> Sides:
    """The options that all of `count` sides share, and those of each side; no sides where no option
    tells them apart."""
    shared = {name: values[0] for name, values in sides_options.items() if len(values) == 1}
    apart = {name: values for name, values in sides_options.items() if len(values) > 1}
    if not apart:
        return given(shared), []
    sides = [{name: values[side] for name, values in apart.items()} for side in range(count)]
    return given(shared), [given(side) for side in sides]


def sides_of(sides_options: SidesOptions, *, things: int) -> Sides:
    """The same for as many sides as there are things, or as one option was given."""
    counts = {"things": things} | {
        flag(name): len(values) for name, values in sides_options.items()
    }
    several = {name: number for name, number in counts.items() if number > 1}
    count = max(several.values(), default=1)
    if any(number != count for number in several.values()):
        listed = ", ".join(f"{name}: {number}" for name, number in several.items())
        raise InputError(
            f"the number of sides is not clear: {listed}",
            remedy="give each once for all sides, or as often as there are sides",
        )
    return split_sides(sides_options, count=count)
