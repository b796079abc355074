"""A handler records between any two instructions of a hook: the ring has both records, whole
and once."""

from __future__ import annotations

import pytest
from emulation.interrupts import INTERRUPTIBLE, Interrupted, Met
from emulation.recorder import INTERRUPTED_HOOKS, build_interrupted_hooks
from emulation.targets import TARGETS

#: Building and single steps take half a minute for each.
ONE_ENOUGH = [
    pytest.param(name, marks=() if name == INTERRUPTIBLE[0] else pytest.mark.slow)
    for name in INTERRUPTIBLE
]


@pytest.fixture(scope="module", params=ONE_ENOUGH)
def target(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("apart", [pytest.param(1, marks=pytest.mark.slow), 29])
def test_a_handler_records_between_any_two_instructions_of_a_hook(target: str, apart: int) -> None:
    """At all boundaries, or at those so far apart; a ring that is being filled has many."""
    interrupted = Interrupted(TARGETS[target], build_interrupted_hooks(TARGETS[target]))
    for number, operation in enumerate(INTERRUPTED_HOOKS):
        step = 11 if operation == "allocate when full" else 1
        results = list(interrupted.every(number, step=step * apart))
        assert {at.met for at in results} == {Met.SERVED, Met.MASKED}, operation
        assert [at for at in results if at.wrong] == [], operation
        assert len(results) * apart > 30, operation


@pytest.mark.slow
def test_a_hook_that_does_not_mask_interrupts_loses_records(target: str) -> None:
    """So the test above can fail."""
    no_mask = ("-DHS_RECORDER_MASK()=0u", "-DHS_RECORDER_RESTORE(before)=((void)(before))")
    image = build_interrupted_hooks(TARGETS[target], flags=no_mask)
    assert any(at.wrong for at in Interrupted(TARGETS[target], image).every(0))
