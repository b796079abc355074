"""Check a firmware's configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.cli.shared import Chip, Idf, Json, ProjectFolder, Sarif, Sdkconfigs


def lint(
    files: Sdkconfigs = None,
    chip: Chip = None,
    idf: Idf = None,
    idf_tree: Annotated[
        Path | None,
        typer.Option(
            "--idf-tree",
            metavar="FOLDER",
            help="An ESP-IDF: its own Kconfig files judge (needs esp-idf-kconfig).",
        ),
    ] = None,
    project: ProjectFolder = None,
    fix: Annotated[
        Path | None,
        typer.Option("--fix", metavar="FILE", help="Write lines that mend what was found."),
    ] = None,
    sarif: Sarif = None,
    github: Annotated[
        bool,
        typer.Option("--github", help="Print annotations of GitHub Actions in place of text."),
    ] = False,
    json: Json = None,
) -> None:
    """Check a firmware's configuration: options that the build, Kconfig or the device refuses.

    Exit code 1 when it finds what stops the build (B), what Kconfig corrects or drops (K) or what
    fails at run time (R); advice (A, D) alone is 0.

    \b
    Examples:
      heapscope lint sdkconfig.defaults --chip esp32 --idf 5.5
      heapscope lint sdkconfig.defaults sdkconfig.release --chip esp32s3 --fix fix.defaults
      heapscope lint sdkconfig --json lint.json --sarif lint.sarif
      heapscope lint sdkconfig.defaults --chip esp32 --github
      heapscope lint --project .
    """
    from heapscope.cli.answer import dumps, print_answer, wants_tables, write_json, write_text
    from heapscope.cli.verbs.lint import fixed
    from heapscope.cli.verbs.lint import lint as answer
    from heapscope.cli.verbs.project_files import project_files

    given = files or ()
    result = answer(*given, chip=chip, idf=idf, idf_tree=idf_tree, project=project)
    read = [*given, *project_files(project)]
    write_json(result.to_json(), json, inputs=read)
    if sarif is not None:
        from heapscope.config.lint.sarif import sarif as as_sarif

        write_text(dumps(as_sarif(result)), sarif, option="--sarif", inputs=read)
    if fix is not None:
        mended = fixed(*given, chip=chip, idf=idf, idf_tree=idf_tree, project=project)
        write_text(mended, fix, option="--fix", inputs=read)
    if github:
        from heapscope.config.lint.sarif import annotation_lines

        for line in annotation_lines(result):
            typer.echo(line.encode())  # as bytes: these lines are commands
    elif wants_tables(json, sarif, fix):
        print_answer(result)
    if result.failed:
        raise typer.Exit(1)
