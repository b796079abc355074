"""A program that writes over the memory of its recorder: it runs on to its end, and what is told of
it is no more than what is known."""

from __future__ import annotations

import pytest
from recording.programs import Build, Recorded

CASES = {
    "the whole ring": 1,
    "the ring's header": 2,
    "the control of all": 3,
    "the number of records": 4,
    "the count of dropped ones": 5,
    "the number of taken ones": 6,
    "the records": 7,
    "the recorder's paths": 8,
}


@pytest.mark.parametrize("case", CASES)
def test_a_ring_that_was_overwritten_is_reported_as_that(
    build: Build, recorded: Recorded, case: str
) -> None:
    result = recorded(build("overwrites"), CASES[case])
    (image,) = result.images
    assert result.exit_code == 0  # it was not held up
    assert image.overwritten
    assert (image.lost, image.live_end, result.unrecorded) == (1, None, 0)
    assert 2000 <= image.events < 2100  # those before it, and what the C library asks for
    assert [one for one in result.messages if "overwritten by the program" in one]
    assert not [one for one in result.messages if "lost" in one]


def test_a_ring_that_nobody_wrote_over_is_believed(build: Build, recorded: Recorded) -> None:
    result = recorded(build("overwrites"), 0)
    (image,) = result.images
    assert not image.overwritten
    assert (image.lost, result.exit_code) == (0, 0)
    assert image.events > 200_000
