"""Options of the SDK that were replayed, made by hand and replayed once more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tests.lab.why.conftest import Agrees, Explain, Replay

from heapscope.answers.why.change import Change
from heapscope.answers.why.reasons import Explained, WhyResult
from heapscope.config.config import settle
from heapscope.config.value import Value
from heapscope.forecast.predict.knob_layout import without_code
from heapscope.forecast.predict.knob_offers import KnobOffer, knob_offers
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.pool import pool_layout

BUFFERS = ["t wifi", *(f"a {n} 1696" for n in range(1, 11))]


def offers(chip: str = "esp32", **values: Value) -> tuple[KnobOffer, ...]:
    return knob_offers(settle((), chip=chip, sdk="5.5").changed_to(values))


def knobs(explained: Explained | None, word: str) -> list[Change]:
    assert explained is not None
    every = (*explained.changes, *explained.unhelpful)
    return [change for change in every if change.kind == "knob" and word in change.text]


def test_static_buffers_of_the_trace_are_left_out(
    why: Explain, again: Replay, agrees: Agrees
) -> None:
    """A block that was freed was no static buffer."""
    lines = [*BUFFERS, "a 11 1696", "f 11", "t net", "a 12 6000"]
    pool = pool_layout(19_000, "idf-5.5")
    result = why(lines, pool, knobs=offers(), knobs_of="defaults")
    (change,) = knobs(result.groups[0].first, "Static RX")
    assert "without 5 blocks of the 10" in change.text
    assert "Costs udp_rx" in change.text
    gone = {f"a {n} 1696" for n in range(6, 11)}
    agrees(change, again([line for line in lines if line not in gone], pool))
    assert change.outcome.failures == 0
    assert change in result.groups[0].first.changes  # type: ignore[union-attr]


def test_records_of_the_trace_are_shorter(why: Explain, again: Replay, agrees: Agrees) -> None:
    """With one length for both, mbedTLS takes the incoming buffer first."""
    lines = ["t tls", "a 1 16717", "a 2 16717", "t net", "a 3 9000"]
    pool = pool_layout(40_000, "idf-5.5")
    one = offers(MBEDTLS_ASYMMETRIC_CONTENT_LEN=False, MBEDTLS_SSL_MAX_CONTENT_LEN=16384)
    (change,) = knobs(why(lines, pool, knobs=one).groups[0].first, "TLS records")
    assert "1 block of 16,717 B as 2,381 B" in change.text
    agrees(change, again([*lines[:2], "a 2 2381", *lines[3:]], pool))
    assert change.outcome.failures == 0


def test_code_leaves_the_memory_that_it_shares(why: Explain, again: Replay, agrees: Agrees) -> None:
    layout = load_chip("esp32c3").layout(idf="5.5", static_dram=260 << 10)
    lines = ["t app", "a 1 64000", "a 2 70000"]
    requested = offers("esp32c3")
    result = why(lines, layout, knobs=requested)
    (change,) = knobs(result.groups[0].first, "Wi-Fi RX code")
    (offer,) = [offer for offer in requested if offer.key == "wifi_rx_iram"]
    agrees(change, again(lines, without_code(layout, offer)))


def test_what_shows_nowhere_is_not_tried_but_listed(why: Explain) -> None:
    lines = ["t app", "a 1 5000", "a 2 5000"]
    pool = pool_layout(8_000, "idf-5.5")
    result = why(lines, pool, knobs=offers(), knobs_of="defaults")
    first = result.groups[0].first
    assert first is not None
    assert not [change for change in (*first.changes, *first.unhelpful) if change.kind == "knob"]
    listed = {knob.key for knob in result.knobs}
    assert "static_rx" in listed
    assert not [key for key in listed if key.startswith("tls")]  # no block is a record
    assert all(knob.gain > 0 for knob in result.knobs)
    assert WhyResult.from_json(result.to_json()) == result


def test_nothing_is_offered_where_nothing_failed(why: Explain) -> None:
    result = why(["a 1 500"], pool_layout(8_000, "idf-5.5"), knobs=offers(), knobs_of="defaults")
    assert result.knobs == ()


def test_the_command_reads_the_firmwares_options(make: Callable[[Sequence[str]], Path]) -> None:
    from typer.testing import CliRunner

    from heapscope.cli.app import app

    trace = make(["t app", "a 1 90000", "a 2 400000"])
    config = trace.with_name("sdkconfig")
    config.write_text("CONFIG_ESP_WIFI_STATIC_RX_BUFFER_NUM=24\n", encoding="utf-8")
    requested = ["why", str(trace), "--chip", "esp32c3", "--sdkconfig", str(config)]
    done = CliRunner().invoke(app, requested, env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    assert "Static RX buffers: 12 instead of 24." in done.stdout.split("Predicted")[1]
    wrong = config.with_name("wrong")
    wrong.write_text("CONFIG_ESP_WIFI_STATIC_RX_BUFFER_NUM=240\n", encoding="utf-8")
    done = CliRunner().invoke(app, [*requested[:-1], str(wrong)], env={"COLUMNS": "200"})
    assert done.exit_code == 0  # Kconfig leaves the line out
    assert "instead of 240" not in done.stdout
