"""A class of the product has a name of its own, so that one word means one thing."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
PRODUCT = ROOT / "lab" / "heapscope"


def test_no_class_name_is_defined_twice() -> None:
    defined: dict[str, list[str]] = defaultdict(list)
    for path in sorted(PRODUCT.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                defined[node.name].append(str(path.relative_to(PRODUCT)))
    assert {name: paths for name, paths in defined.items() if len(paths) > 1} == {}
