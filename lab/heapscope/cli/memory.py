"""The options that choose the memory to replay on, as parameters of a command."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import wraps
from typing import Annotated, Any, cast

import typer
from typer.models import OptionInfo

from heapscope.base.errors import InputError
from heapscope.memory.options import DECLARED, MemoryOptions, flag, given
from heapscope.memory.values import offered

#: The values of each option of several sides, in the order of the command line.
SidesOptions = Mapping[str, Sequence[str]]

_PARAMETER = "memory"


def takes_memory(command: Callable[..., None]) -> Callable[..., None]:
    """Puts the options that are declared in the place of the command's parameter `memory`, which
    then has what was given, as MemoryOptions."""

    def one(stated: Mapping[str, Any]) -> MemoryOptions:
        return given({name: value for name, value in stated.items() if value != []})

    return _with_options(command, list(DECLARED), read=one, several=False)


def takes_sides(
    *, without: Collection[str] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The same for a command with several sides: `memory` is a SidesOptions, as each option may be
    given several times. `without`: options that the command does not take, or takes by itself."""
    names = [name for name in DECLARED if name not in without]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        return _with_options(
            command,
            names,
            read=lambda stated: {name: values for name, values in stated.items() if values},
            several=True,
        )

    return decorate


def split_sides(
    sides_options: SidesOptions, *, count: int
) -> tuple[MemoryOptions, list[MemoryOptions]]:
    """The options that all of `count` sides share, and those of each side; no sides where no option
    tells them apart."""
    shared = {name: values[0] for name, values in sides_options.items() if len(values) == 1}
    apart = {name: values for name, values in sides_options.items() if len(values) > 1}
    if not apart:
        return given(shared), []
    sides = [{name: values[side] for name, values in apart.items()} for side in range(count)]
    return given(shared), [given(side) for side in sides]


def two_sides(
    sides_options: SidesOptions, *, example: str
) -> tuple[MemoryOptions, list[MemoryOptions]]:
    """The same for a left and a right side."""
    for name, values in sides_options.items():
        if len(values) > 2:
            raise InputError(
                f"{flag(name)} given {len(values)} times, but a comparison has two sides",
                remedy=example,
            )
    return split_sides(sides_options, count=2)


def report_sides(
    sides_options: SidesOptions, *, traces: int
) -> tuple[MemoryOptions, list[MemoryOptions]]:
    """The same for as many sides as there are traces, or as one option was given."""
    counts = {"traces": traces} | {
        flag(name): len(values) for name, values in sides_options.items()
    }
    several = {name: number for name, number in counts.items() if number > 1}
    count = max(several.values(), default=1)
    if any(number != count for number in several.values()):
        listed = ", ".join(f"{name}: {number}" for name, number in several.items())
        raise InputError(
            f"the sides of a report cannot be told: {listed}",
            remedy="give each once for all sides, or as often as there are sides",
        )
    return split_sides(sides_options, count=count)


def _with_options(
    command: Callable[..., None],
    names: Sequence[str],
    *,
    read: Callable[[Mapping[str, Any]], Any],
    several: bool,
) -> Callable[..., None]:
    """The parser looks at the signature alone, so that is what is made here."""
    signature = inspect.signature(command, eval_str=True)
    parameters = list(_parameters(signature, names, several))

    @wraps(command)
    def run(**values: Any) -> None:
        stated = {name: values.pop(name) for name in names}
        command(**values, **{_PARAMETER: read(stated)})

    built = cast(Any, run)
    built.__signature__ = signature.replace(parameters=parameters)
    built.__annotations__ = {one.name: one.annotation for one in parameters}
    return run


def _parameters(
    signature: inspect.Signature, names: Sequence[str], several: bool
) -> Iterator[inspect.Parameter]:
    for parameter in signature.parameters.values():
        if parameter.name != _PARAMETER:
            yield parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            continue
        for name in names:
            option = DECLARED[name]
            yield inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=None,
                annotation=_annotation(name, repeats=several or option.repeats),
            )


def _annotation(name: str, *, repeats: bool) -> Any:
    return Annotated[list[str] | None if repeats else str | None, memory_option(name)]


def memory_option(name: str) -> OptionInfo:
    """The option of this name, for a command that does not take all of them."""
    option = DECLARED[name]
    shown: OptionInfo = typer.Option(
        flag(name),
        metavar=option.metavar,
        help=option.help,
        show_default=False,
        autocompletion=offered(name),
    )
    return shown
