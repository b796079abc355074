"""The names that verbs had before: each gives the new command, with what the user wrote put in."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from heapscope.base.errors import HeapscopeError


@dataclass(frozen=True, kw_only=True)
class OldVerb:
    """`verb`: the new one; `behind`: words that follow the user's; `flags`: the new names of
    options."""

    verb: str
    behind: tuple[str, ...] = ()
    flags: Mapping[str, str] = field(default_factory=dict)

    def words(self, given: Sequence[str]) -> tuple[str, ...]:
        return (self.verb, *(self._renamed(word) for word in given), *self.behind)

    def _renamed(self, word: str) -> str:
        flag, equals, value = word.partition("=")
        return f"{self.flags.get(flag, flag)}{equals}{value}"


OLD = {
    "info": OldVerb(verb="replay"),
    "explorer": OldVerb(verb="report", flags={"--out": "--output"}),
    "pools": OldVerb(verb="fit", behind=("--pools",), flags={"--set": "--sizes"}),
    "diff": OldVerb(verb="compare"),
    "ladder": OldVerb(verb="compare"),
    "upgrade": OldVerb(
        verb="compare", behind=("--parts",), flags={"--from": "--idf", "--to": "--idf"}
    ),
}


def renamed(name: str, given: Sequence[str]) -> HeapscopeError | None:
    """The error that has the new command; None: no verb had this name."""
    old = OLD.get(name)
    if old is None:
        return None
    return HeapscopeError(
        f"'{name}' is part of '{old.verb}' now",
        remedy=f"heapscope {shlex.join(old.words(given))}",
    )
