"""Names of Rust's functions and statics as a program's source has them: symbol names of version 0
(RFC 2603), without arguments of types that repeat what the path says."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

_BASIC = {
    "b": "bool", "c": "char", "e": "str", "u": "()", "z": "!", "p": "_", "v": "...",
    "a": "i8", "s": "i16", "l": "i32", "x": "i64", "n": "i128", "i": "isize",
    "h": "u8", "t": "u16", "m": "u32", "y": "u64", "o": "u128", "j": "usize",
    "f": "f32", "d": "f64",
}  # fmt: skip
_T = TypeVar("_T")
_DEEPEST, _STEPS_MAX = 60, 2000
_NUMBER = re.compile(r"([0-9a-zA-Z]*)_")
_IDENTIFIER = re.compile(r"(u?)(\d+)_?")
_OF_VENDOR = re.compile(r"[.$].*$", re.DOTALL)


class _NotRustError(ValueError):
    """The symbol has another form, or one of a later version."""


def rust_name(symbol: str) -> str | None:
    """None: it is not a name of this form."""
    if not re.match(r"_R[A-Z]", symbol):
        return None
    try:
        return _RustReader(_OF_VENDOR.sub("", symbol)[2:]).path()
    except (_NotRustError, IndexError):
        return None


class _RustReader:
    def __init__(self, text: str) -> None:
        self._text, self._at, self._deep, self._steps = text, 0, 0, 0

    def path(self) -> str:
        self._step()
        tag = self._next()
        if tag == "C":
            self._disambiguator()
            name = self._identifier()
        elif tag == "N":
            space = self._next()
            parent = self.path()
            number = self._disambiguator()
            own = self._identifier()
            if space.isupper():
                kind = {"C": "closure", "S": "shim"}.get(space, space)
                own = f"{{{kind}{f':{own}' if own else ''}#{number}}}"
            name = f"{parent}::{own}" if own else parent
        elif tag in "MXY":
            if tag != "Y":
                self._disambiguator()
                self.path()  # of the block, which the type names again
            of = self.type()
            name = f"<{of}>" if tag == "M" else f"<{of} as {self.path()}>"
        elif tag == "I":
            name = f"{self.path()}<{', '.join(self._list(self._argument))}>"
        elif tag == "B":
            name = self._again(self.path)
        else:
            raise _NotRustError
        self._deep -= 1
        return name

    def type(self) -> str:
        self._step()
        tag = self._next()
        if tag in _BASIC:
            name = _BASIC[tag]
        elif tag in "AS":
            of = self.type()
            name = f"[{of}; {self._const()}]" if tag == "A" else f"[{of}]"
        elif tag == "T":
            items = self._list(self.type)
            name = f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
        elif tag in "RQ":
            self._lifetime()
            name = f"&{'mut ' if tag == 'Q' else ''}{self.type()}"
        elif tag in "PO":
            name = f"*{'const' if tag == 'P' else 'mut'} {self.type()}"
        elif tag == "F":
            name = self._function()
        elif tag == "D":
            self._optional("G", self._number)
            name = f"dyn {' + '.join(self._list(self._bound))}"
            self._lifetime()
        elif tag == "B":
            name = self._again(self.type)
        else:
            self._at -= 1
            name = self.path()
        self._deep -= 1
        return name

    def _function(self) -> str:
        self._optional("G", self._number)
        unsafe = "unsafe " if self._optional("U", str) is not None else ""
        abi = ""
        if self._optional("K", str) is not None:
            abi = "C" if self._optional("C", str) is not None else self._identifier()
            abi = f'extern "{abi.replace("_", "-")}" '
        takes = ", ".join(self._list(self.type))
        gives = self.type()
        return f"{unsafe}{abi}fn({takes})" + ("" if gives == "()" else f" -> {gives}")

    def _bound(self) -> str:
        name = self.path()
        while (own := self._optional("p", self._identifier)) is not None:
            name = f"{name}<{own} = {self.type()}>"
        return name

    def _argument(self) -> str:
        if self._text[self._at] == "L":
            self._lifetime()
            return "'_"
        const = self._optional("K", self._const)
        return self.type() if const is None else const

    def _const(self) -> str:
        tag = self._next()
        if tag == "p":
            return "_"
        if tag == "B":
            return self._again(self._const)
        if tag not in _BASIC:
            raise _NotRustError
        sign = "-" if self._optional("n", str) is not None else ""
        end = self._text.index("_", self._at)
        value = int(self._text[self._at : end] or "0", 16)
        self._at = end + 1
        if tag == "b":
            return "true" if value else "false"
        return f"{sign}{value}"

    def _lifetime(self) -> None:
        self._optional("L", self._number)

    def _list(self, read: Callable[[], str]) -> list[str]:
        items = []
        while self._text[self._at] != "E":
            self._step()
            items.append(read())
            self._deep -= 1
        self._at += 1
        return items

    def _again(self, read: Callable[[], str]) -> str:
        """Something that was there before."""
        start = self._at - 1
        target = self._number()
        if target >= start:
            raise _NotRustError
        after, self._at = self._at, target
        name = read()
        self._at = after
        return name

    def _identifier(self) -> str:
        match = _IDENTIFIER.match(self._text, self._at)
        if match is None:
            raise _NotRustError
        # a "_" behind the length only parts it from what follows it
        length, end = int(match[2]), match.end()
        name = self._text[end : end + length]
        if len(name) < length:
            raise _NotRustError
        self._at = end + length
        return _unicode(name) if match[1] else name

    def _disambiguator(self) -> int:
        number = self._optional("s", self._number)
        return 0 if number is None else number + 1

    def _number(self) -> int:
        match = _NUMBER.match(self._text, self._at)
        if match is None:
            raise _NotRustError
        self._at = match.end()
        value = 0
        digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
        for digit in match[1]:
            value = value * 62 + digits.index(digit)
        return value + 1 if match[1] else 0

    def _optional(self, tag: str, read: Callable[[], _T]) -> _T | None:
        """The thing behind a tag; None: the tag is not there."""
        if self._text[self._at : self._at + 1] != tag:
            return None
        self._at += 1
        return read()

    def _next(self) -> str:
        self._at += 1
        return self._text[self._at - 1]

    def _step(self) -> None:
        self._deep, self._steps = self._deep + 1, self._steps + 1
        if self._deep > _DEEPEST or self._steps > _STEPS_MAX:
            raise _NotRustError


def _unicode(name: str) -> str:
    head, _, tail = name.rpartition("_")
    try:
        return f"{head}-{tail}".strip("-").encode("ascii").decode("punycode")
    except UnicodeError:
        return name
