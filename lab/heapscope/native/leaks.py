"""The native verdicts about blocks that stay: leaks, and what only looks like one."""

from __future__ import annotations

import numpy as np

from heapscope.native.library import ffi, load
from heapscope.native.status import check
from heapscope.native.structs import Rows, dtype, enum_values

#: hs_lab_life_row_t.freed of blocks that are live at the end.
STAYS = ffi.integer_const("HS_LAB_STAYS")
#: The names of what passes as blocks are looked at, by their numbers.
AXES = tuple(enum_values("hs_lab_axis_t", "HS_LAB_AXIS_"))
#: The names of the verdicts, by their numbers.
VERDICTS = tuple(enum_values("hs_lab_leak_verdict_t", "HS_LAB_LEAK_"))
_REASONS = tuple(enum_values("hs_lab_leak_reason_t", "HS_LAB_LEAK_"))


def leak_rows(holders: Rows, lives: Rows, live: Rows, *, whole: bool) -> Rows:
    """hs_lab_leak_row_t of each task and site with a live block. `holders`, `lives` and `live`: as
    the second reading has them."""
    total = ffi.new("size_t *")
    given = (
        *(ffi.from_buffer("hs_lab_holder_row_t[]", np.ascontiguousarray(holders)), len(holders)),
        *(ffi.from_buffer("hs_lab_life_row_t[]", np.ascontiguousarray(lives)), len(lives)),
        *(ffi.from_buffer("hs_lab_live_row_t[]", np.ascontiguousarray(live)), len(live)),
        whole,
    )
    keys = live["task"].astype(np.uint64) << np.uint64(32) | live["site"]
    keys.sort()
    most = int(np.count_nonzero(keys[1:] != keys[:-1])) + (len(keys) > 0)
    del keys
    rows = np.zeros(most, dtype=dtype("hs_lab_leak_row_t"))
    pointer = ffi.from_buffer("hs_lab_leak_row_t[]", rows)
    check(load().hs_lab_leaks(*given, pointer, len(rows), total), "judging what stays")
    return rows


def leak_reason(reason: int) -> str:
    """Why, for people; empty where figures say it."""
    return str(ffi.string(load().hs_lab_leak_reason_text(reason)).decode("utf-8"))


def larger_reason() -> str:
    """Why, where blocks become no more but larger."""
    return leak_reason(_REASONS.index("larger"))
