"""Power save of a configuration: currents with bands, statements, and nothing that is too sure."""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import Any

import pytest

from heapscope.forecast.predict.sleep_current import LIGHT, MODEM, all_series, law_width
from heapscope.forecast.predict.wifi_table import chips

Predict = Callable[..., dict[str, Any]]
MANAGED = "PM_ENABLE=y FREERTOS_USE_TICKLESS_IDLE=y"


def statements(result: dict[str, Any]) -> set[str]:
    return {each["id"] for each in result["power_statements"]}


@pytest.mark.parametrize("sleep", [MODEM, LIGHT])
def test_bands_hold_figures_that_were_left_out_with_the_width_of_other_chips(sleep: str) -> None:
    inside = [
        abs(log(series.at(dtim, without=dtim) / mean)) <= law_width(sleep, series.chip)
        for series in all_series()
        if series.sleep == sleep
        for dtim, mean in series.means.items()
    ]
    assert 0.7 <= sum(inside) / len(inside) <= 0.9


def test_a_published_figure_is_inside_its_band(predict: Predict) -> None:
    """The ESP32-C6 at DTIM 3: 0.368 mA asleep, 13.9 mA with a slower CPU."""
    result = predict(MANAGED, "--chip", "esp32c6", "--idf", "5.5", "--dtim", "3")
    by_sleep = {
        (each["sleep"], each["scaling"]): each
        for each in result["sleep_current"]
        if each["mode"] == "min_modem"
    }
    for key, measured in ((LIGHT, None), 0.368), ((MODEM, True), 13.9):
        assert by_sleep[key]["low_80"] < measured < by_sleep[key]["high_80"]


def test_longer_sleep_takes_less(predict: Predict) -> None:
    means = []
    for dtim in (1, 3, 10):
        result = predict(MANAGED, "--chip", "esp32c3", "--idf", "5.5", "--dtim", dtim)
        means.append([e["median"] for e in result["sleep_current"] if e["mode"] == "min_modem"])
    assert means[0] > means[1] > means[2]


def test_what_the_configuration_does_not_allow_has_no_current(predict: Predict) -> None:
    plain = predict("PM_ENABLE=n", "--chip", "esp32c3", "--idf", "5.5")
    assert {(each["sleep"], each["scaling"]) for each in plain["sleep_current"]} == {(MODEM, False)}
    assert "no-frequency" in statements(plain)
    assert "light-sleep" not in statements(plain)
    slept = predict(MANAGED, "--chip", "esp32c3", "--idf", "5.5")
    assert LIGHT in {each["sleep"] for each in slept["sleep_current"]}
    assert {"light-sleep", "tick", "frequency"} <= statements(slept)
    fast = predict(f"{MANAGED} FREERTOS_HZ=1000", "--chip", "esp32c3", "--idf", "5.5")
    assert "tick" not in statements(fast)


def test_figures_of_modem_sleep_are_of_their_clock(predict: Predict) -> None:
    result = predict("ESP_DEFAULT_CPU_FREQ_MHZ_240=y", "--chip", "esp32", "--idf", "5.5")
    assert result["sleep_current"] == []
    assert any("nobody published it for this clock" in stated for stated in result["rests_on"])


@pytest.mark.parametrize("chip", sorted({*chips()} - {each.chip for each in all_series()}))
def test_a_chip_without_published_figures_has_none_and_says_so(predict: Predict, chip: str) -> None:
    result = predict(MANAGED, "--chip", chip, "--idf", "5.5")
    assert result["sleep_current"] == []
    assert any(f"nobody published it for the {chip}" in stated for stated in result["rests_on"])


def test_windows_without_a_connection_hear_at_most_their_share(predict: Predict) -> None:
    result = predict(
        "ESP_WIFI_IRAM_OPT=y", "--chip", "esp32", "--idf", "5.5", "--window", 25, "--interval", 100
    )
    mode = {each["mode"]: each for each in result["power_save"]}["connectionless"]
    assert mode["broadcast_heard_pct"] == 25
    assert any("lost" in note for note in mode["notes"])


def test_with_another_radio_figures_are_bounds(predict: Predict) -> None:
    lines = "BT_ENABLED=y ESP_COEX_SW_COEXIST_ENABLE=y"
    result = predict(lines, "--chip", "esp32c3", "--idf", "5.5")
    assert all(mode["at_best"] for mode in result["power_save"])
    assert {"coexistence", "connectionless-coexistence"} <= statements(result)
    reported = predict(lines, "--chip", "esp32c3", "--idf", "5.5", "--wifi-share", "50")
    assert not any(mode["at_best"] for mode in reported["power_save"])


def test_a_release_without_an_option_says_nothing_of_it(predict: Predict) -> None:
    result = predict("LWIP_TCP_MSS=1440", "--chip", "esp32", "--idf", "4.2")
    assert not {"disconnected", "disconnected-off"} & statements(result)
