"""On captured programs in too little memory, every change that `why` names is possible there and
gains something, who holds most is named first, and failures that look alike are one group."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapscope.answers.why.explain import explain
from heapscope.answers.why.reasons import Explained, FailureGroup, WhyResult
from heapscope.forecast.predict.knob_choice import choose_knobs
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.pool import pool_layout
from heapscope.trace.info import read_info

CAPTURED = Path(__file__).parents[3] / "studies" / "workloads" / "captured"
CALLS = (
    *("default", "hosts", "lazy", "local", "lossy", "many", "no_rtcp"),
    *("one", "plain", "relays", "rough", "tuned"),
)
PARTS = (95, 60)  # percent of the live peak that a pool has
CHIPS = {"esp32c3": 260_000, "esp32": 130_000}  # bytes of static data there
CASES = (
    *((f"ice_{name}", str(part)) for name in CALLS for part in PARTS),
    *((f"ice_{name}", chip) for name in ("default", "many", "relays", "hosts") for chip in CHIPS),
)
LONG = (
    *((name, "90") for name in ("tls35_rsa_4k_4k", "tls228_ec_4k_4k", "script_json")),
    *((name, "esp32c3") for name in ("tls_net_default", "script_json", "tls35_rsa_4k_4k")),
    ("script_device", "80"),
    ("duk_json", "90"),
)


def layout_of(path: Path, memory: str) -> Layout:
    if memory in CHIPS:
        return load_chip(memory).layout(idf="5.5", static_dram=CHIPS[memory])
    return pool_layout(read_info(path).live_peak * int(memory) // 100 // 8 * 8, "idf-5.5")


@pytest.mark.cells(3)
@pytest.mark.parametrize(("name", "memory"), CASES)
def test_every_remedy_is_possible_and_gains(name: str, memory: str) -> None:
    check(name, memory)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "memory"), LONG)
def test_every_remedy_of_a_long_program(name: str, memory: str) -> None:
    check(name, memory)


def check(name: str, memory: str) -> None:
    path = CAPTURED / f"{name}.hst.zst"
    layout = layout_of(path, memory)
    knobs, of = choose_knobs(layout, None)
    result = explain(path, layout, knobs=knobs, knobs_of=of, depth=2)
    explained = [
        one for group in result.groups for one in (group.first, group.nearest) if one is not None
    ]
    for one in explained:
        check_changes(one, result, name, memory)
    if explained:
        check_holders(explained[0], result)
    assert len({shown(group) for group in result.groups}) == len(result.groups)


def check_changes(one: Explained, result: WhyResult, name: str, memory: str) -> None:
    for change in one.changes:
        assert change.outcome.served, change
        assert change.outcome.failures < result.failures, change
        if memory in CHIPS:
            assert change.kind != "memory" or change.given_up <= CHIPS[memory], change
            assert change.kind != "allocator" or change.options == "--allocator heapscope", change
        if not name.startswith("tls"):
            assert not any("MBEDTLS" in line for line in change.lines), change
    for offer in result.knobs:
        assert name.startswith("tls") or "TLS" not in offer.text, offer


def check_holders(one: Explained, result: WhyResult) -> None:
    holders = one.case.holders
    if not holders:
        return
    assert holders[0].live == max(holder.live for holder in holders)
    assert f"'{holders[0].task}'" in result.answer[0]
    widest = max(holders, key=lambda holder: holder.hole)
    assert widest.hole == holders[0].hole or f"'{widest.task}'" in result.answer[0]


def shown(group: FailureGroup) -> tuple[object, ...]:
    words = group.task, group.site, group.call, group.capabilities, group.reason
    return *words, group.smallest.bit_length()
