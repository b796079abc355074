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

from heapscope.errors import InputError
from heapscope.layout.chips import load_chip
from heapscope.replay.run import replay
from heapscope.trace.info import read_info
from heapscope_studies import data_file
from heapscope_studies.captured import captured_trace
from heapscope_studies.registry import EXPERIMENTS
from heapscope_studies.result import Cell, Experiment
from heapscope_studies.tls_ladder import cost
from heapscope_studies.tls_ladder.compose import TASKS, composed, read_recorded
from heapscope_studies.tls_ladder.constants import CONSTANTS, second_core, values
from heapscope_studies.tls_ladder.ladder import Row, climb
from heapscope_studies.tls_ladder.steps import MESSAGE, MINIMAL, STEPS

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
    found = experiment.table("ladder")
    keys = [column.key for column in found.columns]
    return dict(zip(keys, found.rows[list(PUBLISHED).index(key)], strict=True))


def gain(experiment: Experiment, key: str, column: str = "gain_computed") -> int:
    value = row(experiment, key)[column]
    assert isinstance(value, int)
    return value


def published_gain(key: str, kind: int = 0) -> int:
    keys = list(PUBLISHED)
    return PUBLISHED[key][kind] - PUBLISHED[keys[keys.index(key) - 1]][kind]


# ---- the ladder ---------------------------------------------------------------------------------


def test_the_first_step_is_calibrated_and_said_to_be(tls_ladder: Experiment) -> None:
    assert [check.holds for check in tls_ladder.checks] == [True, True]
    assert row(tls_ladder, "default")["holds"] == "calibrated"
    assert "Only the first step's static use" in " ".join(tls_ladder.findings)


@pytest.mark.parametrize(
    "key",
    [
        "unicore",
        "out",
        "dynamic",
        "network",
        "rtc",
        pytest.param(
            "iram",
            marks=pytest.mark.xfail(
                strict=True,
                reason="a handshake with one certificate, in buffers of a record's own size, has "
                "4.6 KB in blocks of 2 KB and more; the study's had 21 KB",
            ),
        ),
    ],
)
def test_a_step_gains_what_was_published(tls_ladder: Experiment, key: str) -> None:
    published = published_gain(key)
    assert row(tls_ladder, key)["gain_published"] == published
    assert abs(gain(tls_ladder, key) - published) <= max(0.15 * published, 1536)


@pytest.mark.xfail(
    strict=True,
    reason="our client's peak is 11 KB below the study's from the first step on, with other "
    "certificates and another library; 5 of the 7.4 KB that are missing are its",
)
def test_the_whole_ladder_comes_out(tls_ladder: Experiment) -> None:
    assert abs(tls_ladder.figures["tls_gains"]["total"] - LADDER) <= 0.05 * LADDER


@pytest.mark.parametrize("key", ["unicore", "out", "dynamic", "network"])
def test_iram_changes_by_what_was_published(tls_ladder: Experiment, key: str) -> None:
    """In sign and roughly in size: within a fifth."""
    published = published_gain(key, 1)
    assert abs(gain(tls_ladder, key, "iram_computed") - published) <= 0.2 * abs(published)


def test_the_buffers_take_iram(tls_ladder: Experiment) -> None:
    assert gain(tls_ladder, "iram", "iram_computed") < 0
    assert gain(tls_ladder, "rtc", "iram_computed") == 0  # published: -28


@pytest.mark.xfail(strict=True, reason="as the step's gain: 4.6 KB in IRAM, the study's had 21 KB")
def test_the_buffers_take_as_much_iram_as_published(tls_ladder: Experiment) -> None:
    taken = gain(tls_ladder, "iram", "iram_computed")
    assert published_gain("iram", 1) * 2 < taken < published_gain("iram", 1) / 2


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
    assert again.figures == tls_ladder.figures


# ---- constants ----------------------------------------------------------------------------------

#: Whether a doubled constant has to show in the single core, the minimal network, or the cost.
SEEN_IN = {"lwip_code": "network", "clock_mhz": "", "restricted_cycles": ""}


def cells(rows: tuple[Row, ...]) -> list[tuple[int, int, dict[str, tuple[int, int]]]]:
    return [(each.dram, each.iram, dict(each.tasks)) for each in rows]


@functools.cache
def climbed(key: str, **use: int) -> list[tuple[int, int, dict[str, tuple[int, int]]]]:
    return cells(climb(FIRST, steps=(STEP["default"], STEP[key]), use=use)[1])


@pytest.mark.cells(3)
@pytest.mark.parametrize("name", CONSTANTS)
def test_each_constant_doubled_moves_the_table(name: str) -> None:
    doubled = values() | {name: 2 * values()[name]}
    key = SEEN_IN.get(name, "unicore")
    if not key:
        told = cost.read_counted()
        slow = [
            cost.slow_down(told, smallest=2048, cycles=use["restricted_cycles"])
            for use in (values(), doubled)
        ]
        assert slow[0].seconds(values()["clock_mhz"]) != slow[1].seconds(doubled["clock_mhz"])
        return
    assert climbed(key, **doubled) != climbed(key, **values())


def test_every_constant_has_a_source() -> None:
    assert all(each.source and "Case Study" not in each.source for each in CONSTANTS.values())


@pytest.fixture
def tenants(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The generator's modules, which are not in a package of the lab."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "studies" / "workloads"))
    for module in ("session", "sizes"):
        importlib.import_module(f"tenants.{module}")
    return sys.modules["tenants"]


NETWORK = (
    "STATIC_RX",
    "MGMT_RX",
    "MGMT_SHORT",
    "AROUND",
    "ETHERNET",
    "CUSTOM_PBUF",
    "PBUF",
    "SEGMENT",
    "TCP_PCB",
    "NETCONN",
    "TIMER",
    "MESSAGE",
    "QUEUE",
)

#: Alive for 2 ms now and then: not at the peak of every step.
RARE = {"MGMT_SHORT": "network"}


@pytest.mark.cells(3)
@pytest.mark.parametrize("name", NETWORK)
def test_each_size_of_the_network_doubled_moves_the_table(
    name: str, tenants: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, sizes = tenants.session, tenants.sizes
    step = STEP[RARE.get(name, "default")]

    def table(file: str) -> object:
        made = tmp_path / file
        session.make_session(step.network, made)
        if name not in RARE:  # a task's peaks are those of its own events
            peaks = replay(made, load_chip("esp32").layout(idf="4.2"))
            return [(each.task, each.kind, each.payload_peak) for each in peaks.tasks]

        def find(name: str) -> Path:
            return made if name == step.network else captured_trace(name)

        return cells(climb(FIRST, steps=(STEPS[0], step), find=find)[1])

    before = table("before.hst")
    monkeypatch.setattr(sizes, name, 2 * getattr(sizes, name))
    assert table("after.hst") != before


def test_the_captured_networks_are_those_of_the_generator(tenants: Any, tmp_path: Path) -> None:
    for name in tenants.session.SESSIONS:
        tenants.session.make_session(name, tmp_path / f"{name}.hst")
        again, kept = read_recorded(tmp_path / f"{name}.hst"), read_recorded(captured_trace(name))
        assert again.marks == kept.marks
        assert np.array_equal(again.events, kept.events)


def test_the_second_core_is_its_named_parts() -> None:
    parts = {part.what: part.total for part in second_core(values())}
    assert parts["IPC tasks: stacks"] == 2 * (1024 + 20)
    assert parts["idle task: stack"] == 1536 + 20
    assert parts["interrupt stack"] == 1536
    assert sum(parts.values()) == 7_432


# ---- composing ----------------------------------------------------------------------------------


def test_a_composition_has_every_block_of_both(tmp_path: Path) -> None:
    step = STEP["iram"]
    client, network = captured_trace(step.tls), captured_trace(step.network)
    out = tmp_path / "T.hst"
    out.write_bytes(composed(client, network, iram_from=2048))
    made = read_recorded(out)
    parts = [read_recorded(path).events for path in (client, network)]
    blocks = [part[part["kind"] != 7] for part in parts]
    assert (made.events["kind"] != 7).sum() == sum(len(part) for part in blocks)
    mine = made.events[(made.events["task"] == TASKS.index("aws_iot"))]
    assert np.array_equal(mine["size"], blocks[0]["size"])
    large = (mine["size"] >= 2048) & (mine["kind"] < 4)
    assert large.sum() > 100
    assert (mine["caps"] != 0).tolist() == large.tolist()


def test_a_handshake_computes_while_the_network_goes_on(tmp_path: Path) -> None:
    step = STEP["default"]
    client, network = captured_trace(step.tls), captured_trace(step.network)
    out = tmp_path / "T.hst"
    out.write_bytes(composed(client, network))
    made, alone = read_recorded(out), read_recorded(client)
    here, there = made.places(), alone.places()
    handshake = made.events[here["answered 1"] : here["computed 1"]]
    mine = handshake["task"] == TASKS.index("aws_iot")
    marks = 1  # "connect 1" itself
    assert mine.sum() == there["connected 1"] - there["connect 1"] - marks
    among = ~mine[np.flatnonzero(mine)[0] : np.flatnonzero(mine)[-1]]
    assert among.sum() > 10  # lwIP's timers run four times a second and oftener


def test_short_messages_leave_out_what_longer_ones_allocate(tmp_path: Path) -> None:
    step = STEP["dynamic"]
    client, network = captured_trace(step.tls), captured_trace(step.network)
    sizes = []
    for message in (None, MESSAGE):
        out = tmp_path / "T.hst"
        out.write_bytes(composed(client, network, message=message))
        sizes.append(read_recorded(out).events["size"])
    assert int(sizes[0].max()) > 16_384
    assert int(sizes[1].max()) == 3_072  # the stack of the TCP/IP task


# ---- cost ---------------------------------------------------------------------------------------


def counted(**transfer: dict[str, int]) -> dict[str, Any]:
    site = {"function": "f", "size": 4096, "blocks": 1, "transfer": transfer}
    return {"received_bytes": 1 << 19, "sites": [site, site | {"size": 100}]}


def test_only_what_is_no_aligned_word_of_a_large_block_traps() -> None:
    told = counted(
        read={"1": 10, "2": 5, "4": 100, "copied_bytes": 7},
        written={"1": 1, "2": 0, "4": 50, "copied_bytes": 9},
    )
    slow = cost.slow_down(told, smallest=2048, cycles=167)
    assert (slow.restricted, slow.words, slow.copied) == (32, 300, 32)  # scaled from half a MB
    assert slow.seconds(160) == pytest.approx(32 * 167 / 160e6)


def test_the_slow_down_is_computed_from_counted_accesses(tls_ladder: Experiment) -> None:
    """Published: 2.2 s. An upper bound, so it is no less, and not twice as much."""
    slower = tls_ladder.figures["tls_costs"]["tls_slower_s"]
    assert 2.2 <= slower <= 4.4


@pytest.mark.xfail(
    strict=True,
    reason="no rank has a single core: the model learned from two cores gives 14 Mbit/s",
)
def test_the_default_network_s_throughput(tls_ladder: Experiment) -> None:
    """About 20 Mbit/s: within a quarter."""
    assert tls_ladder.figures["tls_costs"]["tcp_default_mbps"] == pytest.approx(20, rel=0.25)


@pytest.mark.xfail(
    strict=True,
    reason="the model is fitted to ranks in a shielded box; the study does not tell its link",
)
def test_the_minimal_network_s_throughput(tls_ladder: Experiment) -> None:
    assert tls_ladder.figures["tls_costs"]["tcp_minimal_mbps"] == pytest.approx(4.5, rel=0.5)


def test_a_missing_count_names_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "COUNTED", "no_such.json")
    with pytest.raises(InputError, match=r"no_such\.json"):
        cost.read_counted()


@pytest.mark.parametrize("name", ["tls_net_minimal", "tls_net_minimal_all"])
def test_the_minimal_network_was_recorded_as_the_step_has_it(name: str) -> None:
    """The trace tells what differs from the defaults, of the options that its generator knows."""
    said = read_info(captured_trace(name)).metadata["config"].split()
    options = dict(one.removeprefix("CONFIG_").split("=") for one in said)
    options.pop("ESP_WIFI_RX_BA_WIN", None)  # none, where A-MPDU is off
    assert {"ESP_WIFI_STATIC_RX_BUFFER_NUM", "LWIP_TCP_WND_DEFAULT"} <= options.keys()
    assert options == {option: str(MINIMAL[option]) for option in options}
