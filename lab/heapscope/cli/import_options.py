"""What the user said about an import, and what a format makes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from heapscope.errors import HeapscopeError

__all__ = ["ImportFormat", "ImportOptions"]


@dataclass(frozen=True, kw_only=True)
class ImportOptions:
    """As typed; None and empty: nothing."""

    file: Path
    out: Path | None = None
    json: Path | None = None
    idf: str | None = None
    chip: str | None = None
    poisoning: str | None = None
    needs: tuple[str, ...] = ()

    def refuse(self, *names: str, form: str) -> None:
        """HeapscopeError for options that the format has no use for."""
        for name in names:
            if getattr(self, name):
                flag = "--need" if name == "needs" else f"--{name}"
                raise HeapscopeError(
                    f"{flag} says nothing about a file of format {form}",
                    remedy="leave it out; it belongs to the replay",
                )


@dataclass(frozen=True, kw_only=True)
class ImportFormat:
    title: str  # what such a file holds, in a line
    run: Callable[[ImportOptions], None]
