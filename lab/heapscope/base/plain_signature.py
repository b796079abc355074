"""The signature of a verb's function for people: types without the options of the command line."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

_MODULES = re.compile(r"\b(?:[a-z_]+\.)+(?=[A-Z])")


def plain_signature(function: Callable[..., Any]) -> inspect.Signature:
    """The signature that help() shows."""
    signature = inspect.signature(function)
    names = inspect.unwrap(function).__globals__
    return signature.replace(
        parameters=[
            one.replace(annotation=_plain(one.annotation, names))
            for one in signature.parameters.values()
        ]
    )


def _plain(annotation: Any, names: Mapping[str, Any]) -> Any:
    """The type out of `Annotated[TYPE, Option(...)]`, written out or behind a name."""
    if not isinstance(annotation, str):
        return annotation
    node = ast.parse(annotation, mode="eval").body
    if isinstance(node, ast.Name) and hasattr(names.get(node.id), "__metadata__"):
        return _MODULES.sub("", inspect.formatannotation(names[node.id].__origin__))
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Tuple | ast.Name):
        return annotation
    name = ast.unparse(node.value)
    if name == "Annotated" and isinstance(node.slice, ast.Tuple):
        return ast.unparse(node.slice.elts[0])
    return ast.unparse(node.slice) if name == "Unpack" else annotation
