"""`heapscope import esp-idf`."""

from __future__ import annotations

from heapscope.cli.import_options import ImportOptions

__all__ = ["run"]


def run(options: ImportOptions) -> None:
    from heapscope.capture.esp_idf.import_log import import_esp_idf
    from heapscope.capture.esp_idf.rounding import POISONINGS
    from heapscope.cli.choices import known
    from heapscope.cli.json_output import wants_tables, write_json
    from heapscope.cli.progress import progress_bar

    if options.poisoning is not None:
        known(options.poisoning, POISONINGS, noun="poisoning")
    needs = [_need(text) for text in options.needs]
    with progress_bar("reading") as bar:
        result = import_esp_idf(
            options.file,
            options.out,
            idf=options.idf,
            chip=options.chip,
            poisoning=options.poisoning,
            needs=needs,
            progress=bar,
        )
    files = [options.file, *([options.out] if options.out else [])]
    write_json({"heapscope_import_esp_idf": 1} | result.to_json(), options.json, inputs=files)
    if wants_tables(options.json, options.out):
        from heapscope.report.console import console
        from heapscope.report.esp_idf import print_esp_idf

        print_esp_idf(result, console())


def _need(text: str) -> tuple[int, int]:
    """Sizes with units too: "4KB:DMA"."""
    from heapscope.layout.need import parse_need
    from heapscope.sizes import parse_size

    number, colon, capabilities = text.partition(":")
    return parse_need(f"{parse_size(number, what='--need')}{colon}{capabilities}")
