"""Dumps of PJLIB's caching pool in a log."""

from __future__ import annotations

from heapscope.capture.line_import import Form, LineForm
from heapscope.trace.sniff import looks_like


def _unlike(head: bytes) -> tuple[str, str]:
    what, remedy = looks_like(head)
    if what.startswith(("is a trace", "looks like", "is empty")):
        return what, remedy
    return (
        "has no line 'cachpool NAME: USED of SIZE (P%) used'",
        "dump the pools: dd in pjsua's menu, or pj_pool_factory_dump(&factory, PJ_TRUE), "
        "at log level 3 or more",
    )


PJSIP = LineForm(form=Form.PJSIP, source="pjsip", unlike=_unlike)
