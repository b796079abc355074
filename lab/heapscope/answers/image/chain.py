"""Blocks one behind the other, whose own words say where the next one is, also across damage."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from heapscope.answers.image.heap import Damage, Gap, ImageBlock
from heapscope.memory.image.memory_image import MemoryImage

_PROOF = 3  # blocks in a row that are no chance


@dataclass(frozen=True)
class ChainStep:
    """One block that proves itself, and where the next one begins."""

    block: ImageBlock
    next: int


def broken_header(
    image: MemoryImage, *, at: int = 0, size: int = 4, payload: int, why: str
) -> Callable[[int, int], Damage | None]:
    """For `follow`: the damage of a block whose header leads nowhere. `at`, `payload`: offsets of
    the word and of the payload; `why`: a sentence about the header, without its end."""

    def broken(block: int, going_on: int) -> Damage | None:
        holds = image.word(block + at)
        if holds is None:
            return None
        return Damage(
            address=block + at,
            size=size,
            block=block + payload,
            kind="header",
            holds=holds,
            why=f"{why}; the next that proves itself is at {going_on:#010x}",
        )

    return broken


def broken_link(
    at: int,
    owner: int,
    holds: int,
    why: str,
    *,
    size: int = 4,
    expected: int | None = None,
    twice: int = 0,
) -> Damage:
    """The damage of a link at `at` of a list of free blocks, of the block `owner`, or 0: the list's
    head. `why`: a sentence without its end; `twice`: the block that is in the list twice, or 0."""
    return Damage(
        address=at,
        size=size,
        block=owner,
        kind="free_link" if owner else "control",
        holds=holds,
        expected=expected,
        why=why,
        twice=twice,
    )


@dataclass
class Chained:
    blocks: list[ImageBlock] = field(default_factory=list)
    damage: list[Damage] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)


def follow(
    first: int,
    last: int,
    step: Callable[[int], ChainStep | None],
    *,
    candidates: Callable[[int], Iterable[int]],
    broken: Callable[[int, int], Damage | None],
) -> Chained:
    """From the block at `first` to the end of the heap at `last`. Behind a block that does not
    prove itself it goes on at the first of `candidates` (of places behind it, upwards) from which a
    chain leads to the end, or to some blocks. `broken`: the damage of the block at the one place
    when the walk goes on at the other, None where its bytes are unknown."""
    result = Chained()
    proofs: list[int] | None = None
    at = first
    while at < last:
        one = step(at)
        if one is not None and at < one.next <= last:
            result.blocks.append(one.block)
            at = one.next
            continue
        if proofs is None:
            proofs = _proofs(first, last, step, candidates)
        index = bisect_right(proofs, at)
        going_on = proofs[index] if index < len(proofs) else last
        found = broken(at, going_on)
        if found is not None:
            result.damage.append(found)
        result.gaps.append(Gap(start=at, end=going_on))
        at = going_on
    return result


def _proofs(
    first: int,
    last: int,
    step: Callable[[int], ChainStep | None],
    candidates: Callable[[int], Iterable[int]],
) -> list[int]:
    """The places from which a chain leads to the end; where none does, to some blocks."""
    lengths = {last: 1 << 30}
    places = [place for place in candidates(first) if first < place < last]
    for place in reversed(places):
        one = step(place)
        if one is not None and place < one.next <= last:
            lengths[place] = lengths.get(one.next, 0) + 1
    whole = [place for place in places if lengths.get(place, 0) >= 1 << 30]
    return whole or [place for place in places if lengths.get(place, 0) >= _PROOF]
