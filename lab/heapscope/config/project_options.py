"""A release's options with those that a project's Kconfig files define."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from heapscope.config.kconfig.definitions import Fault
from heapscope.config.kconfig.kconfig_file import KconfigReader
from heapscope.config.kconfig.own_options import with_files
from heapscope.config.kconfig.table import RELEASES, OptionTable, Renamed, with_symbols
from heapscope.config.project import Project

_RENAME = re.compile(r"\s*CONFIG_(\w+)\s+(!?)CONFIG_(\w+)\s*(?:#.*)?", re.ASCII)
_SIZE_MAX = 1 << 20  # bytes of a list of old names


@dataclass(frozen=True, kw_only=True)
class ProjectOptions:
    """`faults`: lines of Kconfig files that the release's program does not understand. `unread`:
    what they name and only the build can read. `own`: the names that the project defines. `whole`:
    it can have no others."""

    folder: Path

    table: OptionTable
    faults: tuple[Fault, ...]
    unread: tuple[Fault, ...]
    own: frozenset[str]
    whole: bool


def project_options(
    project: Project, table: OptionTable, *, idf_path: Path | None = None
) -> ProjectOptions:
    """`idf_path`: the folder of an ESP-IDF, where the project's files name it."""
    environment = {
        "IDF_TARGET": table.chip,
        "IDF_VERSION": table.release,
        "IDF_INIT_VERSION": table.release,
        "IDF_TOOLCHAIN": "gcc",
        "IDF_ENV_FPGA": "",
        "IDF_CI_BUILD": "",
        "IDF_CMAKE": "y",
    }
    if idf_path is not None:
        environment["IDF_PATH"] = str(idf_path)
    roots = [project.folder, *(each.folder for each in project.components)]
    reader = KconfigReader(
        environment,
        roots if idf_path is None else [*roots, idf_path],
        new=RELEASES.index(table.release) >= RELEASES.index("6.0.2"),
    )
    for component in project.components:
        if component.early is not None:
            reader.read(component.early, projbuild=True)
    for component in project.components:
        if component.late is not None:
            reader.read(component.late)
    every = with_files(table, reader, whole=project.whole)
    lists = [path for component in project.components for path in component.renames]
    renames = dict(_renames(lists, table)) if table.habits.rename else {}
    return ProjectOptions(
        folder=project.folder,
        table=with_symbols(every, renames=renames),
        faults=tuple(reader.faults),
        unread=tuple(reader.unread),
        own=frozenset(entry.name for entry in reader.entries),
        whole=project.whole and not reader.faults and not reader.unread,
    )


def _renames(lists: list[Path], table: OptionTable) -> Iterator[tuple[str, Renamed]]:
    names = ["sdkconfig.rename"]
    if RELEASES.index(table.release) >= RELEASES.index("5.0.9"):
        names.append(f"sdkconfig.rename.{table.chip}")
    for path in lists:
        if path.name not in names:
            continue
        try:
            with path.open("rb") as file:
                text = file.read(_SIZE_MAX).decode("utf-8", "replace")
        except OSError:
            continue
        for line in text.splitlines():
            match = _RENAME.fullmatch(line)
            if match is not None:
                yield match[1], Renamed(match[3], bool(match[2]))
