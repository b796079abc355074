"""The figures in the README are those of the demo."""

from __future__ import annotations

import re
from pathlib import Path

from heapscope.base.request import Request
from heapscope.memory.layout.boot_log import read_boot_log
from heapscope.memory.layout.chips import load_chip
from heapscope.simulation.replay.run import replay

ROOT = Path(__file__).parents[3]


def test_the_readme_tells_what_the_replay_gives() -> None:
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    match = re.search(r"Under 4\.3\.2 it has none after ([\d ]+) of ([\d ]+) events", text)
    assert match is not None
    boot = read_boot_log(ROOT / "studies" / "workloads" / "mix" / "boot.txt")
    layout = load_chip("esp32").layout(idf="4.3.2", boot=boot)
    trace = ROOT / "studies" / "workloads" / "captured" / "mix_gateway.hst.zst"
    result = replay(trace, layout, needs=[Request(16717)])
    figures = [int(number.replace(" ", "")) for number in match.groups()]
    assert figures == [result.needs[0].short_events, result.summary.event_count]
