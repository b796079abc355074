"""`heapscope import text`, `heaptrack`, `mtrace` and `pjsip`: lines to a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapscope.cli.import_options import ImportOptions
from heapscope.errors import HeapscopeError

if TYPE_CHECKING:
    from heapscope.capture.line_import import LineForm

__all__ = ["run_heaptrack", "run_mtrace", "run_pjsip", "run_text"]


def run_text(options: ImportOptions) -> None:
    from heapscope.capture.text import TEXT

    _run(options, TEXT, "text")


def run_heaptrack(options: ImportOptions) -> None:
    from heapscope.capture.heaptrack import HEAPTRACK

    _run(options, HEAPTRACK, "heaptrack")


def run_mtrace(options: ImportOptions) -> None:
    from heapscope.capture.mtrace import MTRACE

    _run(options, MTRACE, "mtrace")


def run_pjsip(options: ImportOptions) -> None:
    from heapscope.capture.pjsip import PJSIP

    _run(options, PJSIP, "pjsip")


def _run(options: ImportOptions, form: LineForm, name: str) -> None:
    from heapscope.capture.line_import import import_lines
    from heapscope.cli.json_output import wants_tables, write_json
    from heapscope.cli.progress import progress_bar

    options.refuse("idf", "chip", "poisoning", "needs", form=name)
    if options.out is None:
        raise HeapscopeError(
            "Missing option '--out' / '-o': the trace to write", remedy="heapscope import --help"
        )
    with progress_bar("importing") as bar:
        result = import_lines(options.file, options.out, form, progress=bar)
    write_json(
        {"heapscope_import": 1} | result.to_json(),
        options.json,
        inputs=(options.file, options.out),
    )
    if wants_tables(options.json, options.out):
        from heapscope.report.console import console
        from heapscope.report.imported import print_imported

        print_imported(result, console(), pools=name == "pjsip")
