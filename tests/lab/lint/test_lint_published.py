"""Configurations that ESP-IDF ships itself are not refused."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from heapscope.config.config import Config
from heapscope.config.kconfig.names import name_in
from heapscope.config.kconfig.table import RELEASES, chips_of, option_table, release_for
from heapscope.config.lint.find import lint

MakeConfig = Callable[..., Config]
# examples/wifi/iperf/sdkconfig.defaults* of the named versions of ESP-IDF, one row a chip.
ROWS = [
    row
    for row in csv.DictReader(
        (Path(__file__).parent / "iperf.csv").read_text(encoding="utf-8").splitlines()
    )
    if row["chip"] in chips_of(RELEASES[-1])
    and (row["rev"], row["chip"]) != ("v5.3", "esp32c5")  # its Kconfig has no Wi-Fi for it yet
]
OPTIONS = {
    "static_rx": "ESP_WIFI_STATIC_RX_BUFFER_NUM",
    "dynamic_rx": "ESP_WIFI_DYNAMIC_RX_BUFFER_NUM",
    "dynamic_tx": "ESP_WIFI_DYNAMIC_TX_BUFFER_NUM",
    "tx_ba_win": "ESP_WIFI_TX_BA_WIN",
    "rx_ba_win": "ESP_WIFI_RX_BA_WIN",
    "tcp_snd_buf": "LWIP_TCP_SND_BUF_DEFAULT",
    "tcp_wnd": "LWIP_TCP_WND_DEFAULT",
    "tcp_recvmbox": "LWIP_TCP_RECVMBOX_SIZE",
    "udp_recvmbox": "LWIP_UDP_RECVMBOX_SIZE",
    "tcpip_recvmbox": "LWIP_TCPIP_RECVMBOX_SIZE",
    "core_locking": "LWIP_TCPIP_CORE_LOCKING",
    "core_locking_input": "LWIP_TCPIP_CORE_LOCKING_INPUT",
    "lwip_iram_opt": "LWIP_IRAM_OPTIMIZATION",
    "oosq_max_pbufs": "LWIP_TCP_OOSEQ_MAX_PBUFS",
}


def test_there_are_rows() -> None:
    assert len(ROWS) >= 30
    assert {row["chip"] for row in ROWS} >= {"esp32", "esp32s2", "esp32s3", "esp32c3", "esp32c6"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['rev']}-{row['chip']}")
def test_the_iperf_example_is_sound(configure: MakeConfig, row: dict[str, str]) -> None:
    sdk = row["rev"].removeprefix("v")
    stated = {option: row[key] for key, option in OPTIONS.items() if row[key]}
    table = option_table(release_for(sdk, row["chip"]), row["chip"])
    text = " ".join(f"{name_in(table, option)}={value}" for option, value in stated.items())
    config = configure(text, chip=row["chip"], idf=sdk)
    assert [finding for finding in lint(config).findings if finding.hard] == []
    # And a window beyond its buffers is, whatever else there is.
    frames = config.value("ESP_WIFI_RX_BA_WIN")
    assert isinstance(frames, int)
    worse = config.changed_to({"ESP_WIFI_DYNAMIC_RX_BUFFER_NUM": frames - 1})
    assert "W1" in {finding.rule for finding in lint(worse).findings}
