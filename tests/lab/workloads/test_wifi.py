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
