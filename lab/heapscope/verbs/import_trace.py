"""Other forms of a trace."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from heapscope.choices import known
from heapscope.errors import InputError
from heapscope.layout.need import parse_needs
from heapscope.progress import OnProgress, phase

if TYPE_CHECKING:
    from heapscope.capture.esp_idf.log_facts import EspIdfImport
    from heapscope.capture.line_import import ImportResult, LineForm

ESP_IDF = "esp-idf"


def _text() -> LineForm:
    from heapscope.capture.text import TEXT

    return TEXT


def _heaptrack() -> LineForm:
    from heapscope.capture.heaptrack import HEAPTRACK

    return HEAPTRACK


def _mtrace() -> LineForm:
    from heapscope.capture.mtrace import MTRACE

    return MTRACE


def _pjsip() -> LineForm:
    from heapscope.capture.pjsip import PJSIP

    return PJSIP


#: The forms that are read line by line.
_LINES: Mapping[str, Callable[[], LineForm]] = {
    "text": _text,
    "heaptrack": _heaptrack,
    "mtrace": _mtrace,
    "pjsip": _pjsip,
}

FORMATS = (*_LINES, ESP_IDF)


def import_(
    form: str,
    file: str | Path,
    out: str | Path | None = None,
    *,
    idf: str | None = None,
    chip: str | None = None,
    poisoning: str | None = None,
    need: Sequence[int | str] = (),
    progress: OnProgress | None = None,
) -> ImportResult | EspIdfImport:
    """Turns another form of a trace into the trace `out`, and says what a device's log tells.

    `form`: text, esp-idf, heaptrack, mtrace or pjsip; `file`: what holds it. A log of ESP-IDF needs
    no `out`; `idf`, `chip` and `poisoning` say what it does not tell, and `need` asks whether a
    block would have fitted at each of its heap summaries. InputError: an input cannot be used.
    """
    known(form, FORMATS, noun="format")
    if form == ESP_IDF:
        from heapscope.capture.esp_idf.import_log import import_esp_idf
        from heapscope.capture.esp_idf.rounding import POISONINGS

        if poisoning is not None:
            known(poisoning, POISONINGS, noun="poisoning")
        return import_esp_idf(
            file,
            out,
            idf=idf,
            chip=chip,
            poisoning=poisoning,
            needs=parse_needs(need),
            progress=phase(progress, "reading"),
        )
    said = {"--idf": idf, "--chip": chip, "--poisoning": poisoning, "--need": need}
    for flag, value in said.items():
        if value:
            raise InputError(
                f"{flag} says nothing about a file of format {form}",
                remedy="leave it out; it belongs to the replay",
            )
    if out is None:
        raise InputError(
            "Missing option '--out' / '-o': the trace to write", remedy="heapscope import --help"
        )
    from heapscope.capture.line_import import import_lines

    return import_lines(file, out, _LINES[form](), progress=phase(progress, "importing"))
