"""The configuration that a verb's files and options name: chip and SDK version included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from heapscope.choices import did_you_mean
from heapscope.config.config import Config, read_files, settle
from heapscope.config.kconfig_tree import IgnoredSetting, tree_version, with_tree
from heapscope.config.read_file import ConfigFile
from heapscope.config.tables import CHIPS, SDKS
from heapscope.errors import InputError
from heapscope.layout.releases import find_release
from heapscope.layout.versions import nearest_sdk
from heapscope.trace.names import printable

DEFAULT_IDF = "5.5"
_NAMED = 4  # lines in a note


@dataclass(frozen=True, kw_only=True)
class ChosenConfig:
    """`refusals`: by the Kconfig of --idf-tree; without it empty."""

    config: Config
    notes: tuple[str, ...]
    refusals: tuple[IgnoredSetting, ...] = ()


def choose_config(
    paths: Sequence[str | Path],
    *,
    chip: str | None,
    idf: str | None,
    tree: Path | None = None,
) -> ChosenConfig:
    """Options before what the files say. InputError names what contradicts or is missing."""
    files = read_files(paths)
    notes: list[str] = []
    sdk = _sdk(files, idf, tree, notes)
    config = settle(files, chip=_chip(files, chip, notes), sdk=sdk)
    if tree is not None:
        config, refusals = with_tree(config, tree)
        return ChosenConfig(config=config, notes=tuple(notes), refusals=refusals)
    if not all(file.generated for file in files):
        notes.append("unset options: the development branch's defaults; older ones may differ")
    return ChosenConfig(config=config, notes=tuple(notes))


def built_config(config: Config) -> tuple[Config, tuple[str, ...]]:
    """The configuration as a build takes it, and a sentence about lines that it leaves out."""
    built, gone = config.taken()
    if not gone:
        return built, ()
    named = [f"CONFIG_{each.written} ({each.file}, line {each.line})" for each in gone[:_NAMED]]
    more = f" and {len(gone) - _NAMED} more" if len(gone) > _NAMED else ""
    return built, (f"left out by Kconfig, as what it depends on is off: {', '.join(named)}{more}",)


def _chip(files: Sequence[ConfigFile], chip: str | None, notes: list[str]) -> str:
    said = {file.said("IDF_TARGET"): file.name for file in files if file.said("IDF_TARGET")}
    targets = [file.said("IDF_TARGET") for file in files]
    last = next(filter(None, reversed(targets)), "")
    if chip is None and not last:
        raise InputError(
            "no --chip, and the files have no CONFIG_IDF_TARGET",
            remedy=f"give --chip: {', '.join(CHIPS)}",
        )
    wanted = chip or last
    if wanted not in CHIPS:
        raise InputError(
            f"unknown chip '{printable(wanted)}'",
            remedy=f"{did_you_mean(wanted, CHIPS)}valid: {', '.join(CHIPS)}",
        )
    if last and wanted != last:
        raise InputError(
            f'--chip {wanted}, and {said[last]} has CONFIG_IDF_TARGET="{printable(last)}"',
            remedy="leave --chip out, or give the files of that chip",
        )
    if chip is None:
        notes.append(f"chip {wanted}, from CONFIG_IDF_TARGET")
    return wanted


def _sdk(files: Sequence[ConfigFile], idf: str | None, tree: Path | None, notes: list[str]) -> str:
    """One of tables.SDKS. A release whose options are not known takes the nearest one's."""
    if idf is not None:
        sdk = nearest_sdk(find_release(idf), SDKS)
        notes.extend(_taken(idf, sdk, "as --idf says"))
        return sdk
    said = next((file.version for file in reversed(files) if file.version), "")
    where = "as the file says"
    if tree is not None and tree_version(tree):
        said, where = tree_version(tree), "as --idf-tree says"
    if not said:
        notes.append(f"ESP-IDF {DEFAULT_IDF}, as neither --idf nor a file says which")
        return DEFAULT_IDF
    try:
        sdk = nearest_sdk(find_release(said), SDKS)
    except InputError:
        sdk = DEFAULT_IDF
    notes.extend(_taken(said, sdk, where) or [f"ESP-IDF {printable(said)}, {where}"])
    return sdk


def _taken(said: str, sdk: str, where: str) -> list[str]:
    """A note where the options of another release are taken."""
    try:
        if find_release(said).minor == find_release(sdk).minor:
            return []
    except InputError:
        pass
    return [f"ESP-IDF {printable(said)}, {where}: checked by the rules of {sdk}"]
