"""Two emulated cores allocate at the same time on one set of regions, and regions are added
meanwhile. No deadlock, no lost byte, never two regions' locks at once; and a lock that lets both in
is noticed. The same with threads: test_threads.py."""

from __future__ import annotations

import pytest
from emulation.cores import TWO_CORES, Met, build_cores, every_boundary, run_cores
from emulation.machine import FaultError

#: Levels of the guard, and whether blocks know whose they are.
GUARDS = [(0, False), (-1, True), (1, True), (2, True)]
#: A spin lock that says that it was free whatever it was.
OPEN = {
    "rv32imac": ("-DHS_BARE_TRY(lock)=1", "-DHS_BARE_GIVE(lock)=((void)0)"),
    "cortex-m0plus": ("-UHS_BARE_TRY", "-DHS_BARE_TRY(lock)=1"),
}


@pytest.fixture(scope="module", params=sorted(TWO_CORES))
def chip(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.slow
@pytest.mark.parametrize(("level", "owners"), GUARDS)
def test_two_cores_lose_nothing_and_both_come_to_their_end(
    chip: str, level: int, owners: bool, seed: int
) -> None:
    image = build_cores(chip)
    ended = run_cores(chip, image, level=level, owners=owners, seed=seed, rounds=150)
    assert (ended.wrong, ended.left) == (0, 0), ended
    if chip == "cortex-m0plus":
        assert ended.waited > 0, "no core ever met a lock that was taken"


@pytest.mark.slow
def test_two_cores_that_nothing_holds_apart_do_damage(chip: str, seed: int) -> None:
    """So the test above can fail."""
    image = build_cores(chip, flags=OPEN[chip])
    try:
        ended = run_cores(chip, image, level=0, owners=True, seed=seed, rounds=150)
    except FaultError:
        return  # a core followed what the other one had half changed
    assert ended.wrong != 0 or ended.left != 0


def seen_by_another_core(chip: str, *, adds: bool, step: int) -> list[Met]:
    """The answers that a core got after instructions of another one, which makes a region."""
    met = every_boundary(chip, build_cores(chip), adds=adds, step=step)
    served = met.index(Met.A_BLOCK)
    assert set(met[served:]) == {Met.A_BLOCK}
    return met


@pytest.mark.slow
@pytest.mark.parametrize("step", [1, 53])
def test_start_up_stacks_are_seen_when_they_are_a_whole_heap(chip: str, step: int) -> None:
    met = seen_by_another_core(chip, adds=False, step=step)
    assert set(met) == {Met.NOTHING_YET, Met.A_BLOCK}, "nobody waits for the set's lock"


@pytest.mark.slow
@pytest.mark.parametrize("step", [1, 37])
def test_an_added_region_is_seen_when_it_is_whole(chip: str, step: int) -> None:
    met = seen_by_another_core(chip, adds=True, step=step)
    # Its record is a block of a region that is asked, too.
    assert set(met) <= {Met.NOTHING_YET, Met.WAITED, Met.A_BLOCK}
