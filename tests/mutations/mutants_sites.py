"""Broken in how call sites are named: the order of frames, what is folded, whole names."""

from __future__ import annotations

from mutant import Mutant

SITES = "lab/heapscope/trace/call_sites.py"
SHOWN = "tests/lab/trace/test_call_sites.py"

CALL_SITES = (
    Mutant(
        "who asked, first",
        "a site begins with its outermost caller",
        f"{SITES}::_frames",
        "(*reversed(shown), *cut)",
        "(*shown, *cut)",
        SHOWN,
    ),
    Mutant(
        "who asked, first",
        "a long site keeps the frames nearest the root",
        f"{SITES}::_first",
        "[*frames[:kept],",
        "[*frames[left:],",
        SHOWN,
    ),
    Mutant(
        "who asked, first",
        "the allocator's own wrappers stay",
        "lab/heapscope/trace/fold_sites.py::without_allocators",
        "frames[first:]",
        "frames",
        "tests/lab/trace/test_fold_sites.py",
    ),
    Mutant(
        "no two sites alike",
        "sites of one name carry no number",
        f"{SITES}::SiteNames",
        "raw in self._repeated",
        "False",
        SHOWN,
    ),
    Mutant(
        "no two sites alike",
        "two sites of one name are told apart only where there is a third",
        "lab/heapscope/native/name_columns.py::NameColumns.suspects",
        "counts[where] > 1",
        "counts[where] > 2",
        "tests/lab/trace/test_name_columns.py",
    ),
    Mutant(
        "whole names of sites",
        "each piece of a long name is the one of the outermost callers",
        "device/src/trace/encoder.c::hs_trace_site",
        "name + left, count",
        "name, count",
        "tests/format/test_encoder.c",
    ),
    Mutant(
        "whole names of sites",
        "a piece is put after the name so far",
        "lab/native/trace/names.c::hs_names_callers",
        "bytes, length, name + DOTS, known - DOTS",
        "name + DOTS, known - DOTS, bytes, length",
        "tests/format/test_golden.c",
    ),
    Mutant(
        "whole names of sites",
        "a piece whose predecessor was lost is taken",
        "lab/native/trace/names.c::hs_names_callers",
        "after != known ||",
        "",
        "tests/format/test_golden.c",
    ),
    Mutant(
        "whole names of sites",
        "a name longer than its length's two bytes is taken",
        "lab/native/trace/names.c::hs_names_callers",
        "|| known - DOTS + length > HS_SITE_NAME_MAX",
        "",
        "tests/format/test_reader.c",
    ),
)
