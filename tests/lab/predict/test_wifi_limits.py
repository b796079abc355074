"""Limits of buffers, mailboxes and modem sleep, and several streams beside one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from heapscope.cli.app import app

Predict = Callable[..., dict[str, Any]]
END = ("--chip", "esp32", "--idf", "5.5")


def said(result: dict[str, Any], word: str) -> list[str]:
    return [sentence for sentence in result["wifi_limits"] if word in sentence]


def test_several_streams_have_their_windows_together(predict: Predict) -> None:
    """They get more where windows are the limit, and never more than the processor gives."""
    one, four, wide = (
        predict(lines, *END, "--tcp", tcp)
        for lines, tcp in (("", 1), ("", 4), ("LWIP_TCP_WND_DEFAULT=23040", 1))
    )
    assert not one["streams_mbps"]
    together = four["streams_mbps"]["tcp_rx"]["median"]
    assert together > 1.3 * one["throughput_mbps"]["tcp_rx"]["median"]
    assert together == pytest.approx(wide["throughput_mbps"]["tcp_rx"]["median"])
    assert four["throughput_mbps"] == one["throughput_mbps"]


def test_windows_that_the_buffers_cannot_hold_are_named_with_what_fits(predict: Predict) -> None:
    result = predict("LWIP_TCP_WND_DEFAULT=23040", *END, "--tcp", 4)
    (sentence,) = said(result, "4 streams")
    assert "LWIP_TCP_WND_DEFAULT" in sentence
    assert "8,192 for each" in sentence
    assert not said(predict("", *END, "--tcp", 1), "streams")


def test_the_driver_s_peak_is_the_guide_s_formula(predict: Predict) -> None:
    lines = "ESP_WIFI_DYNAMIC_RX_BUFFER_NUM=20 ESP_WIFI_DYNAMIC_TX_BUFFER_NUM=20"
    assert said(predict(lines, *END), "64,000 B at most, 20 to receive and 20 to send")
    assert said(predict("ESP_WIFI_STATIC_TX_BUFFER=y", *END), "32 to receive and 0 to send")
    assert said(predict("ESP_WIFI_DYNAMIC_RX_BUFFER_NUM=0", *END), "have no limit")


def test_a_mailbox_of_twice_the_size_bridges_twice_the_time(predict: Predict) -> None:
    (six,) = said(predict("", *END), "UDP socket")
    (twelve,) = said(predict("LWIP_UDP_RECVMBOX_SIZE=12", *END), "UDP socket")
    assert ("6 datagrams" in six, "12 datagrams" in twelve) == (True, True)
    assert ("for 1.0 ms" in six, "for 2.0 ms" in twelve) == (True, True)


def test_sleep_bounds_what_tcp_receives_by_a_window_a_beacon(predict: Predict) -> None:
    """5,760 bytes for each 102.4 ms are 0.45 Mbit/s."""
    minimum, maximum = said(predict("", *END, "--listen", 10), "_modem")
    assert "is 0.4 Mbit/s where each window waits 102 ms" in minimum
    assert "is 0.0 Mbit/s where each window waits 1,024 ms" in maximum


def test_limits_that_a_configuration_breaks_are_apart(predict: Predict) -> None:
    """Lint has the same rule for one stream: 1 KB a buffer, and a quarter more."""
    lines = "LWIP_TCP_WND_DEFAULT=20480 ESP_WIFI_DYNAMIC_RX_BUFFER_NUM={}"
    for buffers, broken in ((15, True), (16, False)):
        result = predict(lines.format(buffers), *END)
        assert [said(result, "one stream: LWIP_TCP_WND_DEFAULT")] == [result["broken_limits"]]
        assert bool(result["broken_limits"]) == broken, buffers
    static = "ESP_WIFI_STATIC_TX_BUFFER=y ESP_WIFI_STATIC_TX_BUFFER_NUM=6 SPIRAM=y"
    send = "LWIP_TCP_SND_BUF_DEFAULT=65000"
    assert predict(send, *END)["broken_limits"]
    assert not predict(f"{static} {send}", *END)["broken_limits"]


def test_broken_limits_are_printed_without_all(tmp_path: Path) -> None:
    path = tmp_path / "sdkconfig.defaults"
    path.write_text("CONFIG_LWIP_TCP_WND_DEFAULT=23040\n")
    printed = {}
    for tcp in (1, 4):
        done = CliRunner().invoke(app, ["predict", str(path), *END, "--tcp", str(tcp)])
        printed[tcp] = " ".join(done.stdout.split())
    assert "Wi-Fi: 4 streams: LWIP_TCP_WND_DEFAULT of all together" in printed[4]
    assert "Wi-Fi: the driver's dynamic buffers" not in printed[4]
    assert "Wi-Fi: one stream" not in printed[1]


def test_the_watchdog_is_named_once_by_the_name_of_the_release(predict: Predict) -> None:
    (late,) = said(predict("", *END), "task watchdog")
    (early,) = said(predict("", "--chip", "esp32", "--idf", "4.4"), "task watchdog")
    assert ("ESP_TASK_WDT_EN" in late, "ESP_TASK_WDT_EN" in early) == (True, False)
