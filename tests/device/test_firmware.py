"""Firmware on QEMU's boards: the heap's own figures and the addresses it gave are the lab's."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from emulation.firmware.boards import BOARDS, Board
from emulation.firmware.build import Options, build, build_small
from emulation.firmware.changes import BASE, CHANGES, POOL_SIZE
from emulation.firmware.effects import effects_of, minimum, run_base
from emulation.firmware.proof import Proof, layout_of, prove
from emulation.firmware.recorded import Walk, printed_walks, read_recorded
from emulation.firmware.run import Ran, run_firmware
from emulation.firmware.server import document

from heapscope.base import capabilities

SMALL = Path(__file__).parent / "firmware" / "small.c"
CUTS = 48
HOLDS = (
    "equal priorities run by turns",
    "messages come in their order, and then none",
    "a wait ends with its time",
    "who holds a mutex inherits the priority of who waits",
    "the interrupt's samples are there",
    "a request that nothing can serve is refused",
)


@pytest.fixture(params=["virt", pytest.param("mps2", marks=pytest.mark.slow)])
def board(request: pytest.FixtureRequest) -> Board:
    return BOARDS[request.param]


def check(proof: Proof) -> None:
    """Everything is equal, and there was something to be equal."""
    summary = proof.result.summary
    assert proof.differences == ()
    assert proof.walks == len(proof.result.marks)
    assert summary.address_matched == summary.address_compared == summary.results > 1000
    assert proof.figures == 18 * len(proof.result.marks) > 0
    assert summary.unknown_frees == summary.double_frees == summary.reused_ids == 0
    assert proof.result.census.last_time >= proof.result.marks[-1].time
    health = proof.result.health
    assert health.lost_chunks == health.lost_events == health.skipped_bytes == 0


@pytest.fixture(scope="module")
def run_small(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Ran]:
    @cache
    def run(board: Board, options: Options = BASE) -> Ran:
        folder = tmp_path_factory.mktemp(board.name)
        return run_firmware(board, build_small(board, SMALL, options), folder / "small.hst")

    return run


def in_order(walks: Sequence[Walk], heard: Sequence[Walk]) -> bool:
    """Are they the last of those that were stated?"""
    return heard == walks[len(walks) - len(heard) :]


@pytest.mark.slow
def test_a_small_firmware_tells_of_its_heap_what_the_lab_tells(
    board: Board, run_small: Callable[..., Ran], tmp_path: Path
) -> None:
    ran = run_small(board)
    for line in HOLDS:
        assert f"\n{line}: yes\n" in ran.console, ran.console
    assert " events, 0 lost, " in ran.console
    proof = prove(ran, tmp_path / "small.toml")
    check(proof)
    assert proof.result.summary.recorded_failures == proof.recorded.failed == 1
    assert proof.recorded.interrupts > 5
    assert {"spin 1", "spin 2", "send", "middle", "high"} <= set(proof.recorded.ended)
    by_task = {row.task: row.allocations for row in proof.result.tasks if row.kind == "DRAM"}
    assert by_task["churn 1"] > 500 < by_task["churn 2"]


def test_who_joins_late_knows_the_blocks_from_the_first_snapshot_on(
    board: Board, run_small: Callable[..., Ran], tmp_path: Path
) -> None:
    ran = run_small(board)
    stated, whole = printed_walks(ran.console), ran.recording.read_bytes()
    heard, cut = [], tmp_path / "cut.hst"
    for part in range(CUTS):
        at = len(whole) * part // CUTS
        cut.write_bytes(whole[at:])
        walks = read_recorded(cut).walks
        assert in_order(stated, walks), at
        heard.append(len(walks))
    assert heard[0] == len(stated)
    assert any(0 < count < len(stated) for count in heard)  # a later snapshot was the first


def test_a_wrong_layout_is_noticed(run_small: Callable[..., Ran], tmp_path: Path) -> None:
    """The proof can fail: with one region's size told wrongly, figures and addresses differ."""
    ran = run_small(BOARDS["virt"])
    reported, count = re.subn(r"(?m)^(region DRAM \S+) 98304", r"\1 98048", ran.console)
    assert count == 1
    proof = prove(replace(ran, console=reported), tmp_path / "wrong.toml")
    assert proof.differences
    assert proof.result.summary.address_matched < proof.result.summary.address_compared


@pytest.mark.slow
def test_another_order_of_regions_is_predicted(
    run_small: Callable[..., Ran], tmp_path: Path
) -> None:
    """A task of the small firmware asks for the same whatever comes when; which of them runs is up
    to the timer."""
    board, change = BOARDS["virt"], CHANGES[1]
    before, after = run_small(board), run_small(board, change.options)
    masks = (capabilities.parse("DMA|8BIT"),)
    layout = layout_of(before.console, tmp_path / "before.toml")
    predicted = minimum(change.predict(before.recording, layout, masks, tmp_path), "DMA|8BIT")
    now = minimum(prove(before, tmp_path / "before.toml").result, "DMA|8BIT")
    proof = prove(after, tmp_path / "after.toml")
    check(proof)
    measured = minimum(proof.result, "DMA|8BIT")
    assert abs(measured - now) > 8192
    assert abs(predicted - measured) < abs(measured - now) / 4


@pytest.mark.slow
def test_a_whole_firmware_tells_of_its_heap_what_the_lab_tells(
    board: Board, tmp_path: Path
) -> None:
    image = build(board, Options())
    ran = run_firmware(board, image, tmp_path / "whole.hst", sessions=2)
    for number in range(6):
        _, readings, quarters = document(number)
        text = f"json: document {number} has {readings} readings, {quarters} quarters together"
        assert text in ran.console
    proof = prove(ran, tmp_path / "whole.toml")
    check(proof)
    assert {row.task for row in proof.result.tasks} >= {"client", "tcpip", "json", "interrupt 0"}
    assert proof.recorded.started == ["tcpip", "json", "sampler"]  # after the first snapshot
    assert proof.recorded.ended == ["json"]
    assert proof.recorded.interrupts > 100
    assert proof.recorded.failed == 2  # a history of samples in each session
    assert proof.result.census.largest_request > 16384  # a buffer for a record


@pytest.mark.slow
def test_the_effects_of_three_changes_are_predicted(tmp_path: Path) -> None:
    """The prediction is nearer to what was measured than half of the change itself. It cannot be
    equal: two runs of one image differ by how the network's packets come."""
    board = BOARDS["virt"]
    build(board, Options())
    base = run_base(board, tmp_path)
    for change in CHANGES:
        proof, rows = effects_of(board, base, change, tmp_path)
        check(proof)
        for row in rows:
            assert row.failures == (0, 0)
        dma = next(row for row in rows if row.capabilities == "DMA|8BIT")
        assert abs(dma.predicted - dma.before) > 4096
        assert abs(dma.error) < abs(dma.measured - dma.before) / 2
    first = next(row for row in proof.result.regions if row.kind == "DRAM")
    assert first.peak_payload > POOL_SIZE
