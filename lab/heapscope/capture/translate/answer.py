"""From a recording and its program to the translated traces and the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from heapscope.base.printable import printable
from heapscope.base.wording import percent
from heapscope.capture.translate.program import ProgramFile
from heapscope.capture.translate.rewrite import (
    TranslatedTrace,
    WideRecording,
    each_size,
    sizes_of,
    write_translated,
)
from heapscope.capture.translate.site_types import SiteTypes
from heapscope.capture.translate.sizes import SiteSizes
from heapscope.capture.translate.translated import (
    BOUNDED,
    CHIP_WORD,
    EXACT,
    PARTLY,
    Translated,
    TranslatedSite,
)
from heapscope.trace.call_sites import site_names
from heapscope.trace.source import Progress


def translated(
    trace: Path,
    wide_recording: WideRecording,
    programs: Sequence[ProgramFile],
    *,
    out: str,
    lower: str,
    progress: Callable[[str], Progress | None],
) -> Translated:
    """`programs`: the recorded one, and its libraries."""
    modules = {one.path.name if place else "": one for place, one in enumerate(programs)}
    sizes = sizes_of(wide_recording, SiteTypes(modules))
    names = site_names(wide_recording.sites)
    rows = [_row(names[site], known) for site, known in sizes.items()]
    rows.sort(key=lambda row: (-row.bytes, row.site))
    total, exact = sum(row.bytes for row in rows), sum(row.exact_bytes for row in rows)
    share = percent(exact, total)
    pairs = list(each_size(sizes))
    least = TranslatedTrace(lower, f"least; exact: {share}", {key: low for key, low, _ in pairs})
    most = TranslatedTrace(out, f"most; exact: {share}", {key: high for key, _, high in pairs})
    each = [one for known in sizes.values() for one in known.sizes]
    return Translated(
        file=printable(str(trace), limit=400),
        programs=tuple(printable(str(one.path), limit=400) for one in programs),
        out=printable(out, limit=400),
        lower=printable(lower, limit=400),
        word_size=CHIP_WORD,
        recorded_word_size=8,
        requests=sum(one.requests for one in each),
        exact_requests=sum(one.requests for one in each if one.exact),
        bytes=total,
        exact_bytes=exact,
        recorded_peak=wide_recording.peak,
        lower_peak=write_translated(trace, wide_recording, least, progress=progress("writing")),
        upper_peak=write_translated(trace, wide_recording, most, progress=progress("writing")),
        sites=tuple(rows),
    )


def _row(name: str, known: SiteSizes) -> TranslatedSite:
    layout, sizes = known.type.layout, known.sizes
    exact = [one for one in sizes if one.exact]
    whole = EXACT if len(exact) == len(sizes) else PARTLY if exact else BOUNDED
    return TranslatedSite(
        site=name,
        sizes=whole,
        type=known.type.name,
        wide=layout.wide if layout is not None and layout.wide else None,
        narrow=None if layout is None or layout.doubt or not layout.wide else layout.narrow,
        requests=sum(one.requests for one in sizes),
        bytes=sum(one.requests * one.recorded for one in sizes),
        exact_bytes=sum(one.requests * one.recorded for one in exact),
        lower_bytes=sum(one.requests * one.lower for one in sizes),
        upper_bytes=sum(one.requests * one.upper for one in sizes),
        reason=printable(known.reason, limit=400),
    )
