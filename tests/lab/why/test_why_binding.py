"""The structs of lab.h that heapscope.native.moment reads have the fields it takes them for."""

from __future__ import annotations

import dataclasses

from heapscope.native.library import ffi, load
from heapscope.native.moment import NO_BLOCK, PIECE, HoleRow, RequestRow


def fields(struct: str) -> list[str]:
    load()
    return [name for name, _ in ffi.typeof(struct).fields]


def test_rows_have_the_fields_of_their_structs() -> None:
    assert [f.name for f in dataclasses.fields(HoleRow)] == fields("hs_lab_hole_row_t")
    assert [f.name for f in dataclasses.fields(RequestRow)] == fields("hs_lab_request_t")
    assert NO_BLOCK == 0xFFFF_FFFF


def test_the_array_of_pieces_has_the_layout_of_its_struct() -> None:
    load()
    struct = {name: f.offset for name, f in ffi.typeof("hs_lab_piece_row_t").fields}
    assert PIECE.fields is not None
    assert {name: PIECE.fields[name][1] for name in PIECE.fields} == struct
    assert PIECE.itemsize == ffi.sizeof("hs_lab_piece_row_t")
