"""A thing broken on purpose."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Mutant"]


@dataclass(frozen=True)
class Mutant:
    figure: str  # the figure that the code carries
    title: str
    file: str
    old: str  # stands once in the file
    new: str
    test: str  # a C test program or a pytest file that must fail
