"""A process of its own that lets esp-idf-kconfig read Kconfig files: it takes settings from the
environment and writes to the terminal as it likes.

    python -m heapscope.config.kconfig_worker KCONFIG ANSWER

ANSWER gets, as JSON, `symbols`: by name the fields of `kconfig.table.Symbol`, and `choices`: by id
those of `OptionChoice`; or `error`, with its text; or `refused`, the program that the files would
run: none is.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

#: Events of Python before it starts a program.
_STARTS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.startfile")


class _RefusedError(Exception):
    """A Kconfig file would run a program."""


def run_nothing() -> None:
    """From here on this process starts no program, and the library imports no functions that the
    environment or the current folder has: `$(shell,...)` and its like are refused."""

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event in _STARTS:
            named = arguments[1] if len(arguments) > 1 else arguments
            words = [named] if isinstance(named, str) else map(str, named)
            raise _RefusedError(" ".join(words))

    sys.addaudithook(refuse)
    os.environ.pop("KCONFIG_FUNCTIONS", None)
    sys.modules["kconfigfunctions"] = None  # type: ignore[assignment]  # its import fails


def answer(file: str) -> dict[str, Any]:
    library: Any = importlib.import_module("esp_kconfiglib.core")
    try:
        kconfig = library.Kconfig(file)
    except _RefusedError as error:
        return {"refused": str(error)}
    except (library.KconfigError, OSError, UnicodeDecodeError) as error:
        return {"error": str(error)}
    tree = _Tree(library, kconfig)
    return {
        "symbols": {
            symbol.name: tree.symbol(symbol)
            for symbol in kconfig.unique_defined_syms
            if symbol.orig_type in tree.kinds
        },
        "choices": {tree.choice_id(each): tree.choice(each) for each in kconfig.unique_choices},
    }


class _Tree:
    """The library's objects as text."""

    def __init__(self, library: Any, kconfig: Any) -> None:
        self.kinds = {
            library.BOOL: "bool",
            library.INT: "int",
            library.HEX: "hex",
            library.STRING: "string",
        }
        self._library = library
        self._kconfig = kconfig

    def symbol(self, symbol: Any) -> list[Any]:
        kind = self.kinds[symbol.orig_type]
        side = self._condition if kind == "bool" else self._text
        return [
            kind,
            self._condition(symbol.direct_dep),
            self._prompt(symbol),
            [[self._text(low), self._text(high), self._condition(when)]
             for low, high, when in symbol.ranges],
            self._pairs(symbol.defaults, side),
            self._pairs(symbol.selects, self._text),
            self._pairs(symbol.implies, self._text),
            "" if symbol.choice is None else self.choice_id(symbol.choice),
        ]  # fmt: skip

    def choice(self, choice: Any) -> list[Any]:
        return [
            [symbol.name for symbol in choice.syms],
            self._prompt(choice) or "n",
            self._pairs(choice.defaults, self._text),
        ]

    def choice_id(self, choice: Any) -> str:
        return choice.name or f"#{choice.syms[0].name if choice.syms else id(choice)}"

    def _prompt(self, item: Any) -> str | None:
        """The condition under which one of the prompts is there; None: it has none."""
        results = [node.prompt[1] for node in item.nodes if node.prompt]
        if not results:
            return None
        either = self._library.OR
        return self._condition(functools.reduce(lambda one, two: (either, one, two), results))

    def _pairs(self, pairs: Iterable[tuple[Any, Any]], side: Any) -> list[list[str]]:
        return [[side(value), self._condition(when)] for value, when in pairs]

    def _condition(self, expression: Any) -> str:
        return "" if expression is self._kconfig.y else self._text(expression)

    def _text(self, expression: Any) -> str:
        return str(self._library.expr_str(expression, self._atom))

    def _atom(self, item: Any) -> str:
        if item.__class__ is self._library.Choice:
            return f"@{self.choice_id(item)}"
        if item is self._kconfig.y or item is self._kconfig.n or not item.is_constant:
            return str(item.name)
        escaped = item.name.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'


if __name__ == "__main__":
    source, target = sys.argv[1:]
    run_nothing()
    Path(target).write_text(json.dumps(answer(source)), encoding="utf-8")
