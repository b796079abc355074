"""The configuration that a verb's files and options name: chip and SDK version included."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from heapscope.base.choices import did_you_mean
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.config.chip_data import chip_files
from heapscope.config.config import Config, read_files, settle, table_of
from heapscope.config.kconfig.names import release_of, releases_with
from heapscope.config.kconfig.table import release_for
from heapscope.config.kconfig_tree import tree_table, tree_version
from heapscope.config.project import Project, Stated, find_project
from heapscope.config.project_options import ProjectOptions, project_options
from heapscope.config.read_file import ConfigFile
from heapscope.config.releases import Release, find_release, minor_of
from heapscope.config.setting import Setting

DEFAULT_IDF = "5.5"
_NAMED = 4  # lines in a note
#: Fates of lines that count or that another line overrides, and of those with their own sentence.
_TAKEN = ("", "later", "block", "mark", "unset", "unknown")
_TELLING = 100  # options that tell the release which has them
_NOTES_MAX = 6  # notes on a project
_VERSION = re.compile(r"v?([0-9]{1,2})\.([0-9]{1,2})(?:\.([0-9]{1,2}))?(?![0-9])")


@dataclass(frozen=True, kw_only=True)
class ChosenConfig:
    """`paths`: the files of the configuration."""

    config: Config
    notes: tuple[str, ...]
    paths: tuple[Path, ...]
    project: ProjectOptions | None = None


def choose_config(
    paths: Sequence[str | Path],
    *,
    chip: str | None,
    idf: str | None,
    tree: Path | None = None,
    project: Path | None = None,
) -> ChosenConfig:
    """Options before what the files say. `tree`: an ESP-IDF whose own options judge. `project`: a
    folder whose files count where no others are given, and whose own options count in any case.
    InputError names what contradicts or is missing."""
    named = tuple(map(Path, paths))
    if not named and project is None:
        raise InputError(
            "no configuration",
            remedy="give an sdkconfig or sdkconfig.defaults, or --project FOLDER",
        )
    chosen = choose_among(read_files(named), chip=chip, idf=idf, tree=tree, project=project)
    return replace(chosen, paths=named) if named else chosen


def choose_among(
    files: Sequence[ConfigFile],
    *,
    chip: str | None,
    idf: str | None,
    tree: Path | None = None,
    project: Path | None = None,
    later: Sequence[ConfigFile] = (),
) -> ChosenConfig:
    """The same of files that were read. `later`: lines that follow them, or the project's own."""
    result = None if project is None else find_project(project, idf_path=tree)
    its_own = () if files or result is None else result.for_all_chips()
    files = (*files, *read_files(its_own), *later)
    notes: list[str] = []
    chosen = _chip(files, chip, result.chip if result is not None else Stated(), notes)
    release = _release(files, chosen, idf, tree, result, notes)
    if tree is not None:
        table = tree_table(tree, chip=chosen, sdk=release.name)
    else:
        table = table_of(chosen, release.name, certain=release.certain)
    if result is None:
        config = settle(files, chip=chosen, sdk=release.name, own=table)
        return ChosenConfig(config=config, notes=tuple(notes), paths=())
    options = project_options(result, table, idf_path=tree)
    if its_own:
        its_own = result.files(chosen, options.table.release)
        files = (*read_files(its_own), *later)
    config = settle(files, chip=chosen, sdk=release.name, own=options.table)
    notes += _of_project(result, options, files)
    return ChosenConfig(config=config, notes=tuple(notes), paths=its_own, project=options)


def left_out(config: Config) -> tuple[str, ...]:
    """Sentences about lines of the files that the answer does not use: those that a build does not
    take, and options that another release has; none: it uses all."""
    gone = [each for each in config.judged if each.setting.file]
    unknown = [each.setting for each in gone if each.fate.reason == "unknown"]
    others = [each for each in unknown if releases_with(each.written)]
    own = [each for each in unknown if not releases_with(each.written)]
    refused = [each.setting for each in gone if each.fate.reason not in _TAKEN]
    before_others = tuple(config.overridden())
    sdk = f"ESP-IDF {config.sdk}"
    sentences = (
        (refused, f"lines that the build of {sdk} does not take: ", "; heapscope lint says why"),
        (before_others, "lines that are not used, as a later line of the file counts: ", ""),
        (others, f"lines that are not used, as {sdk} has no such options: ", ""),
        (own, "lines that are not used, as no ESP-IDF has such options: ", ""),
    )
    return tuple(before + _listed(of) + after for of, before, after in sentences if of)


def _listed(settings: Sequence[Setting]) -> str:
    named = [
        f"CONFIG_{printable(each.written)} ({each.file}, line {each.line})"
        if each.written
        else f"{each.file}, line {each.line}"
        for each in settings[:_NAMED]
    ]
    more = f" and {len(settings) - _NAMED} more" if len(settings) > _NAMED else ""
    return f"{', '.join(named)}{more}"


def _of_project(
    project: Project, options: ProjectOptions, files: Sequence[ConfigFile]
) -> Iterator[str]:
    """Sentences on what was read of a project, and on what only its build can know."""
    read = ", ".join(file.name for file in files) or "none; the chip's defaults count"
    yield f"configuration of the project: {read}"
    yield f"options of the project's own: {len(options.own)}"
    results = [f"{place.file}:{place.line}: {message}" for place, message in options.unread]
    every = [*project.notes, *results]
    yield from (f"project: {printable(each, limit=300)}" for each in every[:_NOTES_MAX])
    if len(every) > _NOTES_MAX:
        yield f"project: {len(every) - _NOTES_MAX} more things that only the build knows"


def _chip(files: Sequence[ConfigFile], chip: str | None, project: Stated, notes: list[str]) -> str:
    stated = {file.stated("IDF_TARGET"): file.name for file in files if file.stated("IDF_TARGET")}
    targets = [file.stated("IDF_TARGET") for file in files]
    last = next(filter(None, reversed(targets)), "")
    chips = chip_files()
    if chip is None and not last and project.value:
        last, stated = project.value, {project.value: project.file}
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
            f'--chip {wanted}, and {stated[last]} has CONFIG_IDF_TARGET="{printable(last)}"',
            remedy="leave --chip out, or give the files of that chip",
        )
    if chip is None:
        where = "CONFIG_IDF_TARGET" if any(targets) else project.file
        notes.append(f"chip {wanted}, from {where}")
    return wanted


def _release(
    files: Sequence[ConfigFile],
    chip: str,
    idf: str | None,
    tree: Path | None,
    project: Project | None,
    notes: list[str],
) -> Release:
    """The version that is asked for, `certain` where no other one of its minor is meant. A note
    where the options are those of another one."""
    stated, where, exact = idf or "", "", False
    if not stated and tree is not None:
        stated, where = tree_version(tree), "as --idf-tree says"
    if not stated:
        stated = next((file.version for file in reversed(files) if file.version), "")
        where = "as the file says"
        built = Stated() if project is None else project.built
        numbers = _numbers(built.value)
        if numbers and (not stated or _numbers(stated) == numbers):
            stated, where, exact = built.value, f"as {built.file} says", True
    if not stated and project is not None:
        stated, where = project.version.value, f"as {project.version.file} says"
    try:
        release = find_release(stated)
    except InputError:
        if idf is not None:
            raise
        return _of_generated(_unsaid(stated, where, files, notes), files)
    named = f"ESP-IDF {printable(stated)}{where and f', {where}'}"
    taken = [] if tree is not None else _taken(named, stated, release, chip)
    if release.note and not release.certain:
        notes.append(release.note)  # no table has this one
    notes.extend(taken or ([] if idf else [named]))
    return release if exact else _of_generated(release, files)


def _unsaid(text: str, where: str, files: Sequence[ConfigFile], notes: list[str]) -> Release:
    """The minor that has most of the options which Kconfig wrote, or else the usual version."""
    unknown = f"{printable(text)}, {where}, is not known: taken as " if text else ""
    whole = [file for file in files if file.generated]
    names = [name for file in whole for name, _ in file.assignments()]
    if len(names) < _TELLING:
        why = "" if text else ", as neither --idf nor a file says which"
        notes.append(f"ESP-IDF {unknown}{DEFAULT_IDF}{why}")
        return find_release(DEFAULT_IDF)
    minor = minor_of(release_of(names))
    begun = next((text for file in whole if (text := file.stated("IDF_INIT_VERSION"))), "")
    taken = begun if minor_of(begun) == minor else minor
    notes.append(f"ESP-IDF {unknown}{taken}, by the options that the file has")
    return replace(find_release(taken), certain=False)


def _of_generated(release: Release, files: Sequence[ConfigFile]) -> Release:
    """A file that Kconfig wrote says "5.5.0" before that release, too."""
    first = release.name == release.minor and any(file.generated for file in files)
    return replace(release, certain=release.certain and not first)


def _numbers(text: str) -> list[int]:
    """[5, 5, 0] of "5.5.0", of "v5.5" and of "v5.5-dev-12-g0123abc"; none of a bare commit."""
    match = _VERSION.match(text)
    return [] if match is None else [int(part or 0) for part in match.groups()]


def _taken(named: str, text: str, release: Release, chip: str) -> list[str]:
    """A note where the options of another release are taken."""
    options = release_for(release.name, chip)
    if options == release.name or text == release.minor == minor_of(options):
        return []
    return [f"{named}: judged by the options of {options}"]
