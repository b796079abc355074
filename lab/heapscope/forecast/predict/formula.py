"""Formulas of the table of parts: numbers, options and a few functions, without Python's eval.

    cores * (FREERTOS_ISR_STACKSIZE | 1536)      the option's value, or 1536 where it is not known
    snd * segment / mss                          names in small letters are the scene's
    block(84 + 4 * n), stack(n)                  what the heap takes for a block, for a task's stack
    default(ETH_DMA_BUFFER_SIZE)                 its value where no file says anything of it
    code(freertos), data(freertos)               what a library has in RAM by linker maps

`y` counts as 1 and `n` as 0. The syntax is Python's; the tree is checked when the table is read, so
that a formula which cannot be worked out is found before anyone asks.
"""

from __future__ import annotations

import ast
import functools
import math
import operator
from collections.abc import Callable
from typing import Protocol

Number = int | float


class FormulaScene(Protocol):
    """Whatever gives values to the names of a formula."""

    def option(self, name: str) -> Number | None:
        """None: not known."""

    def name(self, name: str) -> Number:
        """The value of a name in small letters. KeyError: none."""

    def default(self, option: str) -> Number | None:
        """The value that it has where no file says anything of it. None: not known."""

    def library(self, name: str, memory: str) -> Number:
        """Bytes of "code" or "data" that the library of the SDK has in RAM in a default build."""

    def block(self, size: Number) -> Number:
        """Bytes that the heap takes for a block of this size."""

    def stack(self, size: Number) -> Number:
        """Bytes that a task of the SDK takes whose option has this size."""


#: A formula ready to be worked out. None: it hangs on an option that is not known.
Formula = Callable[[FormulaScene], Number | None]

_BINARY: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_COMPARED: dict[type[ast.cmpop], Callable[[Number, Number], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_FUNCTIONS: dict[str, Callable[..., Number]] = {"min": min, "max": max, "ceil": math.ceil}


@functools.cache
def formula(text: str) -> Formula:
    """ValueError: the text cannot be a formula."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError as error:
        raise ValueError(f"{text!r}: {error.msg}") from None
    return _formula(tree.body, text)


def _formula(node: ast.expr, text: str) -> Formula:
    def of(inner: ast.expr) -> Formula:
        return _formula(inner, text)

    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return lambda scene: number
        case ast.Name(id=name) if name.isupper():
            return lambda scene: scene.option(name)
        case ast.Name(id=name):
            return lambda scene: scene.name(name)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _or_else(of(left), of(right))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _applied(_BINARY[type(op)], of(left), of(right))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARED:
            return _applied(_COMPARED[type(op)], of(left), of(right))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _negated(of(operand))
        case ast.BoolOp(op=op, values=values):
            return _joined(isinstance(op, ast.And), [of(value) for value in values])
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return _chosen(of(test), of(body), of(orelse))
        case ast.Call(func=ast.Name(id="default"), args=[ast.Name(id=option)], keywords=[]):
            return lambda scene: scene.default(option)
        case ast.Call(func=ast.Name(id="code" | "data" as memory), args=[library], keywords=[]):
            return _of_library(ast.unparse(library), memory)
        case ast.Call(func=ast.Name(id="block" | "stack" as name), args=[size], keywords=[]):
            return _of_scene(name, of(size))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS:
            return _applied(_FUNCTIONS[name], *(of(each) for each in args))
    raise ValueError(f"{text!r}: {ast.unparse(node)!r} is nothing that a formula may have")


def _applied(function: Callable[..., Number], *of: Formula) -> Formula:
    def value(scene: FormulaScene) -> Number | None:
        values = [each(scene) for each in of]
        return None if None in values else function(*values)

    return value


def _of_library(name: str, memory: str) -> Formula:
    return lambda scene: scene.library(name, memory)


def _of_scene(name: str, size: Formula) -> Formula:
    def value(scene: FormulaScene) -> Number | None:
        result = size(scene)
        taken = scene.block if name == "block" else scene.stack
        return None if result is None else taken(result)

    return value


def _or_else(known: Formula, other: Formula) -> Formula:
    def value(scene: FormulaScene) -> Number | None:
        result = known(scene)
        return other(scene) if result is None else result

    return value


def _negated(of: Formula) -> Formula:
    """An option that is not known counts as off."""
    return lambda scene: not of(scene)


def _joined(every: bool, of: list[Formula]) -> Formula:
    test = all if every else any
    return lambda scene: test(bool(each(scene)) for each in of)


def _chosen(test: Formula, yes: Formula, no: Formula) -> Formula:
    return lambda scene: yes(scene) if test(scene) else no(scene)
