"""replay --load, predict --trace and tune --trace say the same, to the byte."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from heapscope.cli.app import app

MakeTrace = Callable[..., Path]
LINES = {
    "ESP_WIFI_STATIC_RX_BUFFER_NUM": (4, 10, 16),
    "ESP_WIFI_DYNAMIC_RX_BUFFER_NUM": (16, 32),
    "LWIP_TCP_WND_DEFAULT": (4320, 8640, 17280),
    "LWIP_TCPIP_TASK_STACK_SIZE": (2048, 4096),
    "ESP_MAIN_TASK_STACK_SIZE": (3584, 8192),
    "HEAP_POISONING_LIGHT": ("y", "n"),
    "ESP_WIFI_IRAM_OPT": ("y", "n"),
}
CHIPS = (("esp32", "4.4"), ("esp32", "5.5"), ("esp32c3", "5.1"), ("esp32s2", "5.3"))
SAME = ("fits_from_kb", "minimum_free", "largest_min")


def answer(*args: object) -> dict[str, Any]:
    done = CliRunner().invoke(app, [*map(str, args), "--json", "-"])
    assert done.exit_code in (0, 1), done.output
    document: dict[str, Any] = json.loads(done.stdout)
    return document


@pytest.fixture
def draw(seed: int) -> random.Random:
    print(f"seed {seed}")
    return random.Random(seed)


@pytest.fixture
def trace(make_trace: MakeTrace, draw: random.Random) -> Path:
    """Two tasks hold up to 50 KB."""
    lines, live = [], []
    for number in range(900):
        if number % 30 == 0:
            lines.append(f"t {draw.choice(('main', 'net'))}")
        lines.append(f"a {number} {draw.choice((20, 300, 1_500, 4_000))}")
        live.append(number)
        if len(live) > 30:
            lines.append(f"f {live.pop(draw.randrange(len(live)))}")
    return make_trace(*lines)


def configured(folder: Path, chip: str, draw: random.Random) -> Path:
    lines = [f'CONFIG_IDF_TARGET="{chip}"']
    for name, values in LINES.items():
        if draw.random() < 0.6:
            lines.append(f"CONFIG_{name}={draw.choice(values)}")
    path = folder / "sdkconfig"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.cells(1)
@pytest.mark.parametrize(("chip", "idf"), [*CHIPS, ("esp32p4", "5.5"), ("esp32c6", "6.0")])
def test_predict_and_replay_have_the_same_replay(
    tmp_path: Path, trace: Path, draw: random.Random, chip: str, idf: str
) -> None:
    for _ in range(3):
        config, tls, tcp = configured(tmp_path, chip, draw), draw.randrange(2), draw.randrange(3)
        print(config.read_text(encoding="utf-8"), tls, tcp)
        requested = ("--tls", tls, "--tcp", tcp)
        predicted = answer("predict", config, "--idf", idf, "--trace", trace, *requested)
        load = f"{'net' if chip == 'esp32p4' else 'wifi'},tls={tls},tcp={tcp}"
        replayed = answer("replay", trace, "--sdkconfig", config, "--idf", idf, "--load", load)
        assert replayed["layout"].pop("notes") != []
        predicted["replay"]["layout"].pop("notes")
        replayed.pop("heapscope_replay"), predicted["replay"].pop("heapscope_replay", None)
        assert predicted["replay"] == replayed


@pytest.mark.cells(1)
@pytest.mark.parametrize(("chip", "idf"), CHIPS)
@pytest.mark.parametrize("traced", [(), ("--traced",)])
def test_tune_judges_its_answer_as_predict_does(
    tmp_path: Path, trace: Path, draw: random.Random, chip: str, idf: str, traced: tuple[str, ...]
) -> None:
    config = configured(tmp_path, chip, draw)
    print(config.read_text(encoding="utf-8"))
    requested = ("--idf", idf, "--trace", trace, *traced)
    tuned = answer("tune", config, "--prefer", "tcp_rx", *requested)
    assert tuned["feasible"]
    with config.open("a", encoding="utf-8") as file:
        file.write("\n".join(tuned["options"]) + "\n")
    fit = answer("predict", config, *requested)["trace_fit"]
    assert {name: tuned["replay"][name] for name in SAME} == {name: fit[name] for name in SAME}
    assert fit["met"]
