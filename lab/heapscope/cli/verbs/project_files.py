"""The files of a project that no output may take the place of."""

from __future__ import annotations

from pathlib import Path

from heapscope.config.project import find_project


def project_files(folder: str | Path | None) -> tuple[Path, ...]:
    """Its configuration, those files included that count for one chip only; none: no folder.
    InputError: the folder holds no project."""
    if folder is None:
        return ()
    project = find_project(folder)
    for_chips = [
        path for each in project.defaults for path in sorted(each.parent.glob(f"{each.name}.*"))
    ]
    return (*project.for_all_chips(), *for_chips)
