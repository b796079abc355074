"""The log of glibc's mtrace(3)."""

from __future__ import annotations

from heapscope.capture.line_import import Form, LineForm
from heapscope.trace.sniff import looks_like


def _unlike(head: bytes) -> tuple[str, str]:
    if head.startswith(b"= Start"):
        return "is a log without an allocation", "call mtrace() before the program allocates"
    what, remedy = looks_like(head)
    if what.startswith(("is a trace", "looks like", "is empty")):
        return what, remedy
    return (
        "is not a log of mtrace",
        "run: MALLOC_TRACE=FILE LD_PRELOAD=libc_malloc_debug.so.0 PROGRAM, which calls mtrace()",
    )


MTRACE = LineForm(form=Form.MTRACE, source="mtrace", unlike=_unlike)
