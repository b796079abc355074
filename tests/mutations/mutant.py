"""A thing broken on purpose."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from anchor import places, replaced

__all__ = ["LostError", "Mutant"]


class LostError(Exception):
    """The place of a mutation is not where it says, or there are several."""


@dataclass(frozen=True)
class Mutant:
    figure: str  # the figure that the code carries
    title: str
    place: str  # FILE::DEFINITION, or FILE where it defines nothing (TOML)
    old: str  # its tokens stand once in the definition; white space does not matter
    new: str
    test: str  # a C test program or a pytest file that must fail, without its slow tests

    @property
    def file(self) -> str:
        return self.place.partition("::")[0]

    @property
    def name(self) -> str:
        """How it is told of."""
        return f"{self.figure}: {self.title}"

    def broken(self, tree: Path) -> str:
        """The text of its file in this copy of the repository, with the mutation."""
        file, _, within = self.place.partition("::")
        text = (tree / file).read_text(encoding="utf-8")
        result = places(text, Path(file).suffix, within, self.old)
        if len(result) != 1:
            raise LostError(f"{self.name}: {len(result)} places in {self.place}")
        return replaced(text, result[0], self.new)
