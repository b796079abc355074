"""A handler allocates between any two instructions of malloc, free, realloc, calloc, aligned_alloc:
on a port that masks interrupts it is served or waits, on one that does not it is refused, and all
is as if it had not come. Here at a sample of the boundaries; at all of them by benches/device."""

from __future__ import annotations

import pytest
from emulation.interrupts import (
    INTERRUPTIBLE,
    OPERATIONS,
    Interrupted,
    Met,
    Way,
    build_interrupted,
)
from emulation.targets import TARGETS

#: Every so many boundaries; the first, where nothing is locked yet, always. Regions take longer.
STEPS = {Way.LIBC: 97, Way.FREERTOS: 97, Way.REGIONS: 307}


@pytest.fixture(scope="module", params=INTERRUPTIBLE)
def target(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.slow
@pytest.mark.cells(1)
@pytest.mark.parametrize("way", [Way.LIBC, Way.REGIONS])
def test_a_handler_is_served_or_waits_where_interrupts_are_masked(target: str, way: Way) -> None:
    image = build_interrupted(TARGETS[target], way)
    interrupted = Interrupted(TARGETS[target], image)
    for number, operation in enumerate(OPERATIONS):
        results = list(interrupted.every(number, step=STEPS[way]))
        assert {at.met for at in results} == {Met.SERVED, Met.MASKED}, operation
        assert [at for at in results if at.wrong] == [], operation
        assert len(results) > 2, operation


@pytest.mark.slow
def test_a_handler_is_refused_where_they_are_not(target: str) -> None:
    image = build_interrupted(TARGETS[target], Way.FREERTOS)
    interrupted = Interrupted(TARGETS[target], image)
    for number, operation in enumerate(OPERATIONS):
        results = list(interrupted.every(number, first=number, step=STEPS[Way.FREERTOS]))
        assert {at.met for at in results} == {Met.REFUSED}, operation
        assert [at for at in results if at.wrong] == [], operation
        assert len(results) > 2, operation


@pytest.mark.slow
def test_without_the_lock_the_same_handler_does_damage(target: str) -> None:
    """So the tests above can fail."""
    no_lock = ("-DHS_BARE_MASK()=0u", "-DHS_BARE_RESTORE(before)=((void)(before))")
    image = build_interrupted(TARGETS[target], Way.LIBC, flags=no_lock)
    interrupted = Interrupted(TARGETS[target], image)
    results = list(interrupted.every(OPERATIONS.index("realloc in place"), step=13))
    assert {at.met for at in results} == {Met.SERVED}
    assert any(at.wrong for at in results)
