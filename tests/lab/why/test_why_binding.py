"""A request of heapscope.native.moment has the fields of its struct in lab.h."""

from __future__ import annotations

import dataclasses

from heapscope.native.moment import NO_BLOCK, NativeRequest
from heapscope.native.structs import field_names


def test_a_request_has_the_fields_of_its_struct() -> None:
    fields = tuple(f.name for f in dataclasses.fields(NativeRequest))
    assert fields == field_names("hs_lab_request_t")
    assert NO_BLOCK == 0xFFFF_FFFF
