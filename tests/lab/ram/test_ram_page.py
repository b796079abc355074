"""The page of `ram`: bars that open to what they hold."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from tests.lab.ram.ram_of import ram_of
from tests.lab.ram.test_ram_answer import build
from tests.lab.static.conftest import MAP
from tests.lab.static.test_static_image import esp32
from typer.testing import CliRunner

from heapscope.cli.app import app
from heapscope.forecast.predict.part_table import STATES
from heapscope.render.page.ram import ram_html
from heapscope.render.text.ram import ram_parts

CONFIGURED = 'CONFIG_IDF_TARGET="esp32"\nCONFIG_ESP_WIFI_ENABLED=y\n'


def bars_of(text: str, section: str) -> list[tuple[str, list[float]]]:
    """The label of each bar of a section, and the percentages of its slices."""
    inside = text.partition(f'id="{section}"')[2].partition("</section>")[0]
    found = re.findall(
        r'class="name">([^<]*)</span>.*?class="stackbar"[^>]*>(.*?)</span>', inside, re.S
    )
    return [
        (html.unescape(name), [float(width) for width in re.findall(r"width:([\d.]+)%", bar)])
        for name, bar in found
    ]


@pytest.fixture
def thing(tmp_path: Path) -> str:
    folder = build(tmp_path, esp32(), text=MAP)
    (tmp_path / "sdkconfig").write_text(CONFIGURED, encoding="utf-8")
    return folder


def test_each_memory_is_drawn_whole_and_opens_to_its_components(thing: str) -> None:
    result = ram_of(thing, idf="5.3.1")
    text = ram_html(result, "a title", ram_parts(result))
    bars = dict(bars_of(text, "memories"))
    for bar in result.memories:
        assert sum(bars[f"{bar.memory} at {bar.start:#010x}"]) == pytest.approx(100, abs=0.1)
    assert bars["libnet.a"]
    assert text.count("<details>") >= len(result.memories)


def test_the_states_of_the_heap_are_bars_on_one_scale(thing: str) -> None:
    result = ram_of(thing, idf="5.3.1")
    text = ram_html(result, "a title", ram_parts(result))
    bars = dict(bars_of(text, "states"))
    sums = {name: sum(widths) for name, widths in bars.items() if name in STATES}
    assert {"boot", "app_main", "load"} <= set(sums)
    assert max(sums.values()) == pytest.approx(100, abs=0.1)


def test_two_builds_are_one_above_the_other(tmp_path: Path) -> None:
    things = []
    for name, bluetooth in (("before", True), ("after", False)):
        (tmp_path / name).mkdir()
        things.append(build(tmp_path / name, esp32(bluetooth=bluetooth)))
    page = tmp_path / "two.html"
    done = CliRunner().invoke(app, ["ram", *things, "-o", str(page)])
    assert done.exit_code == 0, done.output
    names = [name for name, _ in bars_of(page.read_text("utf-8"), "memories")]
    assert {"DRAM before", "DRAM after"} <= {*names}


def test_names_of_a_map_are_text(tmp_path: Path) -> None:
    hostile = MAP.replace("libnet.a", "lib<b>x.a")
    result = ram_of(build(tmp_path, esp32(), text=hostile), idf="5.3.1")
    text = ram_html(result, "<i>", ram_parts(result))
    assert "<b>x" not in text
    assert "lib&lt;b&gt;x.a" in text
