"""Options that give memory back: bytes and costs are those of the models, and no rule breaks."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from heapscope.config.config import Config
from heapscope.config.lint.find import lint
from heapscope.forecast.predict.config_knobs import knobs_of
from heapscope.forecast.predict.forecast import forecast
from heapscope.forecast.predict.knob_changes import changes
from heapscope.forecast.predict.knob_offers import KnobOffer, knob_offers
from heapscope.forecast.predict.known_gain import is_known_gain
from heapscope.forecast.predict.memory_scene import MemoryScene, minor_of_config
from heapscope.forecast.predict.memory_states import MemoryModel
from heapscope.forecast.predict.wifi_table import METRICS

MakeConfig = Callable[..., Config]
CONFIGS = (
    ("IDF_X=y", "esp32"),
    ("ESP_WIFI_STATIC_RX_BUFFER_NUM=8 ESP_WIFI_RX_BA_WIN=16 LWIP_IRAM_OPTIMIZATION=y", "esp32s2"),
    ("ESP_WIFI_DYNAMIC_RX_BUFFER_NUM=16 ESP_WIFI_RX_BA_WIN=16", "esp32c6"),
    ("SPIRAM=y SPIRAM_USE_MALLOC=y SPIRAM_TRY_ALLOCATE_WIFI_LWIP=y", "esp32s3"),
    ("ESP_WIFI_AMPDU_RX_ENABLED=n ESP_WIFI_STATIC_RX_BUFFER_NUM=4", "esp32c5"),
)


def by_key(config: Config) -> dict[str, KnobOffer]:
    return {offer.key: offer for offer in knob_offers(config)}


def model(config: Config) -> MemoryModel:
    return MemoryModel(scene=MemoryScene(config=config, minor=minor_of_config(config)))


def available(config: Config) -> float:
    """Bytes; below zero too, where a band is cut off."""
    each = model(config)
    return each.free(each.busiest)["dram"].median


@pytest.mark.parametrize(("text", "chip"), CONFIGS)
def test_each_is_what_two_predictions_differ_by(
    configure: MakeConfig, text: str, chip: str
) -> None:
    config = configure(text, chip=chip)
    reported = {change.key: change for change in changes(config, knobs_of(config).knobs)}
    now = forecast(model(config), knobs_of(config))
    offers = by_key(config)
    assert offers
    for key, offer in offers.items():
        other = reported[key].applied(config)
        then = forecast(model(other), knobs_of(other))
        if key.startswith("dynamic"):
            won = max(0.0, available(other) - available(config))
            assert offer.gain == pytest.approx(won, abs=2), key
        if key.startswith("static"):
            won = available(other) - available(config)
            # A window that has to follow gives some 350 bytes back besides, which no offer counts.
            assert offer.gain == pytest.approx(won, rel=0.04, abs=400), key
        for cost in offer.costs:
            was, is_ = (result.throughput_mbps[cost.metric].median for result in (now, then))
            assert cost.change_pct == pytest.approx(100 * (is_ / was - 1), abs=0.51)
            assert cost.low_pct <= cost.change_pct <= cost.high_pct
        if offer.costs:
            assert [cost.metric for cost in offer.costs] == list(METRICS)
            assert offer.worst is not None
            assert offer.worst.change_pct == min(cost.change_pct for cost in offer.costs)


@pytest.mark.parametrize(("text", "chip"), CONFIGS)
def test_none_breaks_a_rule_of_the_build(configure: MakeConfig, text: str, chip: str) -> None:
    config = configure(text, chip=chip)
    before = {finding.rule for finding in lint(config).findings if finding.hard}
    for offer in knob_offers(config):
        given = [line.removeprefix("CONFIG_") for line in offer.lines]
        after = lint(configure(" ".join([text, *given]), chip=chip))
        assert {f.rule for f in after.findings if f.hard} - {"duplicate"} <= before, offer.text


def test_a_window_follows_where_it_has_to(configure: MakeConfig) -> None:
    text = "ESP_WIFI_STATIC_RX_BUFFER_NUM=8 ESP_WIFI_RX_BA_WIN=16"
    offer = by_key(configure(text))["static_rx"]
    assert offer.lines == (
        "CONFIG_ESP_WIFI_STATIC_RX_BUFFER_NUM=4",
        "CONFIG_ESP_WIFI_RX_BA_WIN=8",
    )
    assert (offer.gain_low, offer.gain, offer.gain_high) == (4 * 1600, 4 * 1696, 4 * 1696)


def test_no_fewer_than_a_published_configuration_has(configure: MakeConfig) -> None:
    assert "static_rx" not in by_key(configure("ESP_WIFI_STATIC_RX_BUFFER_NUM=3", chip="esp32c6"))
    offer = by_key(configure("ESP_WIFI_STATIC_RX_BUFFER_NUM=5", chip="esp32c6"))["static_rx"]
    assert offer.lines == ("CONFIG_ESP_WIFI_STATIC_RX_BUFFER_NUM=3",)


def test_buffers_that_no_window_fills_are_no_offer(configure: MakeConfig) -> None:
    """32 TX buffers hold the four segments of a default window; of a window of 32 they hold all."""
    assert "dynamic_tx" not in by_key(configure(chip="esp32c6"))
    offer = by_key(configure("LWIP_TCP_SND_BUF_DEFAULT=46080", chip="esp32c6"))["dynamic_tx"]
    assert offer.gain_low is not None
    assert offer.gain_high is not None
    assert 0.6 * 16 * 1650 < offer.gain <= 16 * 1784
    assert 0 <= offer.gain_low < offer.gain < offer.gain_high


@pytest.mark.parametrize(
    ("median", "low", "high", "told"),
    [
        (100, -600, 800, False),
        (0, 0, 0, False),
        (0, None, None, False),
        (411, -5150, 5972, False),
        (400, -300, 1100, True),
        (-900, -1500, -300, True),
        (-90, -790, 610, False),
        (50, None, None, True),
    ],
)
def test_a_gain_far_below_its_band_is_none(
    median: int, low: int | None, high: int | None, told: bool
) -> None:
    assert is_known_gain(median, low, high) == told


@pytest.mark.parametrize("chip", ["esp32", "esp32c3", "esp32c6", "esp32s3"])
def test_an_offer_gives_more_than_its_band_leaves_open(configure: MakeConfig, chip: str) -> None:
    for offer in knob_offers(configure(chip=chip)):
        assert offer.gain > 0
        if offer.gain_low is not None and offer.gain_high is not None:
            assert offer.gain >= (offer.gain_high - offer.gain_low) / 4, offer.key


def test_lines_are_those_of_the_sdk(configure: MakeConfig) -> None:
    old = by_key(configure(idf="4.3.2"))
    assert old["wifi_iram"].lines == ("CONFIG_ESP32_WIFI_IRAM_OPT=n",)
    assert not any(key in old for key in ("tls_dynamic", "tls_peer"))  # measured under 5.x


def test_memory_that_is_not_internal_is_not_offered(configure: MakeConfig) -> None:
    text = "SPIRAM=y SPIRAM_USE_MALLOC=y MBEDTLS_EXTERNAL_MEM_ALLOC=y"
    assert not any(key.startswith("tls") for key in by_key(configure(text)))
    assert by_key(configure(chip="esp32"))["wifi_iram"].memory == "IRAM"  # not malloc's there
    assert by_key(configure(chip="esp32c3"))["wifi_iram"].memory == "DRAM"
    assert knob_offers(configure(chip="esp32p4")) == ()


def test_every_offer_has_a_source_and_says_what_its_band_is(configure: MakeConfig) -> None:
    text = "BT_ENABLED=y BTDM_CTRL_MODE_BTDM=y"
    offers = (
        *knob_offers(configure(text)),
        *knob_offers(configure("BT_ENABLED=y", chip="esp32c3")),
    )
    assert {"bt_ble_only", "bt_flash"} <= {offer.key for offer in offers}
    gains = [offer.gain for offer in knob_offers(configure(text))]
    assert gains == sorted(gains, reverse=True)
    for offer in offers:
        assert offer.source
        assert offer.basis
        assert offer.lines
        assert (offer.gain_low is None) == (offer.gain_high is None)
        if offer.gain_low is not None and offer.gain_high is not None:
            assert offer.gain_low <= offer.gain <= offer.gain_high
        assert KnobOffer.from_json(offer.to_json()) == offer
        assert math.isfinite(offer.gain)
