"""The parameters of a function that the command line gives: those whose type has an Option."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import NoneType, SimpleNamespace, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import typer

from heapscope.base.option import Option, flag
from heapscope.memory.options import DECLARED, MemoryOptions
from heapscope.memory.values import offered

#: Types of the command line. The first one counts that a parameter takes.
_KINDS = (Path, str, bool, float, int)

#: Values that the command line cannot give: the function's default is left as it is.
_NOTHING = (None, "", ())

#: The parameter of a function that takes each option of the memory for several memories.
SIDES = "sides"

#: The parameter that takes the options of the memory.
MEMORY = "memory"


@dataclass(frozen=True, kw_only=True)
class Taken:
    """`hint`: the type without its Option; `argument`: it has no flag; `memory`: an option of the
    memory to replay on."""

    name: str
    option: Option
    hint: Any
    default: Any
    argument: bool = False
    several: bool = False
    memory: bool = False

    @property
    def many(self) -> bool:
        """The function takes the values as arguments without a name."""
        return self.several and not self.memory

    def parameter(self) -> inspect.Parameter:
        """The same for the library that parses, which looks at the signature of a command."""
        members = list(_members(self.hint))
        several = self.several or any(many for _, many in members)
        kind = self.option.kind or next(
            kind for kind in _KINDS if any(member is kind for member, _ in members)
        )
        if self.memory:
            kind = str  # a file may also be "none"
        default = None if self.default in _NOTHING else self.default
        shape = list[kind] if several else kind  # type: ignore[valid-type]
        return inspect.Parameter(
            self.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if self.option.required else default,
            annotation=Annotated[shape if default is not None else shape | None, self._shown()],
        )

    def _shown(self) -> Any:
        option = self.option
        own: dict[str, Any] = {
            "metavar": option.metavar or None,
            "help": option.help,
            "show_default": "-o" not in option.flags,
            "min": option.least,
            "max": option.most,
        }
        if self.argument:
            return typer.Argument(**own)
        listed = offered(self.name) if DECLARED.get(self.name) is option else None
        return typer.Option(*(option.flags or (flag(self.name),)), autocompletion=listed, **own)


def taken(function: Callable[..., Any]) -> list[Taken]:
    """In the order of the help: arguments, options of the memory, and the function's own."""
    signature = inspect.signature(function).parameters
    result: list[Taken] = []
    for name, parameter in signature.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            result += _of_memory(several=SIDES in signature) if name == MEMORY else ()
            continue
        hint = _hint(function, name)
        option = next((one for one in get_args(hint)[1:] if isinstance(one, Option)), None)
        if option is None:
            continue
        several = parameter.kind is inspect.Parameter.VAR_POSITIONAL
        required = option.required or (
            not option.metavar.startswith("[") if several else parameter.default is parameter.empty
        )
        result.append(
            Taken(
                name=name,
                option=replace(option, required=required),
                hint=get_args(hint)[0],
                default=() if several else parameter.default,
                argument=parameter.kind is not inspect.Parameter.KEYWORD_ONLY and not option.flags,
                several=several,
            )
        )
    return sorted(result, key=lambda one: (not one.argument, not one.memory))


def _of_memory(*, several: bool) -> Iterator[Taken]:
    for name, hint in get_type_hints(MemoryOptions, include_extras=True).items():
        yield Taken(
            name=name,
            option=DECLARED[name],
            hint=get_args(hint)[0],
            default=None,
            several=several,
            memory=True,
        )


def _hint(function: Callable[..., Any], name: str) -> Any:
    """The type of a parameter; None: it has one that checkers of types alone know."""
    alone = SimpleNamespace(__annotations__={name: function.__annotations__.get(name)})
    names = vars(sys.modules[function.__module__])
    try:
        return get_type_hints(alone, names, include_extras=True)[name]
    except NameError:
        return None


def _members(hint: Any, *, many: bool = False) -> Iterator[tuple[Any, bool]]:
    """The types that a hint names, and whether each may come several times."""
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        for one in get_args(hint):
            yield from _members(one, many=many)
    elif origin in (Sequence, Iterable):
        yield from _members(get_args(hint)[0], many=True)
    elif hint is not NoneType:
        yield hint, many
