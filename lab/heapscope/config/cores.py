"""Configurations that prebuilt cores and projects bring, by name and release (data/cores).

arduino@3.3.8          arduino-esp32's, of the chip's usual memory variant
arduino@3.3.8:qio_opi  of another variant; arduino@3.3.8:psram on a board that has PSRAM
micropython@1.27.0:ESP32_GENERIC_S3   of a board; with @5.4.1 behind it, under another ESP-IDF
idf@5.5.1              an empty configuration: ESP-IDF's defaults
"""

from __future__ import annotations

import csv
import functools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from heapscope.base.choices import did_you_mean
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.zstd import ZstdDecompressor
from heapscope.config.read_file import ConfigFile
from heapscope.config.releases import find_release, minor_of
from heapscope.config.value import Value

#: Cores whose libraries are built before the sketch is: no user changes their options or ESP-IDF.
PREBUILT = ("arduino", "tasmota")
IDF = "idf"
PROJECTS = (*PREBUILT, "micropython", "circuitpython", "esphome", IDF)

#: Abilities of a prebuilt core's libraries that neither every sketch nor every board has.
_LATENT = {
    "BT_ENABLED": "Bluetooth",
    "SPIRAM": "PSRAM",
    "SPIRAM_SUPPORT": "PSRAM",
    "ESP32_SPIRAM_SUPPORT": "PSRAM",
    "ESP32S2_SPIRAM_SUPPORT": "PSRAM",
    "ESP32S3_SPIRAM_SUPPORT": "PSRAM",
}
#: Caches of frames are those of the libraries, with PSRAM or without.
_CACHES = "CACHE_TX_BUFFER_NUM"
_NAME = re.compile(
    rf"(?P<project>{'|'.join(PROJECTS)})@v?(?P<release>[^@:+,\"]+)(?P<tags>(?::[^@:+,\"]*)*)"
)
_BEHIND = re.compile(r"@v?(?P<release>[^@:+,\"]+)")
_NUMBER = re.compile(r"-?[0-9]+")


@dataclass(frozen=True, kw_only=True)
class NamedCore:
    """A project's release, by name. `tags`: its variant or board."""

    project: str
    release: str
    tags: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        return ":".join((f"{self.project}@{self.release}", *self.tags))


@dataclass(frozen=True, kw_only=True)
class Core:
    """A release's configuration. `instead`: values that count in place of the options'."""

    named: NamedCore
    chip: str | None
    idf: str
    file: ConfigFile
    instead: Mapping[str, Value] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def named_core(text: str) -> tuple[NamedCore, str] | None:
    """The release that a text begins with, and what follows it; None: it names none. A file of that
    name comes first."""
    match = _NAME.match(text)
    if match is None or Path(text).exists() or Path(match["project"]).is_file():
        return None
    tags = tuple(tag for tag in match["tags"].split(":") if tag)
    named = NamedCore(project=match["project"], release=match["release"], tags=tags)
    return named, text[match.end() :]


def core_behind(before: NamedCore, text: str) -> tuple[NamedCore, str] | None:
    """ "@3.3.8" behind arduino@3.3.7 is that release of arduino. None: it is one of ESP-IDF's,
    which a project that is built from source takes, too."""
    match = _BEHIND.match(text)
    if match is None:
        return None
    built_here = before.project in PREBUILT or before.project == IDF
    known = built_here or match["release"] in _releases(before.project)
    if not known and _is_of_idf(match["release"]):
        return None
    named = NamedCore(project=before.project, release=match["release"], tags=before.tags)
    return named, text[match.end() :]


def _is_of_idf(release: str) -> bool:
    try:
        find_release(release)
    except InputError:
        return False
    return True


def core_of(named: NamedCore, *, chip: str | None) -> Core:
    """InputError: the release, its chip or its variant is not known."""
    if named.project == IDF:
        if named.tags:
            raise InputError(
                f"{printable(named.shown)}: ESP-IDF's defaults have no variants",
                remedy=f"write idf@{printable(named.release)}",
            )
        return Core(named=named, chip=chip, idf=named.release, file=_file(named, chip, {}))
    release, notes = _release(named)
    record = _releases(named.project)[release]
    chip, lines, variant = _lines(named, record["chips"], chip)
    instead: dict[str, Value] = {}
    if named.project in PREBUILT:
        instead = dict(_instead(named.project, release, chip, lines))
        latent = {name: what for name, what in _LATENT.items() if lines.pop(name, "n") == "y"}
        notes += tuple(
            f"the libraries of {named.project} have {what}, which counts with "
            f"+CONFIG_{name}=y alone"
            for name, what in latent.items()
        )
    shown = NamedCore(project=named.project, release=release, tags=(variant,) if variant else ())
    return Core(
        named=named,
        chip=chip,
        idf=record["idf"],
        file=_file(shown, chip, lines),
        instead=instead,
        notes=notes,
    )


def _release(named: NamedCore) -> tuple[str, tuple[str, ...]]:
    """The release itself, or the nearest one of its minor and a note."""
    known = _releases(named.project)
    if named.release in known:
        return named.release, ()
    same = [each for each in known if minor_of(each) == minor_of(named.release)]
    if not same:
        minors = ", ".join(dict.fromkeys(minor_of(each) for each in known))
        raise InputError(
            f"no configuration of {named.project} {printable(named.release)} is known",
            remedy=f"known: {minors}; give the sdkconfig of the release itself",
        )
    nearest = min(same, key=lambda each: abs(_patch(each) - _patch(named.release)))
    note = f"{named.project} {printable(named.release)}: that of {nearest}, the nearest known"
    return nearest, (note,)


def _patch(name: str) -> int:
    numbers = [int(part) for part in re.findall(r"[0-9]+", name)]
    return numbers[2] if len(numbers) > 2 else 0


def _lines(
    named: NamedCore, chips: Mapping[str, Any], chip: str | None
) -> tuple[str, dict[str, str | None], str]:
    """The chip, its lines with those of the variant, and the variant. A board tells its chip."""
    wanted = ":".join(named.tags)
    having = [name for name, each in chips.items() if wanted in each["variants"]]
    if wanted in chips:  # the kind of a chip, such as engineering samples
        chip, wanted = wanted, ""
    elif chip is None and len(having) == 1 and wanted:
        chip = having[0]
    if chip is None:
        raise InputError(
            f"{printable(named.shown)}: for which chip?",
            remedy=f"give --chip: {', '.join(chips)}",
        )
    if chip not in chips:
        raise InputError(
            f"{printable(named.shown)} has no configuration for the {printable(chip)}",
            remedy=f"it has: {', '.join(chips)}",
        )
    variants = chips[chip]["variants"]
    variant = wanted or next(iter(variants))
    if variant not in variants:
        raise InputError(
            f"{printable(named.shown)}: no such configuration on the {chip}",
            remedy=f"{did_you_mean(wanted, variants)}valid: {', '.join(filter(None, variants))}",
        )
    return chip.partition("_")[0], {**chips[chip]["lines"], **variants[variant]}, variant


def _file(named: NamedCore, chip: str | None, lines: Mapping[str, str | None]) -> ConfigFile:
    text = "" if chip is None else f'CONFIG_IDF_TARGET="{chip}"\n'
    for option, value in lines.items():
        if value == "n":
            text += f"# CONFIG_{option} is not set\n"
        elif value is not None:
            text += f"CONFIG_{option}={value}\n"
    return ConfigFile(name=named.shown, text=text)


def _instead(
    project: str, release: str, chip: str, lines: Mapping[str, str | None]
) -> Iterator[tuple[str, Value]]:
    """Effects of the core's code, and parts of its libraries that are there without PSRAM, too."""
    psram = (name for name, what in _LATENT.items() if what == "PSRAM")
    yield "PSRAM_BUILT", any(lines.get(name) == "y" for name in psram)
    for name, value in lines.items():
        if name.endswith(_CACHES) and value is not None:
            yield f"ESP_WIFI_{_CACHES}", _value(value)
    for row in _code():
        within = _order(row["since"]) <= _order(release) <= _order(row["until"])
        of_chip = not row["chips"] or chip in row["chips"].split()
        if row["project"] == project and within and of_chip:
            yield row["option"], _value(row["value"])


def _value(text: str) -> Value:
    return int(text) if _NUMBER.fullmatch(text) else text == "y"


def _order(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"[0-9]+", release))


@functools.cache
def _code() -> tuple[dict[str, str], ...]:
    file = resources.files("heapscope.data") / "cores" / "code.csv"
    return tuple(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))


@functools.cache
def _releases(project: str) -> Mapping[str, Any]:
    file = resources.files("heapscope.data") / "cores" / f"{project}.zst"
    document: dict[str, Any] = json.loads(ZstdDecompressor().decompress(file.read_bytes()))
    return document
