"""Options that the build, Kconfig or the device refuses."""

from __future__ import annotations

from pathlib import Path

from heapscope.layout.chosen_config import choose_config
from heapscope.lint.find import lint as find
from heapscope.lint.finding import LintResult
from heapscope.lint.fix import fragment, mend
from heapscope.lint.values import refused_findings


def lint(
    *files: str | Path,
    chip: str | None = None,
    idf: str | None = None,
    idf_tree: str | Path | None = None,
) -> LintResult:
    """Checks a firmware's configuration: of several files, later ones win.

    `chip` and `idf` are needed where the files do not tell them. `idf_tree`: the folder of an
    ESP-IDF whose own Kconfig files validate too. InputError: an input cannot be used.
    """
    tree = None if idf_tree is None else Path(idf_tree)
    chosen = choose_config(files, chip=chip, idf=idf, tree=tree)
    refused = refused_findings(chosen.config, chosen.refusals)
    return find(chosen.config, extra=refused, notes=chosen.notes)


def fixed(
    *files: str | Path,
    chip: str | None = None,
    idf: str | None = None,
    idf_tree: str | Path | None = None,
) -> str:
    """The lines for sdkconfig.defaults that mend what lint() finds, as text."""
    tree = None if idf_tree is None else Path(idf_tree)
    config = choose_config(files, chip=chip, idf=idf, tree=tree).config
    return fragment(config, mend(config))
