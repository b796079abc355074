"""The simulated link: what was captured of it comes out again."""

from __future__ import annotations

import json

import pytest

from .conftest import WORKLOADS, Script


@pytest.mark.slow
def test_captured_throughput_and_heap_come_out_again(script: Script) -> None:
    captured = json.loads((WORKLOADS / "captured" / "wifi_link.json").read_text("utf-8"))["ranks"]
    names = ("esp32-default", "esp32-minimum", "esp32s3-quad-iperf")
    again = json.loads(script("wifi/measure.py", "--again", *names))
    assert again == {name: captured[name] for name in names}


@pytest.mark.slow
def test_captured_throughput_of_a_sender_that_backs_off_comes_out_again(script: Script) -> None:
    captured = json.loads((WORKLOADS / "captured" / "wifi_back_off.json").read_text("utf-8"))
    names = ("esp32-default", "esp32-minimum", "esp32s2-minimum")
    again = json.loads(script("wifi/measure.py", "--back-off", "--again", *names))
    for place in ("behind", "before"):
        reported = captured[place]["ranks"]
        assert again[place] == {name: reported[name] for name in names if name in reported}
        assert again[place]


@pytest.mark.slow
def test_captured_throughput_of_slower_processors_comes_out_again(script: Script) -> None:
    captured = json.loads((WORKLOADS / "captured" / "wifi_code.json").read_text("utf-8"))
    names = ("esp32s2-minimum", "esp32c3-minimum", "esp32-minimum")
    again = json.loads(script("wifi/placement.py", "--again", *names))
    for variant, reported in captured["variants"].items():
        assert again[variant] == {name: reported[name] for name in names if name in reported}
        assert again[variant]
