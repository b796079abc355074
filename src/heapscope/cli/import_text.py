"""`heapscope import text`."""

from __future__ import annotations

from heapscope.cli.import_options import ImportOptions
from heapscope.errors import HeapscopeError

__all__ = ["run"]


def run(options: ImportOptions) -> None:
    from heapscope.capture.text import import_text
    from heapscope.cli.json_output import wants_tables, write_json
    from heapscope.cli.progress import progress_bar

    options.refuse("idf", "chip", "poisoning", "needs", form="text")
    if options.out is None:
        raise HeapscopeError(
            "Missing option '--out' / '-o': the trace to write", remedy="heapscope import --help"
        )
    with progress_bar("importing") as bar:
        result = import_text(options.file, options.out, progress=bar)
    write_json({"heapscope_import": 1} | result.to_json(), options.json)
    if wants_tables(options.json) and str(options.out) != "-":
        from heapscope.report.console import console
        from heapscope.report.imported import print_imported

        print_imported(result, console())
