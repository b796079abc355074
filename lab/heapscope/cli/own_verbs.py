"""This package's own verbs. A verb's module is imported when the verb is asked for: all of them
together take longer than most answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from keyword import iskeyword
from typing import Any

from typer.core import TyperCommand

import heapscope
from heapscope import VERBS


class OwnVerbs(Mapping[str, Any]):
    """The commands by their names, in the order of the help."""

    def __init__(self, cls: type[TyperCommand]) -> None:
        self._cls = cls
        self._commands: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._commands:
            if name not in NAMES:
                raise KeyError(name)
            self._commands[name] = _command(name, self._cls)
        return self._commands[name]

    def __contains__(self, name: object) -> bool:
        return name in NAMES

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


NAMES = tuple(name.rstrip("_") for name in VERBS)


def summary(name: str) -> str:
    """The docstring of the verb's module, without running the module where that can be."""
    module = _module(name)
    loader: Any = getattr(find_spec(module), "loader", None)
    code = loader.get_code(module) if hasattr(loader, "get_code") else None
    stated = code.co_consts[0] if code is not None and code.co_consts else None
    return stated if isinstance(stated, str) else str(import_module(module).__doc__)


def _module(name: str) -> str:
    return f"heapscope.cli.verbs.{_keyword(name)}"


def _keyword(name: str) -> str:
    """The Python name of a verb: a word of Python gets a line below."""
    return f"{name}_" if iskeyword(name) else name


def _command(name: str, cls: type[TyperCommand]) -> Any:
    """The verb's function, and what its command adds, where there is such a module."""
    from heapscope.cli.parser import parser

    own = _keyword(name)
    added = f"{__package__}.{own}"
    module = import_module(added) if find_spec(added) is not None else None
    return parser(
        getattr(heapscope, own),
        getattr(module, own, None),
        name=name,
        cls=cls,
        short_help=summary(name),
        settings=getattr(module, "SETTINGS", None),
    )
