"""The rates of a log of iperf, and what a configuration learns from them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import heapscope
from heapscope.base.errors import InputError
from heapscope.forecast.predict.iperf_log import read_iperf_log

DEVICE = """\
\x1b[0;32mI (371973) iperf: mode=tcp-server sip=10.0.0.2:5001, interval=3, time=9\x1b[0m
        Interval Bandwidth
   0-   3 sec       20.00 Mbits/sec
   3-   6 sec       26.00 Mbits/sec
   6-   9 sec       26.00 Mbits/sec
   0-   9 sec       24.00 Mbits/sec
I (421000) iperf: mode=udp-client sip=10.0.0.2:5001, dip=10.0.0.9:5001, interval=3, time=6
   0-   3 sec       31.00 Mbits/sec
   3-   6 sec       33.00 Mbits/sec
"""
HOST_2 = """\
------------------------------------------------------------
Client connecting to 10.0.0.2, UDP port 5001
[  3]  0.0-10.0 sec  60.0 MBytes  50.3 Mbits/sec
[  3] Sent 42735 datagrams
[  3] Server Report:
[  3]  0.0-10.0 sec  35.0 MBytes  29.4 Mbits/sec   0.9 ms 17000/42735 (40%)
Server listening on TCP port 5001
[  4]  0.0- 1.0 sec  2.40 MBytes  20.1 Mbits/sec
[  4]  0.0-10.0 sec  3000 KBytes/sec  3.0 MBytes/sec
"""
HOST_3 = """\
Connecting to host 10.0.0.2, port 5201
Reverse mode, remote host 10.0.0.2 is sending
[  5]   0.00-1.00   sec  2.00 MBytes  16.8 Mbits/sec
[  5]   0.00-10.00  sec  22.0 MBytes  18.5 Mbits/sec    0             sender
[  5]   0.00-10.00  sec  21.0 MBytes  17.6 Mbits/sec                  receiver
"""


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def json_log(protocol: str = "TCP", *, reverse: int = 0) -> dict[str, object]:
    seconds = [{"sum": {"start": at, "end": at + 1, "bits_per_second": 2e7}} for at in range(10)]
    return {
        "start": {
            "connecting_to": {"host": "10.0.0.2"},
            "test_start": {"protocol": protocol, "reverse": reverse},
        },
        "intervals": seconds,
        "end": {"sum_received": {"bits_per_second": 2.1e7}},
    }


@pytest.mark.parametrize(
    ("text", "mbps"),
    [
        (DEVICE, {"tcp_rx": 24.0, "udp_tx": 32.0}),
        (HOST_2, {"udp_rx": 29.4, "tcp_tx": 24.0}),
        (HOST_3, {"tcp_tx": 17.6}),
        (json.dumps(json_log()), {"tcp_rx": 21.0}),
        (json.dumps(json_log(reverse=1)), {"tcp_tx": 21.0}),
        (json.dumps(json_log(), indent=1)[:900], {"tcp_rx": 20.0}),
    ],
)
def test_rates_and_directions_are_the_devices(
    tmp_path: Path, text: str, mbps: dict[str, float]
) -> None:
    iperf_log = read_iperf_log(written(tmp_path / "log", text))
    assert iperf_log.mbps == pytest.approx(mbps)


def test_a_log_that_is_cut_off_counts_by_its_seconds(tmp_path: Path) -> None:
    cut = DEVICE.split("   6-   9")[0]
    iperf_log = read_iperf_log(written(tmp_path / "log", cut))
    assert iperf_log.mbps == {"tcp_rx": 23.0}
    assert "counts by its 6 s" in " ".join(iperf_log.notes)


@pytest.mark.parametrize(
    "text",
    ["", "{", "no iperf", "\0\1\2" * 90, HOST_2.split("[  3] Server")[0], "{}", "[" * 9000],
)
def test_what_holds_no_run_is_refused_with_a_remedy(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match="no run of iperf") as refused:
        read_iperf_log(written(tmp_path / "log", text))
    assert "first line" in str(refused.value.remedy)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_iperf_log(tmp_path / "none")


@pytest.mark.parametrize("seed", range(60))
def test_no_damage_ends_reading(tmp_path: Path, seed: int) -> None:
    import random

    draw = random.Random(seed)
    text = list(draw.choice([DEVICE, HOST_2, HOST_3, json.dumps(json_log())]))
    for _ in range(draw.randint(1, 40)):
        text[draw.randrange(len(text))] = draw.choice("\0\n{}0-9.[]esc ")
    text = text[: draw.randrange(len(text))]
    try:
        iperf_log = read_iperf_log(written(tmp_path / "log", "".join(text)))
    except InputError:
        return
    assert all(value > 0 for value in iperf_log.mbps.values())


CONFIG = """CONFIG_IDF_TARGET="esp32s3"
CONFIG_LWIP_TCP_WND_DEFAULT=28800
CONFIG_ESP_WIFI_RX_BA_WIN=16
"""


def test_a_log_moves_the_prediction_and_narrows_its_band(tmp_path: Path) -> None:
    config = written(tmp_path / "sdkconfig", CONFIG)
    log = written(tmp_path / "iperf.log", DEVICE)
    before = heapscope.predict(config).throughput_mbps
    result = heapscope.predict(config, calibrate=[log])
    for metric, mbps in {"tcp_rx": 24.0, "udp_tx": 32.0}.items():
        was, band = before[metric], result.throughput_mbps[metric]
        assert abs(band.median - mbps) < 0.5 * abs(was.median - mbps)
        assert band.high_80 / band.low_80 < 0.8 * was.high_80 / was.low_80
        assert any(f"{metric} = {mbps:.1f} Mbit/s was measured" in note for note in result.notes)


def test_a_log_that_cannot_be_of_wifi_is_refused(tmp_path: Path) -> None:
    config = written(tmp_path / "sdkconfig", CONFIG)
    log = written(tmp_path / "iperf.log", DEVICE.replace("24.00", "940.00"))
    with pytest.raises(InputError, match="where the air carries"):
        heapscope.predict(config, calibrate=[log])
    with pytest.raises(InputError, match="the air and the way"):
        heapscope.predict(config, calibrate=[written(log, DEVICE)], air=True)
