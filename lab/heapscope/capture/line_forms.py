"""The forms of other recorders that are read line by line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from heapscope.capture.line_import import Form, ImportResult, LineForm, import_lines
from heapscope.trace.metadata import CLOCK_HZ, PROGRAM, WORD_SIZE
from heapscope.trace.sniff import looks_like
from heapscope.trace.source import STDIN, Progress

_HELP = "see heapscope import --help for its lines"


def _text_facts(path: str | Path) -> dict[str, str]:
    facts = {WORD_SIZE: "4"}
    return facts if str(path) == STDIN else facts | {PROGRAM: _stem(Path(path))}


def _stem(path: Path) -> str:
    """tls.txt.zst is the program "tls"."""
    return Path(path.stem).stem if path.suffix == ".zst" else path.stem


def _unlike_text(head: bytes) -> tuple[str, str]:
    what, remedy = looks_like(head)
    if what == "looks like the text form":  # nothing but comments, tasks and marks
        return "has no allocation in it", _HELP
    return ("is not text", _HELP) if what.startswith("is not a trace") else (what, remedy)


def _unlike(
    what: str, remedy: str, *, begin: bytes = b"", empty: tuple[str, str] = ("", "")
) -> Callable[[bytes], tuple[str, str]]:
    """The words for a file that does not look like another one: `empty` where it has the `begin` of
    this form, else `what` and `remedy`."""

    def unlike(head: bytes) -> tuple[str, str]:
        if begin and head.startswith(begin):
            return empty
        result = looks_like(head)
        if result[0].startswith(("is a trace", "looks like", "is empty")):
            return result
        return what, remedy

    return unlike


#: The text form of a trace (format/SPEC.md), heaptrack's data files (interpreted or raw), the log
#: of glibc's mtrace(3), and dumps of PJLIB's caching pool in a log.
LINE_FORMS: Mapping[str, LineForm] = {
    "text": LineForm(form=Form.TEXT, source="text", facts=_text_facts, unlike=_unlike_text),
    "heaptrack": LineForm(
        form=Form.HEAPTRACK,
        source="heaptrack",
        facts=lambda _: {CLOCK_HZ: "1000"},
        unlike=_unlike(
            "is not heaptrack's data",
            "give the file that `heaptrack PROGRAM` wrote, *.zst",
            begin=b"v ",
            empty=(
                "begins as heaptrack's data, but has no allocation",
                "record a program that allocates",
            ),
        ),
    ),
    "mtrace": LineForm(
        form=Form.MTRACE,
        source="mtrace",
        unlike=_unlike(
            "is not a log of mtrace",
            "run: MALLOC_TRACE=FILE LD_PRELOAD=libc_malloc_debug.so.0 PROGRAM, which calls "
            "mtrace()",
            begin=b"= Start",
            empty=(
                "is a log without an allocation",
                "call mtrace() before the program allocates",
            ),
        ),
    ),
    "pjsip": LineForm(
        form=Form.PJSIP,
        source="pjsip",
        unlike=_unlike(
            "has no line 'NAME: USED of SIZE (P%) used'",
            "dump the pools: dd in pjsua's menu, pj_pool_factory_dump(&factory, PJ_TRUE) at log "
            "level 3 or more, or hs_pools_dump()",
        ),
    ),
}


def import_text(
    path: str | Path,
    out: str | Path,
    *,
    strict: bool = False,
    left_out: str | Path | None = None,
    progress: Progress | None = None,
) -> ImportResult:
    return import_lines(
        path, out, LINE_FORMS["text"], strict=strict, left_out=left_out, progress=progress
    )
