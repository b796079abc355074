"""Which chip, release, allocator and poisoning a log shows, beside what it says: by the addresses,
borders and names of regions, the bytes of their tables, and the rounding of the largest block."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.config.chip_data import ChipData, VersionData, chip_files, read_chip
from heapscope.config.releases import ARDUINO, Release, find_release, finished, minor_of, releases
from heapscope.memory.layout.chip_guess import guess_chip
from heapscope.memory.layout.map_runs import can_print, kinds_of
from heapscope.memory.layout.printed_figures import Printer, RegionFigures, printers
from heapscope.memory.layout.versions import version_of
from heapscope.native.log import Fact

REPORTED, SURE, LIKELY, OPEN = "told", "sure", "likely", "open"

_REGIONS_MAX = 64  # of one list; longer input is not a list
_PRINTED_MAX = 256  # lines of summaries, the last ones
_COUNT_MAX = 1 << 32
_NONE_PRINTS = "no known allocator prints the figures of these regions together"
#: Names as some releases print them.
_KINDS = {"RTC": "RTCRAM"}


@dataclass(frozen=True, kw_only=True)
class Clue:
    """A line, or the first of several, and what it shows."""

    line: int
    what: str


@dataclass(frozen=True, kw_only=True)
class ShownByLog:
    """Empty: not known. `releases`: every one that fits all that the log shows; `allocators`: the
    models that do, without flavours. `confidence` of the release: "told" by the log, "sure" where
    the figures leave the rules of one allocator, "likely" where the names and borders of regions
    alone tell, "open"."""

    chip: str = ""
    chip_reported: bool = False
    release: str = ""
    releases: tuple[str, ...] = ()
    allocators: tuple[str, ...] = ()
    flavours: tuple[str, ...] = ()
    confidence: str = OPEN
    clues: tuple[Clue, ...] = ()
    of_release: tuple[str, ...] = ()  # contradictions about the release
    contradictions: tuple[str, ...] = ()  # all of them


@dataclass(frozen=True)
class _Listed:
    start: int
    size: int
    name: str
    line: int


@dataclass
class _Printed:
    start: int
    size: int
    line: int
    numbers: dict[str, int] = field(default_factory=dict)
    whole: bool = True


class LogEvidence:
    """Takes the facts of a log in order and keeps what tells: the last list of regions at a start,
    and the last lines of heap summaries."""

    def __init__(self) -> None:
        self.chip = ""
        self.idf = ""
        self.idf_line = 0
        self.boot: list[_Listed] = []
        self.printed: deque[_Printed] = deque(maxlen=_PRINTED_MAX)

    #: The kinds of facts that tell something; it takes others, too.
    KINDS = frozenset(("chip", "idf", "framework", "boot_begin", "boot_region")) | {
        "region",
        "region_more",
    }

    def take(self, fact: Fact) -> None:
        if fact.kind == "chip":
            self.chip = _chip_name(fact.name) or self.chip
        elif fact.kind == "idf":
            self.idf, self.idf_line = fact.name, fact.line
        elif fact.kind == "framework" and fact.name.lower() == ARDUINO and not self.idf:
            self.idf, self.idf_line = f"{ARDUINO} {fact.text}", fact.line
        elif fact.kind == "boot_begin":
            self.boot = []
        elif fact.kind == "boot_region" and fact.size and fact.address is not None:
            if not fact.cut and len(self.boot) < _REGIONS_MAX:
                self.boot.append(_Listed(fact.address, fact.size, fact.name, fact.line))
        else:
            self._summary(fact)

    def _summary(self, fact: Fact) -> None:
        if fact.kind == "region" and fact.size and fact.address is not None:
            row = _Printed(fact.address, fact.size, fact.line, whole=not fact.cut)
            row.numbers = _plausible(free=fact.free, used=fact.used)
            self.printed.append(row)
        elif fact.kind == "region_more" and self.printed:
            row = self.printed[-1]
            if "largest" not in row.numbers:
                row.whole &= not fact.cut
                row.numbers |= _plausible(
                    largest=fact.largest, used_blocks=fact.count, free_blocks=fact.free_count
                )

    @property
    def regions(self) -> list[_Listed]:
        """Each once, with its name where the start-up told it."""
        result = {(r.start, r.size): r for r in self.boot}
        for r in self.printed:
            if r.whole:
                result.setdefault((r.start, r.size), _Listed(r.start, r.size, "", r.line))
        return list(result.values())

    def conclude(self) -> ShownByLog:
        """All that the facts taken so far show."""
        regions = self.regions
        guessed = guess_chip((region.start, region.size) for region in regions)
        logged = read_chip(self.chip) if self.chip in chip_files() else None
        figures = list(self.figures())
        possible = printers(one for _, one in figures)
        fitting = _fitting(logged or guessed, regions, possible)
        release = _release(self.idf)
        return ShownByLog(
            chip=self.chip or (guessed.name if guessed else ""),
            chip_reported=bool(self.chip),
            release="" if release is None else release.name,
            releases=tuple(fitting),
            allocators=tuple(dict.fromkeys(one.allocator for one in possible)),
            flavours=tuple(dict.fromkeys(one.flavour for one in possible)),
            confidence=_confidence(release, fitting, possible),
            clues=tuple(_clues(self, guessed, figures, possible)),
            of_release=tuple(_of_release(self.idf, release, fitting)),
            contradictions=(
                *_of_chip(logged, guessed),
                *_of_release(self.idf, release, fitting),
                *(_NONE_PRINTS for _ in figures[:1] if not possible),
            ),
        )

    def figures(self) -> Iterator[tuple[_Printed, RegionFigures]]:
        needed = {"free", "used", "used_blocks", "free_blocks"}
        for row in self.printed:
            if row.whole and needed <= row.numbers.keys():
                yield row, RegionFigures(size=row.size, **row.numbers)


def from_facts(facts: Iterable[Fact]) -> ShownByLog:
    """All that the facts of a log show, whatever it says of itself; where both disagree, both stand
    in `contradictions`."""
    seen = LogEvidence()
    for fact in facts:
        seen.take(fact)
    return seen.conclude()


def fitting_releases(
    chip: ChipData | None, regions: Sequence[tuple[int, int, str]]
) -> tuple[str, ...]:
    """The releases that can print these regions at start-up: starts, sizes, and names, which may be
    empty. Without a chip the list is empty."""
    listed = [_Listed(start, size, name, 0) for start, size, name in regions]
    return tuple(_fitting(chip, listed, ()))


def _fitting(
    chip: ChipData | None, regions: Sequence[_Listed], possible: Sequence[Printer]
) -> list[str]:
    """Every release whose memory has these regions under their names, and whose allocator can have
    printed the figures."""
    if chip is None or not (regions or possible):
        return []
    names = {one.allocator for one in possible}
    places = [(region.start, region.size) for region in regions]
    results = []
    for name in releases():
        version = version_of(chip, find_release(name))
        maps = (version, *_before(chip, name)) if version is not None else ()
        if not any(can_print(one, places) and _named(one, regions) for one in maps):
            continue
        own = {one.allocator for one in maps[:1]} | {one.allocator_psram for one in maps[:1]}
        own |= {chip.rom.allocator} if chip.rom is not None else set()
        if not names or names & own:
            results.append(name)
    return results


def _before(chip: ChipData, name: str) -> Iterator[VersionData]:
    """The memory map that a development version may still have: that of the minor before."""
    if "-dev" not in name:
        return
    earlier = [one for one in finished() if find_release(one).order < find_release(name).order]
    minors = [one for one in earlier if minor_of(one) == minor_of(earlier[-1])] if earlier else []
    for one in minors[:1]:
        version = version_of(chip, find_release(one))
        if version is not None:
            yield version


def _named(version: VersionData, regions: Sequence[_Listed]) -> bool:
    for region in regions:
        kinds = {kind.lower() for kind in kinds_of(version, region.start, region.size)}
        name = _KINDS.get(region.name.upper(), region.name).lower()
        if name and kinds and name not in kinds:
            return False
    return True


def _confidence(
    release: Release | None, fitting: Sequence[str], possible: Sequence[Printer]
) -> str:
    if release is not None:
        return REPORTED
    if possible and fitting:
        return SURE
    return LIKELY if fitting else OPEN


def _clues(
    seen: LogEvidence,
    guessed: ChipData | None,
    figures: Sequence[tuple[_Printed, RegionFigures]],
    possible: Sequence[Printer],
) -> Iterator[Clue]:
    if seen.idf:
        yield Clue(line=seen.idf_line, what=f"the version, {seen.idf}")
    if guessed is not None:
        first = min(seen.regions, key=lambda region: region.line)
        yield Clue(line=first.line, what=f"regions that the memory of the {guessed.title} has")
    if figures and possible:
        rules = ", ".join(dict.fromkeys(one.allocator for one in possible))
        yield Clue(
            line=figures[0][0].line,
            what=f"the bytes that {len(figures)} regions have beside free and allocated: {rules}",
        )


def _of_chip(logged: ChipData | None, guessed: ChipData | None) -> Iterator[str]:
    if logged is not None and guessed is not None and logged.name != guessed.name:
        yield f"the log names the {logged.title}, and its regions are those of the {guessed.title}"


def _of_release(text: str, release: Release | None, fitting: Sequence[str]) -> Iterator[str]:
    if release is not None and fitting and release.name not in fitting:
        logged = printable(text)
        yield f"the log names ESP-IDF {logged}, and what it prints is that of {shown(fitting)}"


def shown(names: Sequence[str]) -> str:
    """Releases for people: "4.4.4 to 4.4.8, 5.0.1 to 5.3.5"; versions between them where there are
    no others."""
    order = [name for name in releases() if name in finished()]
    if not set(order).intersection(names):
        order = list(releases())
    names = [name for name in names if name in order]
    runs: list[list[str]] = []
    for name in names:
        if runs and order.index(runs[-1][-1]) + 1 == order.index(name):
            runs[-1].append(name)
        else:
            runs.append([name])
    return ", ".join(run[0] if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs)


def _release(text: str) -> Release | None:
    try:
        return find_release(text) if text else None
    except InputError:
        return None


def _chip_name(text: str) -> str:
    """ "esp32s3" of "ESP32-S3" and of "esp32s3-20210327"."""
    plain = text.lower().replace("-", "")
    known = sorted(chip_files(), key=len, reverse=True)
    result = next((name for name in known if plain.startswith(name)), "")
    if result == "esp32" and plain[5:6] in ("s", "c", "h", "p"):
        return ""  # a chip that has no file
    return result


def _plausible(**numbers: int | None) -> dict[str, int]:
    """A number below 0 or above 32 bits is a counter that ran over: it tells nothing."""
    return {
        name: number
        for name, number in numbers.items()
        if number is not None and 0 <= number < _COUNT_MAX
    }
