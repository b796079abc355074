"""The meaning of a region's figures: the bytes behind `largest_free_block`, and what would be
served.

How a version rounds, P being the bytes that poisoning adds to each block and takes off the report:

    free list        up to v4.2         reports the largest free block F as it is
    powers of two    v4.3.0, v4.3.1     TLSF with 32 classes for each power of two; reports the
                                        power of two below F (esp-idf issue 7808)
    32 classes       v4.3.2 to v5.0     the same allocator; reports the start of F's class, below
                                        32 bytes nothing
    8, 16, 32        v5.0 and later     classes by the region's size: up to 16 KB, up to 256 KB,
                                        above; reports the start of F's class, small F as it is

A request of n bytes takes up4(n + P), with TLSF rounded up to the start of a class; so where the
start of the class is reported, what is reported is what would be served, to the byte. Sources:
multi_heap.c and tlsf.c of these versions; docs/reference/models.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from heapscope.capture.esp_idf.version import SdkVersion
from heapscope.rows.figure import figure
from heapscope.rows.row import Row

#: The values of `--poisoning`. "comprehensive" costs a block what "light" does.
POISONINGS = ("none", "light", "comprehensive")

_HEAP_STRUCTURE = 20  # bytes of a region in front of what its size class goes by
_SMALLEST = 12  # bytes of a TLSF block
_BYTES_MAX = (1 << 32) - 1
_FREE_LIST, _POWERS, _CLASSES_32, _CLASSES = range(4)
_NAMES = (
    "free list (to v4.2)",
    "TLSF, powers of two reported (v4.3.0, v4.3.1)",
    "TLSF, 32 classes (v4.3.2 to v5.0)",
    "TLSF, classes by region size (v5.0 and later)",
)


class ByteRange(Row):
    """Bounds, both possible. Equal: known to the byte."""

    least: int = figure("Not less than this.", "B")
    most: int = figure("Not more than this.", "B")

    @property
    def exact(self) -> bool:
        return self.least == self.most

    def hull(self, other: ByteRange) -> ByteRange:
        return ByteRange(least=min(self.least, other.least), most=max(self.most, other.most))


@dataclass(frozen=True, kw_only=True)
class ReportedRegion:
    """The figures of one region, as reported. None: not known."""

    length: int | None = None
    free: int | None = None
    largest: int | None = None


@dataclass(frozen=True, kw_only=True)
class Room:
    """`largest_free`: the true largest payload of a free block; `allocatable`: the largest request
    that would be served (0: none)."""

    largest_free: ByteRange
    allocatable: ByteRange

    def hull(self, other: Room) -> Room:
        return Room(
            largest_free=self.largest_free.hull(other.largest_free),
            allocatable=self.allocatable.hull(other.allocatable),
        )


@dataclass(frozen=True, kw_only=True)
class RoundingRule:
    """One way to read the figures. `reported_less`: bytes that poisoning takes off them;
    `request_more`: bytes that it and task tracking add to a request."""

    family: int
    reported_less: int = 0
    request_more: int = 0

    @property
    def name(self) -> str:
        return _NAMES[self.family]

    @property
    def poisoned(self) -> bool:
        return self.reported_less > 0

    def room(self, figures: ReportedRegion) -> Room | None:
        """None: this rule cannot give these figures."""
        found: Room | None = None
        for bins in self._bins(figures.length):
            one = self._room(figures, bins)
            if one is not None:
                found = one if found is None else found.hull(one)
        return found

    def _bins(self, length: int | None) -> tuple[int, ...]:
        """log2 of the classes of a power of two; 0: none."""
        if self.family == _FREE_LIST:
            return (0,)
        if self.family != _CLASSES:
            return (5,)
        if length is None:
            return (3, 4, 5)
        size = length - _HEAP_STRUCTURE
        return (3,) if size <= 1 << 14 else (4,) if size <= 1 << 18 else (5,)

    def _room(self, figures: ReportedRegion, bins: int) -> Room | None:
        limit = figures.length if figures.free is None else figures.free + self.reported_less
        most = (_BYTES_MAX if limit is None else limit) & ~3
        free = self._free_block(figures.largest, bins)
        if free is None or free.least > most:
            return None
        free = ByteRange(least=free.least, most=min(free.most, most))
        served = [self._served(size, bins) for size in (free.least, free.most)]
        return Room(largest_free=free, allocatable=ByteRange(least=served[0], most=served[1]))

    def _free_block(self, largest: int | None, bins: int) -> ByteRange | None:
        if largest is None:
            return ByteRange(least=0, most=_BYTES_MAX)
        reported = largest + self.reported_less
        if largest == 0:
            return ByteRange(least=0, most=self._unseen())
        if self.family == _FREE_LIST:
            return None if reported % 4 else ByteRange(least=reported, most=reported)
        if self.family == _POWERS:
            power = reported & (reported - 1) == 0 and reported >= _SMALLEST
            return ByteRange(least=reported, most=2 * reported - 4) if power else None
        least = 32 if self.family == _CLASSES_32 else _SMALLEST
        if reported < least or reported % 4 or _class_start(reported, bins) != reported:
            return None
        return ByteRange(least=reported, most=reported + max(_interval(reported, bins), 4) - 4)

    def _unseen(self) -> int:
        """The largest free block that is reported as none."""
        if self.family == _CLASSES_32:
            return 28
        return self.reported_less

    def _served(self, size: int, bins: int) -> int:
        if bins:
            size = 0 if size < _SMALLEST else _class_start(size, bins)
        return max(0, size - self.request_more)


def _interval(size: int, bins: int) -> int:
    """Width of the class of `size`; below 4 where each size has its own."""
    return (1 << (size.bit_length() - 1)) >> bins


def _class_start(size: int, bins: int) -> int:
    return size & ~(max(_interval(size, bins), 1) - 1)


def room(figures: ReportedRegion, rules: Iterable[RoundingRule]) -> Room | None:
    """The values that all of the rules together allow; None: no rule gives these figures."""
    found: Room | None = None
    for rule in rules:
        one = rule.room(figures)
        if one is not None:
            found = one if found is None else found.hull(one)
    return found


def rules_of(
    version: SdkVersion | None, *, poisoning: str | None, tracking: bool, rom: bool = False
) -> tuple[RoundingRule, ...]:
    """Every rule that may hold; None: not known. `tracking`: the heap keeps the task of a block;
    `rom`: the chip's ROM may hold an older allocator than the version's."""
    families = dict.fromkeys((*_families(version), *((_CLASSES_32,) if rom else ())))
    return tuple(
        RoundingRule(family=family, reported_less=less, request_more=more)
        for family in families
        for less, more in dict.fromkeys(_overheads(family, version, poisoning, tracking))
    )


def _families(version: SdkVersion | None) -> tuple[int, ...]:
    """v4.2.1 and later of 4.2 are said to report powers of two as well (esp-idf issue 7808); boards
    under v5.0 were seen with tables by region size (micropython pull request 12952)."""
    if version is None:
        return (_FREE_LIST, _POWERS, _CLASSES_32, _CLASSES)
    series, patch = version.series, version.patch
    if series < (4, 2):
        return (_FREE_LIST,)
    if series == (4, 2):
        return (_FREE_LIST,) if patch == 0 else (_FREE_LIST, _POWERS)
    if series == (4, 3):
        if patch is None or version.early:
            return (_POWERS, _CLASSES_32)
        return (_POWERS,) if patch < 2 else (_CLASSES_32,)
    if series == (4, 4):
        return (_POWERS, _CLASSES_32) if version.early else (_CLASSES_32,)
    return (_CLASSES_32, _CLASSES) if series == (5, 0) else (_CLASSES,)


def _overheads(
    family: int, version: SdkVersion | None, poisoning: str | None, tracking: bool
) -> Iterator[tuple[int, int]]:
    """(off the report, on a request). Poisoning: 12 bytes. Tracking: up to v5.0 4 more in the
    poisoning, without which it is not to be had; later 4 on each request alone."""
    amounts = [0, 12] if poisoning is None else [0 if poisoning == "none" else 12]
    old = family != _CLASSES or (version is not None and version.major < 5)
    for amount in amounts:
        if not tracking:
            yield amount, amount
            continue
        if old and amount:
            yield 16, 16
        if family in (_CLASSES, _CLASSES_32) and (version is None or version.major >= 5):
            yield amount, amount + 4


def candidates(
    rules: tuple[RoundingRule, ...], seen: Iterable[ReportedRegion]
) -> tuple[tuple[RoundingRule, ...], int]:
    """The rules that explain most of the figures, and how many regions even they do not."""
    distinct = list(dict.fromkeys(seen))
    misses = [sum(rule.room(figures) is None for figures in distinct) for rule in rules]
    fewest = min(misses, default=0)
    kept = tuple(rule for rule, missed in zip(rules, misses, strict=True) if missed == fewest)
    return kept, fewest
