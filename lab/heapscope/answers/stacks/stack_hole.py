"""Why a bound of a stack is not known, as one thing that a user can close."""

from __future__ import annotations

from dataclasses import dataclass

DYNAMIC, RECURSION, INDIRECT, OUTSIDE, UNREAD, SWITCH = (
    "dynamic frame",
    "recursion",
    "indirect call",
    "code outside the file",
    "code not read",
    "stack pointer set",
)


@dataclass(frozen=True, kw_only=True, order=True)
class StackHole:
    """`kind`: one of the above; `function`: where it is; `site`: the address of the instruction, 0
    for the whole function; `detail`: what is known of it."""

    kind: str
    function: str
    site: int = 0
    detail: str = ""

    @property
    def sentence(self) -> str:
        where = f"{self.function}" + (f" at {self.site:#010x}" if self.site else "")
        return f"{self.kind}: {where}" + (f", {self.detail}" if self.detail else "")
