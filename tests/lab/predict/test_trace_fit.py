"""predict --trace and tune --trace judge the same trace and configuration alike."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from heapscope.cli.app import app
from heapscope.config.config import read_config
from heapscope.forecast.predict.memory_scene import MemoryScene
from heapscope.forecast.predict.memory_states import MemoryModel
from heapscope.forecast.predict.system_load import busiest_memory
from heapscope.forecast.tune.options import KNOBS
from heapscope.simulation.replay.run import replay

ROOT = Path(__file__).parents[3]
CAPTURED = ROOT / "studies" / "workloads" / "captured"

CONFIGS = {
    "default": "",
    "buffers": "CONFIG_ESP_WIFI_STATIC_RX_BUFFER_NUM=4\nCONFIG_ESP_WIFI_DYNAMIC_RX_BUFFER_NUM=8\n",
    "flash": "CONFIG_ESP_WIFI_IRAM_OPT=n\nCONFIG_ESP_WIFI_RX_IRAM_OPT=n\n",
}


@pytest.fixture
def sample(tmp_path: Path, seed: int) -> Path:
    """A random trace that holds 60 to 110 KB at most: on an ESP32 some configurations fit it."""
    draw = random.Random(seed)
    lines, live, held, most = [], {}, 0, draw.randrange(60_000, 110_000)
    for number in range(2_000):
        size = draw.choice((16, 100, 900, 5_000))
        while held + size > most and live:
            victim = draw.choice(list(live))
            held -= live.pop(victim)
            lines.append(f"f {victim}")
        lines.append(f"a {number} {size}")
        live[number] = size
        held += size
    source, trace = tmp_path / "made.txt", tmp_path / "made.hst"
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert (
        CliRunner()
        .invoke(app, ["import", "--from", "text", str(source), "-o", str(trace)])
        .exit_code
        == 0
    )
    return trace


def run(*args: object) -> tuple[int, dict[str, Any]]:
    done = CliRunner().invoke(app, [*map(str, args), "--json", "-"])
    assert done.exit_code in (0, 1), done.output
    return done.exit_code, json.loads(done.stdout)


@pytest.mark.cells(1)
@pytest.mark.parametrize("chip", ["esp32", pytest.param("esp32c3", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize("captured", ["", "mix_gateway", "tls228_ec_16k_2k"])
def test_both_say_met_or_both_not_met(
    tmp_path: Path, sample: Path, chip: str, name: str, captured: str
) -> None:
    """tune keeps all of its knobs, so that it is asked about the configuration as it is."""
    config = tmp_path / "sdkconfig"
    config.write_text(f'CONFIG_IDF_TARGET="{chip}"\n{CONFIGS[name]}', encoding="utf-8")
    trace = CAPTURED / f"{captured}.hst.zst" if captured else sample
    _, predicted = run("predict", config, "--idf", "5.5", "--trace", trace)
    fit = predicted["trace_fit"]
    keep = [word for knob in KNOBS for word in ("--keep", knob)]
    requested = ("--idf", "5.5", "--trace", trace, "--extrapolate", *keep)
    code, tuned = run("tune", config, "--chip", chip, *requested)
    assert tuned["replay"]["fits_from_kb"] == fit["fits_from_kb"]
    assert fit["met"] is (code == 0)
    if code == 0:
        same = ("minimum_free", "largest_min")
        assert {name: tuned["replay"][name] for name in same} == {n: fit[n] for n in same}


def test_the_fit_is_that_of_a_replay_on_what_is_left(tmp_path: Path, sample: Path) -> None:
    """Recounted by replays on as much as is held, on the least that fits, and below it."""
    config = tmp_path / "sdkconfig"
    config.write_text("CONFIG_X=y\n", encoding="utf-8")
    fit = run("predict", config, "--chip", "esp32", "--idf", "5.5", "--trace", sample)[1][
        "trace_fit"
    ]
    scene = MemoryScene(config=read_config([config], chip="esp32", sdk="5.5"), minor=(5, 5))
    system = busiest_memory(MemoryModel(scene=scene), traced=False)

    def failures(kilobytes: float) -> int:
        return replay(sample, system.layout(int(kilobytes * 1024) & ~15)).summary.failures

    assert failures(fit["fits_from_kb"]) == 0
    assert failures(fit["fits_from_kb"] - 0.25) > 0
    assert fit["met"] is (fit["held_kb"] >= fit["fits_from_kb"] and not failures(fit["held_kb"]))


@pytest.mark.slow
def test_each_figure_names_its_memory_and_all_are_of_one(tmp_path: Path) -> None:
    """The replay has no more free than the state is predicted to leave."""
    config = tmp_path / "sdkconfig"
    config.write_text("CONFIG_X=y\n", encoding="utf-8")
    trace = CAPTURED / "mix_gateway.hst.zst"
    requested = ["predict", str(config), "--chip", "esp32", "--idf", "5.5", "--trace", str(trace)]
    text = " ".join(CliRunner().invoke(app, requested).stdout.split())
    assert "of the memory that Wi-Fi, lwIP and the SDK's tasks leave to the program" in text
    assert "not met" in text
    beside = text.index("The trace beside the system's blocks, with the median left to it")
    assert text.index("not met") < beside < text.index("requests failed")
    assert "whole heap" not in text
    document = run(*requested)[1]
    notes = " ".join(document["replay"]["layout"]["notes"])
    assert f"{document['states']['load']['dram']['median']:,} bytes of internal memory" in notes
    assert {"tiT", "wifi", "main"} <= {row["task"] for row in document["replay"]["tasks"]}
