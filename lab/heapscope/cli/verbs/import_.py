"""Turn another form of a trace into a .hst file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from heapscope.base.choices import known
from heapscope.base.errors import InputError
from heapscope.base.option import Option
from heapscope.base.printable import printable
from heapscope.base.progress import OnProgress, phase
from heapscope.base.request import parse_requests
from heapscope.cli.verbs.options import (
    Chip,
    Idf,
    Needs,
    Poisoning,
    output,
)

if TYPE_CHECKING:
    from heapscope.capture.line_import import ImportResult
    from heapscope.capture.systemview.import_systemview import SystemViewImport
    from heapscope.logs.esp_idf.imported_trace import EspIdfImport


ESP_IDF, SYSTEMVIEW = "esp-idf", "systemview"

#: The formats that are read line by line, by their names in capture/line_forms.py.
_LINES = ("text", "heaptrack", "mtrace", "pjsip")

FORMATS = (*_LINES, ESP_IDF, SYSTEMVIEW)

#: The form of a thing of a kind, where the two have not one name.
_FORMS = {"log": ESP_IDF}


def import_(
    file: Annotated[str | Path, Option("FILE", 'The file to import; "-": stdin.')],
    out: Annotated[str | Path | None, output("T.hst")] = None,
    *,
    form: Annotated[
        str | None,
        Option(
            "FORMAT",
            "The form of FILE, where its first bytes do not tell it: text, esp-idf, systemview, "
            "heaptrack, mtrace, pjsip.",
            flags=("--from",),
        ),
    ] = None,
    idf: Idf = None,
    chip: Chip = None,
    poisoning: Poisoning = None,
    need: Needs = (),
    strict: Annotated[
        bool,
        Option("", "End the import at the first line that cannot be read, with exit code 2."),
    ] = False,
    left_out: Annotated[
        str | Path | None,
        Option("FILE", "Write every line that is left out, with number and reason.", writes=True),
    ] = None,
    progress: OnProgress | None = None,
) -> ImportResult | EspIdfImport | SystemViewImport:
    """Turn another form of a trace into a .hst file, and say what a device's log tells.

    The first bytes of FILE tell its form; --from names it where they do not.

    text: lines "a ID SIZE" (malloc), "c ID SIZE" (calloc), "m ID ALIGN SIZE" (aligned),
    "r ID NEWSIZE [NEWID]" (realloc), "f ID" (free), "t NAME" (task of what follows), "! NAME"
    (mark), "o CORE" (core of the task), "#" comments. Numbers are decimal or hexadecimal (0x10);
    NULL for an ID is a request that failed. A request may end with capabilities (DMA|8BIT) and
    with "@CALLER;FUNCTION"; "[TIME]" may stand before any line. "% addresses" says that the IDs
    are addresses, "% clock_hz 1000000" what a time counts. Compressed files (zstd, gzip,
    bzip2, xz) are read as they are; "-" is standard input.

    esp-idf: a device's log, with anything around what it says of the heap: heap_init lines,
    heap summaries, task tables, standalone heap traces, failed allocations. A heap trace becomes
    the .hst file, where -o names one; the rest is answered at once. --chip, --idf and --poisoning
    say what the log does not tell, and --need asks about each heap summary.

    systemview: what OpenOCD recorded with heap tracing to the host (.svdat), of one core or
    of both.

    heaptrack: the file that `heaptrack PROGRAM` wrote, with its stacks. It does not tell
    which of several blocks of one size and stack is freed; that of `heaptrack --raw` does, but has
    no names of functions.

    mtrace: what glibc's mtrace() logged to the file in MALLOC_TRACE.

    pjsip: a log with dumps of named pools, of PJLIB ("dd" in pjsua) or hs_pools_dump(), lines
    "NAME: USED of SIZE (P%) used". Each dump becomes a mark; what was between two is not known.

    Examples:
      heapscope import events.txt -o T.hst
      heapscope import events.txt.zst -o T.hst --json -
      heapscope import events.txt -o T.hst --fail-on left_out=0
      heapscope import events.txt -o T.hst --strict
      heapscope import events.txt -o T.hst --left-out left_out.tsv
      heapscope import boot.txt
      heapscope import boot.txt -o T.hst --need 16717 --need 4KB:DMA
      heapscope import heap.svdat -o T.hst
      heapscope import heaptrack.firmware.4711.zst -o T.hst
      heapscope import mtrace.txt -o T.hst
      heapscope import pjsua.log -o T.hst --from pjsip
    """
    form = form_of(file) if form is None else known(form, FORMATS, noun="format")
    if form not in _LINES:
        for flag, given in {"--strict": strict, "--left-out": left_out}.items():
            if given:
                raise InputError(
                    f"{flag} says nothing about a file of format {form}",
                    remedy=f"leave it out; it belongs to {', '.join(_LINES)}",
                )
    if form == ESP_IDF:
        from heapscope.logs.esp_idf.import_log import import_esp_idf
        from heapscope.logs.heaps.state_allocators import POISONINGS

        if poisoning is not None:
            known(poisoning, POISONINGS, noun="poisoning")
        return import_esp_idf(
            file,
            out,
            idf=idf,
            chip=chip,
            poisoning=poisoning,
            needs=parse_requests(need),
            progress=phase(progress, "reading"),
        )
    stated = {"--idf": idf, "--chip": chip, "--poisoning": poisoning, "--need": need}
    for flag, value in stated.items():
        if value:
            raise InputError(
                f"{flag} says nothing about a file of format {form}",
                remedy="leave it out; it belongs to the replay",
            )
    if out is None:
        raise InputError(
            "Missing option '--output' / '-o': the trace to write", remedy="heapscope import --help"
        )
    if form == SYSTEMVIEW:
        from heapscope.capture.systemview.import_systemview import import_systemview

        return import_systemview(file, out, progress=phase(progress, "reading"))
    from heapscope.capture.line_forms import LINE_FORMS
    from heapscope.capture.line_import import import_lines

    return import_lines(
        file,
        out,
        LINE_FORMS[form],
        strict=strict,
        left_out=left_out,
        progress=phase(progress, "importing"),
    )


def form_of(file: str | Path) -> str:
    """The form that the first bytes of a file tell. InputError: none that is imported."""
    from heapscope.trace.things.thing import kinds_by_head

    kinds = kinds_by_head(str(file))
    forms = (_FORMS.get(one.kind, one.kind) for one in kinds)
    result = next((one for one in forms if one in FORMATS), "")
    if not result:
        shown = "standard input" if str(file) == "-" else printable(str(file), limit=400)
        raise InputError(
            f"{shown}: {kinds[0].known_as}, and no form that import reads",
            remedy=f"name the form, --from FORMAT, one of: {', '.join(FORMATS)}",
        )
    return result
