"""The native verdicts about blocks that stay: leaks, and what only looks like one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heapscope.native.library import ffi, load
from heapscope.native.status import check
from heapscope.native.structs import Rows, dtype, enum_values

#: hs_lab_life_row_t.freed of blocks that are live at the end.
STAYS = ffi.integer_const("HS_LAB_STAYS")
#: Looks at the live blocks of an interval, at most.
LOOKS = ffi.integer_const("HS_LAB_LEAK_LOOKS")
#: The names of the verdicts, by their numbers.
VERDICTS = tuple(enum_values("hs_lab_leak_verdict_t", "HS_LAB_LEAK_"))

Looks = NDArray[np.uint64]


def leak_looks(first: int, last: int) -> Looks:
    """The events before which the live blocks are looked at, each once."""
    looks = np.zeros(LOOKS, dtype=np.uint64)
    count = load().hs_lab_leak_looks(first, last, ffi.from_buffer("uint64_t[]", looks))
    return looks[:count]


def leak_rows(lives: Rows, live: Rows, looks: Looks, *, whole: bool) -> Rows:
    """hs_lab_leak_row_t of each task and site. `lives`: hs_lab_life_row_t; `live`:
    hs_lab_live_row_t of blocks that stay."""
    total = ffi.new("size_t *")
    given = (
        *(ffi.from_buffer("hs_lab_life_row_t[]", np.ascontiguousarray(lives)), len(lives)),
        *(ffi.from_buffer("hs_lab_live_row_t[]", np.ascontiguousarray(live)), len(live)),
        *(ffi.from_buffer("uint64_t[]", looks), len(looks), whole),
    )
    what = "judging what stays"
    check(load().hs_lab_leaks(*given, ffi.NULL, 0, total), what)
    rows = np.zeros(total[0], dtype=dtype("hs_lab_leak_row_t"))
    pointer = ffi.from_buffer("hs_lab_leak_row_t[]", rows)
    check(load().hs_lab_leaks(*given, pointer, len(rows), total), what)
    return rows


def leak_reason(reason: int) -> str:
    """Why, for people; empty where figures say it."""
    return str(ffi.string(load().hs_lab_leak_reason_text(reason)).decode("utf-8"))
