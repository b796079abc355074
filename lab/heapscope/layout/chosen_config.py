"""The configuration that a verb's files and options name: chip and SDK version included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from heapscope.choices import did_you_mean
from heapscope.config.config import Config, read_files, settle
from heapscope.config.kconfig_tree import tree_table, tree_version
from heapscope.config.read_file import ConfigFile
from heapscope.errors import InputError
from heapscope.kconfig.table import release_for
from heapscope.layout.chip_data import chip_files
from heapscope.layout.releases import Release, find_release, minor_of
from heapscope.trace.names import printable

DEFAULT_IDF = "5.5"
_NAMED = 4  # lines in a note


@dataclass(frozen=True, kw_only=True)
class ChosenConfig:
    config: Config
    notes: tuple[str, ...]


def choose_config(
    paths: Sequence[str | Path],
    *,
    chip: str | None,
    idf: str | None,
    tree: Path | None = None,
) -> ChosenConfig:
    """Options before what the files say. `tree`: an ESP-IDF whose own options judge. InputError
    names what contradicts or is missing."""
    files = read_files(paths)
    notes: list[str] = []
    chosen = _chip(files, chip, notes)
    release = _release(files, chosen, idf, tree, notes)
    own = None if tree is None else tree_table(tree, chip=chosen, sdk=release.name)
    config = settle(files, chip=chosen, sdk=release.name, own=own)
    return ChosenConfig(config=config, notes=tuple(notes))


def left_out(config: Config) -> tuple[str, ...]:
    """A sentence about lines of the files that a build does not take; none: it takes all."""
    gone = [
        each.setting
        for each in config.judged
        if each.fate.reason not in ("", "later", "block", "mark", "unset", "unknown")
        and each.setting.file
    ]
    if not gone:
        return ()
    named = [
        f"CONFIG_{printable(each.written)} ({each.file}, line {each.line})"
        if each.written
        else f"{each.file}, line {each.line}"
        for each in gone[:_NAMED]
    ]
    more = f" and {len(gone) - _NAMED} more" if len(gone) > _NAMED else ""
    return (
        f"lines that the build of ESP-IDF {config.sdk} does not take: {', '.join(named)}{more}; "
        "heapscope lint says why",
    )


def _chip(files: Sequence[ConfigFile], chip: str | None, notes: list[str]) -> str:
    said = {file.said("IDF_TARGET"): file.name for file in files if file.said("IDF_TARGET")}
    targets = [file.said("IDF_TARGET") for file in files]
    last = next(filter(None, reversed(targets)), "")
    chips = chip_files()
    if chip is None and not last:
        raise InputError(
            "no --chip, and the files have no CONFIG_IDF_TARGET",
            remedy=f"give --chip: {', '.join(chips)}",
        )
    wanted = chip or last
    if wanted not in chips:
        raise InputError(
            f"unknown chip '{printable(wanted)}'",
            remedy=f"{did_you_mean(wanted, chips)}valid: {', '.join(chips)}",
        )
    if last and wanted != last:
        raise InputError(
            f'--chip {wanted}, and {said[last]} has CONFIG_IDF_TARGET="{printable(last)}"',
            remedy="leave --chip out, or give the files of that chip",
        )
    if chip is None:
        notes.append(f"chip {wanted}, from CONFIG_IDF_TARGET")
    return wanted


def _release(
    files: Sequence[ConfigFile], chip: str, idf: str | None, tree: Path | None, notes: list[str]
) -> Release:
    """The version that is asked for. A note where the options are those of another one."""
    said, where = idf or "", "as --idf says"
    if not said and tree is not None:
        said, where = tree_version(tree), "as --idf-tree says"
    if not said:
        said = next((file.version for file in reversed(files) if file.version), "")
        where = "as the file says"
    if not said:
        notes.append(f"ESP-IDF {DEFAULT_IDF}, as neither --idf nor a file says which")
        return find_release(DEFAULT_IDF)
    try:
        release = find_release(said)
    except InputError:
        if idf is not None:
            raise
        notes.append(f"ESP-IDF {printable(said)}, {where}, is not known: taken as {DEFAULT_IDF}")
        return find_release(DEFAULT_IDF)
    taken = _taken(said, release, chip, where) if tree is None else []
    notes.extend(taken or ([] if idf else [f"ESP-IDF {printable(said)}, {where}"]))
    return release


def _taken(said: str, release: Release, chip: str, where: str) -> list[str]:
    """A note where the options of another release are taken."""
    options = release_for(release.name, chip)
    if options == release.name or said == release.minor == minor_of(options):
        return []
    return [f"ESP-IDF {printable(said)}, {where}: judged by the options of {options}"]
