"""Check a firmware's configuration."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from heapscope.base.option import Option
from heapscope.cli.verbs.options import (
    Chip,
    Idf,
    ProjectFolder,
    Sdkconfigs,
)

if TYPE_CHECKING:
    from heapscope.config.lint.finding import LintResult


def lint(
    *files: Sdkconfigs,
    chip: Chip = None,
    idf: Idf = None,
    idf_tree: Annotated[
        str | Path | None,
        Option("FOLDER", "An ESP-IDF: its own Kconfig files judge (needs esp-idf-kconfig)."),
    ] = None,
    project: ProjectFolder = None,
) -> LintResult:
    """Check a firmware's configuration: options that the build, Kconfig or the device refuses.

    Exit code 1 when it finds what stops the build (B), what Kconfig corrects or drops (K) or what
    fails at run time (R); advice (A, D) alone is 0.

    Examples:
      heapscope lint sdkconfig.defaults --chip esp32 --idf 5.5
      heapscope lint sdkconfig.defaults sdkconfig.release --chip esp32s3 --fix fix.defaults
      heapscope lint sdkconfig --json lint.json --sarif lint.sarif
      heapscope lint sdkconfig.defaults --chip esp32 --github
      heapscope lint --project .
    """
    from heapscope.config.chosen_config import choose_config
    from heapscope.config.lint.find import lint as find

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
    from heapscope.config.chosen_config import choose_config
    from heapscope.config.lint.fix import fragment, mend

    config = choose_config(
        files, chip=chip, idf=idf, tree=_folder(idf_tree), project=_folder(project)
    ).config
    return fragment(config, mend(config))


def _folder(folder: str | Path | None) -> Path | None:
    return None if folder is None else Path(folder)
