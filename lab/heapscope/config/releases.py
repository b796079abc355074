"""Releases of ESP-IDF: what people, logs and `idf.py --version` write, and the release it names."""

from __future__ import annotations

import csv
import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import resources

from heapscope.base.errors import InputError
from heapscope.base.printable import printable

#: In a text such as "arduino 2.0.17".
ARDUINO = "arduino"

_TEXT_MAX = 100  # characters of a version that are looked at
_SPELLED = re.compile(
    r"(?:esp-idf[ /:-]*)?(?P<branch>(?:idf-)?release[/_])?v?(?P<minor>[0-9]{1,2}\.[0-9]{1,2})"
    r"(?:\.(?P<patch>[0-9]{1,2}))?(?P<before>-(?:dev|beta[0-9]{0,2}|rc[0-9]{0,2}))?"
    r"(?:-(?P<commits>[0-9]{1,5})(?:-g[0-9a-f]{6,40})?)?(?P<rest>(?:[-+_ ].*)?)",
    re.IGNORECASE,
)
#: The name of PlatformIO's package: 3.40407.240606 has ESP-IDF 4.4.7 in its second number.
_PACKAGE = re.compile(r"3\.([0-9])([0-9]{2})([0-9]{2})(?:\.[0-9]+)?(?:\+.*)?")


@dataclass(frozen=True, kw_only=True)
class Release:
    """A version that a text names. `name`: that of the nearest row of releases.csv without its
    commits ("5.1.4", "5.2-dev"); `allocator`: the model that its source builds, for a heap whose
    tables are those of the smallest chip. Not `certain`: another version of that minor is meant."""

    name: str
    allocator: str
    given: str  # as it was written
    note: str = ""  # how the text became this release, where it is not this very release
    certain: bool = True

    @property
    def minor(self) -> str:
        return minor_of(self.name)

    @property
    def order(self) -> int:
        """Its place among all releases; that of its release for a version before one."""
        return _places()[self.name]


@functools.lru_cache(maxsize=1024)
def find_release(text: str) -> Release:
    """ "v5.3.1-dirty" is 5.3.1, "arduino 2.0.17" is 4.4.7. An unknown patch release is taken as the
    nearest of its minor, and the note says so. InputError names the known minors where the text has
    none of them."""
    wanted = " ".join(text.split())[:_TEXT_MAX]
    if wanted.lower().startswith(ARDUINO):
        return arduino_release(wanted)
    package = _PACKAGE.fullmatch(wanted)
    if package is not None:
        major, minor, patch = (int(part) for part in package.groups())
        release = find_release(f"{major}.{minor}.{patch}")
        return _row(
            release.name, given=wanted, note=f"PlatformIO's package {wanted} is {release.name}"
        )
    match = _SPELLED.fullmatch(wanted)
    if match is not None:
        return _spelled(match, wanted, text)
    if wanted.lower() in releases():  # a name without numbers
        return _row(wanted.lower(), given=wanted)
    raise _unknown(text)


def arduino_release(text: str) -> Release:
    """The release that a core of arduino-esp32 ("2.0.17") is built on. InputError names the known
    minors of the cores."""
    core = text.strip().lower().removeprefix(ARDUINO).lstrip(" -/").removeprefix("v")
    cores = arduino_cores()
    numbers = re.fullmatch(r"([0-9]{1,2}\.[0-9]{1,2})(?:\.([0-9]{1,3}))?(?:[-+].*)?", core)
    same = [] if numbers is None else [name for name in cores if minor_of(name) == numbers[1]]
    if numbers is None or not same:
        known = ", ".join(dict.fromkeys(f"{minor_of(name)}.x" for name in cores))
        raise InputError(
            f"unknown core of arduino-esp32 '{printable(text)}'",
            remedy=f"valid: {known}; or give the ESP-IDF version itself with --idf",
        )
    patch = int(numbers[2] or 0)
    name = min(same, key=lambda each: abs(_patch(each) - patch))
    release = find_release(cores[name])
    exact = name == f"{numbers[1]}.{patch}"
    near = "" if exact else f" (the nearest known to {printable(core)})"
    note = f"core {name} of arduino-esp32{near} is built on ESP-IDF {cores[name]}"
    return Release(name=release.name, allocator=release.allocator, given=cores[name], note=note)


@functools.cache
def releases() -> Mapping[str, str]:
    """The allocator of each row of releases.csv, in their order."""
    return _table("releases", "release")


@functools.cache
def _places() -> Mapping[str, int]:
    places = {name: place for place, name in enumerate(releases())}
    for name in places:
        if name not in finished():
            same = (one for one in finished() if minor_of(one) == minor_of(name))
            places[name] = places[next(same, name)]
    return places


@functools.cache
def arduino_cores() -> Mapping[str, str]:
    """The release of ESP-IDF of each known core."""
    return _table("arduino", "core")


@functools.cache
def finished() -> tuple[str, ...]:
    """The releases, oldest first: no version between two, and no branch."""
    return tuple(name for name in releases() if re.fullmatch(r"[0-9]+(?:\.[0-9]+)+", name))


def minors() -> tuple[str, ...]:
    """ "3.3", ..., "6.1": those with a row, and what has no number, in their order."""
    return tuple(dict.fromkeys(minor_of(name) for name in releases()))


def minor_of(name: str) -> str:
    """ "5.1" of "5.1.4" and of "5.1-dev"; the name itself where it has no number."""
    match = re.match(r"[0-9]+\.[0-9]+", name)
    return match[0] if match else name


def _spelled(match: re.Match[str], wanted: str, text: str) -> Release:
    minor = ".".join(str(int(part)) for part in match["minor"].split("."))
    known = [name for name in releases() if minor_of(name) == minor]
    if not known:
        raise _unknown(text)
    before, commits = (match["before"] or "").lower(), int(match["commits"] or 0)
    done = [name for name in finished() if name in known] or known
    if match["branch"]:
        note = f"{printable(wanted)} is a branch; its last known release, {done[-1]}, is taken"
        return replace(_row(done[-1], given=wanted, note=note), certain=False)
    if before:
        result = _before_release(minor + before, done[0], commits, wanted)
        return replace(result, certain=wanted.removeprefix("v") == result.name)
    patch = int(match["patch"] or 0)
    exact = minor if patch == 0 else f"{minor}.{patch}"
    if exact in known:
        note = _later_patches(exact, done) if wanted == minor else ""
        return _row(exact, given=wanted, commits=commits, note=note)
    name = min(done, key=lambda each: abs(_patch(each) - patch))
    note = f"ESP-IDF {exact} is not known; {name} is taken, the nearest of {minor}"
    return replace(_row(name, given=wanted, note=note), certain=False)


def _before_release(name: str, release: str, commits: int, wanted: str) -> Release:
    """A development version, beta or candidate: its own row, or else that of its release."""
    if name in releases():
        result = _row(name, given=wanted, commits=commits)
        note = f"{printable(wanted)} came before {minor_of(name)}"
        return Release(name=name, allocator=result.allocator, given=wanted, note=note)
    note = f"{printable(wanted)} came before {release} and is taken as that"
    return _row(release, given=wanted, note=note)


def _later_patches(first: str, minor: list[str]) -> str:
    """A minor alone is its first release; the field has mostly later ones, which may differ."""
    other = next((n for n in minor if releases()[n] != releases()[first]), "")
    if not other:
        return ""
    return f"{first} is the release {first}.0; from {other} on the allocator is another one"


def _row(name: str, *, given: str, commits: int = 0, note: str = "") -> Release:
    """The row of a release, or of the last change behind it that these commits include."""
    behind = {name: 0}
    for row in releases():
        stem, _, count = row.rpartition("-")
        if stem == name and count.isdigit():
            behind[row] = int(count)
    last = max((row for row in behind if behind[row] <= commits), key=lambda row: behind[row])
    if commits and not note:
        note = f"{printable(given)} is {commits} commits after {name}"
    return Release(name=name, allocator=releases()[last], given=given, note=note)


def _patch(name: str) -> int:
    match = re.match(r"[0-9]+\.[0-9]+\.([0-9]+)", name)
    return int(match[1]) if match else 0


def _unknown(text: str) -> InputError:
    return InputError(
        f"unknown ESP-IDF version '{printable(text)}'",
        remedy=f"valid: {', '.join(minors())}, each with its patch releases (5.1.4)",
    )


def _table(table: str, key: str) -> Mapping[str, str]:
    """The second column of data/releases/TABLE.csv by the first."""
    file = resources.files("heapscope.data") / "releases" / f"{table}.csv"
    rows: Iterable[dict[str, str]] = csv.DictReader(file.read_text(encoding="utf-8").splitlines())
    value = {"releases": "allocator", "arduino": "release"}[table]
    return {row[key]: row[value] for row in rows}
