"""tls-ladder: the steps are predicted from the first one's static use, and misses stay misses."""

from __future__ import annotations

import copy
import functools
import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from heapscope.base.errors import InputError
from heapscope.config.config import read_config
from heapscope.memory.layout.chips import load_chip
from heapscope.simulation.replay.run import replay
from heapscope.trace.info import read_info
from heapscope_studies import data_file
from heapscope_studies.captured import captured_trace
from heapscope_studies.registry import EXPERIMENTS
from heapscope_studies.result import Cell, Experiment
from heapscope_studies.tls_ladder import cost
from heapscope_studies.tls_ladder.compose import TASKS, composed, read_recorded
from heapscope_studies.tls_ladder.constants import CONSTANTS, values
from heapscope_studies.tls_ladder.ladder import BASE, CHIP, PARAGRAPHS, SDK, Row, climb
from heapscope_studies.tls_ladder.steps import CURVES, OURS, STEPS, Step

from .conftest import Computed

#: Minimum free DRAM and IRAM as published, typed again.
PUBLISHED = {
    "default": (152_976, 40_276),
    "unicore": (162_980, 76_136),
    "out": (177_972, 76_136),
    "dynamic": (203_648, 76_136),
    "network": (213_712, 62_920),
    "rtc": (221_792, 62_892),
    "iram": (228_252, 40_432),
}
FIRST = PUBLISHED["default"]
LADDER = 75_276
STEP = {step.key: step for step in STEPS}


@pytest.fixture(scope="module")
def tls_ladder(computed: Computed) -> Experiment:
    return computed("tls-ladder")


def row(experiment: Experiment, key: str) -> dict[str, Cell]:
    result = experiment.table("ladder")
    keys = [column.key for column in result.columns]
    return dict(zip(keys, result.rows[list(PUBLISHED).index(key)], strict=True))


def gain(experiment: Experiment, key: str, column: str = "gain_computed") -> int:
    value = row(experiment, key)[column]
    assert isinstance(value, int)
    return value


def published_gain(key: str, kind: int = 0) -> int:
    keys = list(PUBLISHED)
    return PUBLISHED[key][kind] - PUBLISHED[keys[keys.index(key) - 1]][kind]


# ---- the ladder ---------------------------------------------------------------------------------


def test_the_first_step_is_calibrated_and_marked(tls_ladder: Experiment) -> None:
    assert [check.holds for check in tls_ladder.checks] == [True, True]
    assert row(tls_ladder, "default")["holds"] == "calibrated"
    assert "Only the first step's static use" in " ".join(tls_ladder.findings)


@pytest.mark.parametrize("key", ["unicore", "out", "dynamic", "network", "rtc", "iram"])
def test_a_step_gains_what_was_published(tls_ladder: Experiment, key: str) -> None:
    published = published_gain(key)
    assert row(tls_ladder, key)["gain_published"] == published
    assert abs(gain(tls_ladder, key) - published) <= 0.15 * published


def test_the_whole_ladder_comes_out(tls_ladder: Experiment) -> None:
    assert abs(tls_ladder.figures["tls_gains"]["total"] - LADDER) <= 0.02 * LADDER


@pytest.mark.parametrize(
    ("key", "share"),
    [("unicore", 0.09), ("out", 0), ("dynamic", 0), ("network", 0.06), ("iram", 0.06)],
)
def test_iram_changes_by_what_was_published(tls_ladder: Experiment, key: str, share: float) -> None:
    published = published_gain(key, 1)
    assert abs(gain(tls_ladder, key, "iram_computed") - published) <= share * abs(published)


def test_rtc_memory_changes_no_iram(tls_ladder: Experiment) -> None:
    assert gain(tls_ladder, "rtc", "iram_computed") == 0  # published: -28


#: The client's peaks as published, typed again: step, memory, bytes.
CLIENT = [
    ("default, dual core", "DRAM", 63_124),
    ("single core", "DRAM", 63_124),
    ("OUT 2048", "DRAM", 48_784),
    ("dynamic TLS buffers", "DRAM", 26_268),
    ("minimal network", "DRAM", 26_272),
    ("RTC memory as heap", "DRAM", 26_272),
    ("TLS buffers in IRAM", "DRAM", 17_960),
    ("TLS buffers in IRAM", "IRAM", 21_216),
]


def peaks_of(experiment: Experiment, task: str) -> list[tuple[str, str, int, int, str]]:
    table = experiment.table("tasks")
    columns = [table.column(key) for key in ("step", "memory", "published", "computed", "holds")]
    rows = zip(table.column("task"), *columns, strict=True)
    return [
        (str(step), str(memory), int(str(reported)), int(str(ours)), str(holds))
        for name, step, memory, reported, ours, holds in rows
        if name == task
    ]


def test_the_client_s_eight_peaks_come_out_within_one_percent(tls_ladder: Experiment) -> None:
    peaks = peaks_of(tls_ladder, "client")
    assert [(step, memory, stated) for step, memory, stated, _, _ in peaks] == CLIENT
    for _, _, reported, ours, holds in peaks:
        assert holds == "yes"
        assert abs(ours - reported) <= 0.01 * reported
    assert peaks[-1][3] == 21_216  # the blocks in IRAM, to the byte
    assert tls_ladder.figures["tls_peaks"]["aws_iot_within"] == 8


def test_the_tcpip_task_s_peaks_come_out_within_15_percent(tls_ladder: Experiment) -> None:
    assert {holds for *_, holds in peaks_of(tls_ladder, "tiT")} == {"yes"}


def test_the_wifi_task_s_peaks_come_out_within_15_percent(tls_ladder: Experiment) -> None:
    assert {holds for *_, holds in peaks_of(tls_ladder, "wifi")} == {"yes"}


def test_both_curves_are_shown_and_the_first_is_in_all_other_tables(
    tls_ladder: Experiment,
) -> None:
    table = tls_ladder.table("curves")
    first, second = (table.column(f"peak_{curve}") for curve in CURVES)
    client = [ours for _, memory, _, ours, _ in peaks_of(tls_ladder, "client") if memory == "DRAM"]
    assert list(first) == client
    assert [a != b for a, b in zip(first, second, strict=True)] == 3 * [True] + 4 * [False]
    gains = table.column(f"gain_{CURVES[0]}")[1:]
    assert list(gains) == [gain(tls_ladder, key) for key in list(PUBLISHED)[1:]]


def test_our_dynamic_buffers_hold_less_and_stand_apart(tls_ladder: Experiment) -> None:
    table = tls_ladder.table("ours")
    theirs, ours = (int(str(cell)) for cell in table.column("client"))
    assert ours < theirs == 26_180
    assert len(tls_ladder.table("ladder").rows) == 8  # seven steps and the whole


def test_nothing_but_the_first_step_is_an_input(
    tls_ladder: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other published figures of the later steps move no computed one."""
    other = copy.deepcopy(data_file.read_published("tls_ladder"))
    for step in other["step"][1:]:
        step.update(dram=1, iram=1, tcpip=1, wifi=1, aws_iot=[1, 1])
    other["cost"] = dict.fromkeys(other["cost"], 1.0)
    monkeypatch.setattr("heapscope_studies.tls_ladder.compute.read_published", lambda name: other)
    again = EXPERIMENTS["tls-ladder"].run(lambda done, total: None)
    figures, before = dict(again.figures), dict(tls_ladder.figures)
    assert figures.pop("tls_peaks") != before.pop("tls_peaks")  # counts what is within bounds
    assert figures == before
    for curve in CURVES:
        key = f"peak_{curve}"
        assert again.table("curves").column(key) == tls_ladder.table("curves").column(key)


# ---- constants ----------------------------------------------------------------------------------

#: Those that show in the cost alone.
PRICED = ("clock_mhz", "restricted_cycles")


def cells(rows: tuple[Row, ...]) -> list[tuple[int, int, dict[str, tuple[int, int]]]]:
    return [(each.dram, each.iram, dict(each.tasks)) for each in rows]


@functools.cache
def climbed(key: str, **use: int) -> list[tuple[int, int, dict[str, tuple[int, int]]]]:
    return cells(climb(FIRST, steps=(STEP["default"], STEP[key]), use=use)[1])


@pytest.mark.cells(3)
@pytest.mark.parametrize("name", CONSTANTS)
def test_each_constant_doubled_moves_the_table(name: str) -> None:
    doubled = values() | {name: 2 * values()[name]}
    if name in PRICED:
        reported = cost.read_counted()
        slow = [
            cost.slow_down(reported, smallest=2048, cycles=use["restricted_cycles"])
            for use in (values(), doubled)
        ]
        assert slow[0].seconds(values()["clock_mhz"]) != slow[1].seconds(doubled["clock_mhz"])
        return
    assert climbed("unicore", **doubled) != climbed("unicore", **values())


def test_every_constant_has_a_source() -> None:
    assert all(each.source and "Case Study" not in each.source for each in CONSTANTS.values())


@pytest.fixture
def tenants(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The generator's modules, which are not in a package of the lab."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "studies" / "workloads"))
    for module in ("session", "sizes"):
        importlib.import_module(f"tenants.{module}")
    return sys.modules["tenants"]


#: All but MGMT_SHORT, which lives for 2 ms now and then and is at no peak.
NETWORK = (
    "STATIC_RX",
    "MGMT_RX",
    "AROUND",
    "ETHERNET",
    "CUSTOM_PBUF",
    "PBUF",
    "SEGMENT",
    "TCP_PCB",
    "TIMER",
    "MESSAGE",
    "QUEUE_42",
)


@pytest.mark.cells(3)
@pytest.mark.parametrize("name", NETWORK)
def test_each_size_of_the_network_doubled_moves_the_table(
    name: str, tenants: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, sizes = tenants.session, tenants.sizes

    def peaks(file: str) -> object:  # a task's peaks are those of its own events
        built = tmp_path / file
        session.make_session(STEPS[0].network, built)
        result = replay(built, load_chip("esp32").layout(idf="4.2"))
        return [(each.task, each.kind, each.payload_peak) for each in result.tasks]

    before = peaks("before.hst")
    monkeypatch.setattr(sizes, name, 2 * getattr(sizes, name))
    assert peaks("after.hst") != before


def test_the_captured_networks_are_those_of_the_generator(tenants: Any, tmp_path: Path) -> None:
    for name in tenants.session.SESSIONS:
        tenants.session.make_session(name, tmp_path / f"{name}.hst")
        again, kept = read_recorded(tmp_path / f"{name}.hst"), read_recorded(captured_trace(name))
        assert again.marks == kept.marks
        assert np.array_equal(again.events, kept.events)


# ---- composing ----------------------------------------------------------------------------------


def traces_of(step: Step) -> tuple[Path, Path]:
    return captured_trace(step.client.format(curve=CURVES[0])), captured_trace(step.network)


def test_a_composition_has_every_block_of_both(tmp_path: Path) -> None:
    step = STEP["iram"]
    client, network = traces_of(step)
    out = tmp_path / "T.hst"
    out.write_bytes(composed(client, network, iram_from=2048))
    recorded = read_recorded(out)
    parts = [read_recorded(path).events for path in (client, network)]
    blocks = [part[part["kind"] != 7] for part in parts]
    assert (recorded.events["kind"] != 7).sum() == sum(len(part) for part in blocks)
    mine = recorded.events[(recorded.events["task"] == TASKS.index("aws_iot"))]
    assert np.array_equal(mine["size"], (blocks[0]["size"] + 3) // 4 * 4)  # in words
    large = (mine["size"] >= 2048) & (mine["kind"] < 4)
    assert large.sum() > 10
    assert (mine["caps"] != 0).tolist() == large.tolist()


def test_a_handshake_computes_while_the_network_goes_on(tmp_path: Path) -> None:
    step = STEP["default"]
    client, network = traces_of(step)
    out = tmp_path / "T.hst"
    out.write_bytes(composed(client, network))
    built, alone = read_recorded(out), read_recorded(client)
    here, there = built.places(), alone.places()
    handshake = built.events[here["answered 1"] : here["computed 1"]]
    mine = handshake["task"] == TASKS.index("aws_iot")
    own = alone.events[there["connect 1"] : there["connected 1"]]
    assert mine.sum() == (own["kind"] != 7).sum()
    among = ~mine[np.flatnonzero(mine)[0] : np.flatnonzero(mine)[-1]]
    assert among.sum() > 10  # lwIP's timers run four times a second and oftener


def test_what_follows_the_network_s_last_connection_is_left_out(tmp_path: Path) -> None:
    """Our own client connects five times, the study's network once."""
    client, network = captured_trace(OURS.client), captured_trace(OURS.network)
    out = tmp_path / "T.hst"
    out.write_bytes(composed(client, network))
    built, alone = read_recorded(out), read_recorded(client)
    mine = built.events["task"] == TASKS.index("aws_iot")
    before = alone.events[: alone.places()["connect 2"]]
    assert mine.sum() == (before["kind"] != 7).sum()


# ---- cost ---------------------------------------------------------------------------------------


def counted(**transfer: dict[str, int]) -> dict[str, Any]:
    site = {"function": "f", "size": 4096, "blocks": 1, "transfer": transfer}
    return {"received_bytes": 1 << 19, "sites": [site, site | {"size": 100}]}


def test_only_what_is_no_aligned_word_of_a_large_block_traps() -> None:
    reported = counted(
        read={"1": 10, "2": 5, "4": 100, "copied_bytes": 7},
        written={"1": 1, "2": 0, "4": 50, "copied_bytes": 9},
    )
    slow = cost.slow_down(reported, smallest=2048, cycles=167)
    assert (slow.restricted, slow.words, slow.copied) == (32, 300, 32)  # scaled from half a MB
    assert slow.seconds(160) == pytest.approx(32 * 167 / 160e6)


def test_the_slow_down_is_computed_from_counted_accesses(tls_ladder: Experiment) -> None:
    """Published: 2.2 s. An upper bound, so it is no less, and not twice as much."""
    slower = tls_ladder.figures["tls_costs"]["tls_slower_s"]
    assert 2.2 <= slower <= 4.4


@pytest.mark.xfail(
    strict=True,
    reason="with the delay that the ranks chose the simulated link gives 12 Mbit/s; with half, 19",
)
def test_the_default_network_s_throughput(tls_ladder: Experiment) -> None:
    """About 20 Mbit/s: within a quarter."""
    assert tls_ladder.figures["tls_costs"]["tcp_default_mbps"] == pytest.approx(20, rel=0.25)


@pytest.mark.xfail(
    strict=True,
    reason="the simulated link gives 15 Mbit/s: the study does not tell its link",
)
def test_the_minimal_network_s_throughput(tls_ladder: Experiment) -> None:
    assert tls_ladder.figures["tls_costs"]["tcp_minimal_mbps"] == pytest.approx(4.5, rel=0.5)


def test_a_missing_count_names_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "COUNTED", "no_such.json")
    with pytest.raises(InputError, match=r"no_such\.json"):
        cost.read_counted()


def test_the_minimal_network_was_recorded_as_the_step_has_it() -> None:
    """The trace tells what differs from the defaults, of the options that its generator knows."""
    words = read_info(captured_trace("tls_study_net_minimal")).metadata["config"].split()
    options = dict(one.removeprefix("CONFIG_").split("=") for one in words)
    options.pop("ESP_WIFI_RX_BA_WIN", None)  # none, where A-MPDU is off
    assert {"ESP_WIFI_STATIC_RX_BUFFER_NUM", "LWIP_TCP_WND_DEFAULT"} <= options.keys()
    config = read_config([BASE, PARAGRAPHS], chip=CHIP, sdk=SDK)
    now = {option: config.value(option) for option in options}
    assert options == {option: str(value) for option, value in now.items()}
