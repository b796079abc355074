"""Options that the build, Kconfig or the device refuses."""

from __future__ import annotations

from pathlib import Path

from heapscope.config.chosen_config import choose_config
from heapscope.config.lint.find import lint as find
from heapscope.config.lint.finding import LintResult
from heapscope.config.lint.fix import fragment, mend


def lint(
    *files: str | Path,
    chip: str | None = None,
    idf: str | None = None,
    idf_tree: str | Path | None = None,
    project: str | Path | None = None,
) -> LintResult:
    """Checks a firmware's configuration: of several files, later ones win.

    `chip` and `idf` are needed where the files do not tell them. `idf_tree`: the folder of an
    ESP-IDF whose own options judge in place of the release's. `project`: the folder of a project,
    whose options count too; without `files` it is checked as it is built. InputError: an input
    cannot be used.
    """
    chosen = choose_config(
        files, chip=chip, idf=idf, tree=_folder(idf_tree), project=_folder(project)
    )
    return find(chosen.config, notes=chosen.notes, project=chosen.project)


def fixed(
    *files: str | Path,
    chip: str | None = None,
    idf: str | None = None,
    idf_tree: str | Path | None = None,
    project: str | Path | None = None,
) -> str:
    """The lines for sdkconfig.defaults that mend what lint() finds, as text."""
    config = choose_config(
        files, chip=chip, idf=idf, tree=_folder(idf_tree), project=_folder(project)
    ).config
    return fragment(config, mend(config))


def _folder(folder: str | Path | None) -> Path | None:
    return None if folder is None else Path(folder)
