"""heaptrack's data files, interpreted or raw."""

from __future__ import annotations

from heapscope.capture.line_import import Form, LineForm
from heapscope.trace.metadata import CLOCK_HZ
from heapscope.trace.sniff import looks_like


def _unlike(head: bytes) -> tuple[str, str]:
    if head.startswith(b"v "):
        return (
            "begins as heaptrack's data, but has no allocation",
            "record a program that allocates",
        )
    what, remedy = looks_like(head)
    if what.startswith(("is a trace", "looks like", "is empty")):
        return what, remedy
    return "is not heaptrack's data", "give the file that `heaptrack PROGRAM` wrote, *.zst"


HEAPTRACK = LineForm(
    form=Form.HEAPTRACK, source="heaptrack", facts=lambda _: {CLOCK_HZ: "1000"}, unlike=_unlike
)
