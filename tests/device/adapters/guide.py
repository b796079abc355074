"""The C programs and parts of programs in the guide's pages on private heaps and pools."""

from __future__ import annotations

import re
from dataclasses import dataclass

from emulation.places import ROOT

__all__ = ["PAGES", "Example", "examples"]

PAGES = ("private-heaps", "pools")
BLOCK = re.compile(
    r"^```c\n(.*?)^```\n(?:\n<!-- [^\n]* -->\n```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Example:
    """`shown`: what the page says that the program prints; empty where it says nothing."""

    name: str
    code: str
    shown: str

    @property
    def is_program(self) -> bool:
        return "int main(" in self.code


def examples() -> list[Example]:
    results = []
    for page in PAGES:
        text = (ROOT / "docs" / "guide" / f"{page}.md").read_text("utf-8")
        for number, match in enumerate(BLOCK.finditer(text), 1):
            results.append(Example(f"{page}-{number}", match[1], match[2] or ""))
    return results
