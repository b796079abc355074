"""Sizes of call sites against those of the same program, built for 32 bit."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from recording.both_words import Pair

from heapscope.capture.translate.program import ProgramFile
from heapscope.capture.translate.rewrite import sizes_of
from heapscope.capture.translate.site_types import SiteTypes

LEVELS = ("-O0", "-O2")

#: The functions of doubtful.c, of whose requests nothing more is known than two bounds.
DOUBTFUL = {
    "headed with_header",
    "summed with_eight",
    "and_more",
    "open_ended",
    "number",
    "limbs",
    "other",
    "words",
    "tight",
    "clocked",
    "by_macro",
    "counted",
    "arena",
    "by_chance",
}


@pytest.mark.parametrize("level", LEVELS)
def test_sizes_of_known_types_are_those_of_the_32_bit_program(
    pair: Callable[..., Pair], level: str
) -> None:
    sites = pair("typed", level).sites()
    assert {function for function, site in sites.items() if site.wrong} == set()
    requested = sum(sum(site.wide) for site in sites.values())
    exact = sum(
        size
        for site in sites.values()
        for size, known in zip(site.wide, site.exact, strict=True)
        if known
    )
    unknown = {function: site.reason for function, site in sites.items() if not all(site.exact)}
    assert exact > 0.85 * requested, unknown
    if level == "-O0":
        assert unknown == {}


@pytest.mark.parametrize("level", LEVELS)
def test_what_only_looks_like_a_type_gets_bounds(pair: Callable[..., Pair], level: str) -> None:
    sites = pair("doubtful", level).sites()
    assert set(sites) == DOUBTFUL
    assert {function for function, site in sites.items() if any(site.exact)} == set()
    assert {function: site.outside for function, site in sites.items() if site.outside} == {}
    assert all(site.reason for site in sites.values())


@pytest.mark.parametrize("level", LEVELS)
def test_code_that_two_types_share_has_no_sure_type(pair: Callable[..., Pair], level: str) -> None:
    result = pair("merged", level)
    requested = result.requested()
    with ProgramFile(result.program) as program:
        known = sizes_of(requested, SiteTypes({"": program}))
    exact = {
        (one.recorded, one.lower) for each in known.values() for one in each.sizes if one.exact
    }
    assert exact == ({(16, 8), (16, 16)} if level == "-O0" else exact & {(16, 16)})
