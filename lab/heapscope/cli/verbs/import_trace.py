"""Other forms of a trace."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from heapscope.base.choices import known
from heapscope.base.errors import InputError
from heapscope.base.progress import OnProgress, phase
from heapscope.base.request import parse_requests

if TYPE_CHECKING:
    from heapscope.capture.line_import import ImportResult
    from heapscope.capture.systemview.import_systemview import SystemViewImport
    from heapscope.logs.esp_idf.imported_trace import EspIdfImport

ESP_IDF, SYSTEMVIEW = "esp-idf", "systemview"


#: The formats that are read line by line, by their names in capture/line_forms.py.
_LINES = ("text", "heaptrack", "mtrace", "pjsip")

FORMATS = (*_LINES, ESP_IDF, SYSTEMVIEW)


def import_(
    form: str,
    file: str | Path,
    out: str | Path | None = None,
    *,
    idf: str | None = None,
    chip: str | None = None,
    poisoning: str | None = None,
    need: Sequence[int | str] = (),
    strict: bool = False,
    left_out: str | Path | None = None,
    progress: OnProgress | None = None,
) -> ImportResult | EspIdfImport | SystemViewImport:
    """Turns another form of a trace into the trace `out`, and says what a device's log tells.

    `form`: text, esp-idf, systemview, heaptrack, mtrace or pjsip; `file`: what holds it. A log of
    ESP-IDF needs no `out`; `idf`, `chip` and `poisoning` say what it does not tell, and `need` asks
    whether a block would have fitted at each of its heap summaries. The other formats but
    systemview are read line by line: `strict` ends the import at the first line that cannot be
    read, and `left_out` names a file for all such lines. InputError: an input cannot be used.
    """
    known(form, FORMATS, noun="format")
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
