"""Options of the SDK after an upgrade: replayed where a replay can show them, else predicted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.testing import CliRunner

from heapscope.answers.upgrade.cost import UpgradeResult
from heapscope.base.errors import InputError
from heapscope.cli.app import app
from heapscope.cli.schemas import schema_of
from heapscope.forecast.predict.knob_layout import with_code, without_code
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.pool import pool_layout
from heapscope.simulation.replay.run import replay

MakeTrace = Callable[..., Path]
LINES = [f"a {i} {200 + i % 7}" for i in range(300)]


def run(*args: object) -> dict[str, Any]:
    """The command's JSON, which its schema allows, and which reads back as it was."""
    done = CliRunner().invoke(app, ["compare", *map(str, args), "--json", "-"])
    assert done.exit_code == 0, done.output
    document: dict[str, Any] = json.loads(done.stdout)
    schema = schema_of("compare-parts")
    jsonschema.Draft202012Validator(schema).validate(document)
    assert UpgradeResult.from_json(document).to_json() == document
    return document


def test_code_out_of_iram_is_replayed_where_it_shares_memory(make_trace: MakeTrace) -> None:
    trace = make_trace(*LINES)
    match = run(trace, "--chip", "esp32c3", "--idf", "4.3", "--idf", "5.5", "--parts")
    replayed = {offer["options"]: offer for offer in match["offers"] if offer["kind"] == "option"}
    layout = load_chip("esp32c3").layout(idf="5.5")
    for knob in UpgradeResult.from_json(match).knobs:
        name = " ".join(knob.lines)
        if knob.key not in ("wifi_iram", "wifi_rx_iram"):
            assert name not in replayed
            continue
        result = replay(trace, without_code(layout, knob))
        won = result.malloc.minimum_free - match["after"]["run"]["minimum_free"]
        assert replayed[name]["gain"]["minimum_free"] == won
        assert (knob.gain_low or 0) - 256 <= won <= (knob.gain_low or 0) + 256
        assert knob.worst is not None
        assert knob.worst.text in replayed[name]["text"]


def test_iram_that_is_not_mallocs_buys_nothing_for_it(make_trace: MakeTrace) -> None:
    result = run(make_trace(*LINES), "--chip", "esp32", "--idf", "4.2", "--idf", "5.5", "--parts")
    assert "CONFIG_ESP_WIFI_IRAM_OPT=n" in result["unhelpful"]
    code = {knob["key"]: knob for knob in result["knobs"]}["wifi_iram"]
    assert code["memory"] == "IRAM"
    requested = ("--chip", "esp32", "--idf", "4.2", "--idf", "5.5", "--parts", "--caps", "EXEC")
    won = {offer["options"]: offer["gain"] for offer in run(*requested)["offers"]}
    assert won["CONFIG_ESP_WIFI_IRAM_OPT=n"]["free_at_start"] > 9_000


def test_the_firmwares_own_options_are_the_ones_that_change(tmp_path: Path) -> None:
    config = tmp_path / "sdkconfig"
    config.write_text(
        "CONFIG_ESP_WIFI_STATIC_RX_BUFFER_NUM=24\nCONFIG_ESP_WIFI_IRAM_OPT=n\n", encoding="utf-8"
    )
    sides = ("--chip", "esp32c3", "--idf", "4.3", "--idf", "5.5", "--parts")
    result = run(*sides, "--sdkconfig", config)
    knobs = {knob["key"]: knob for knob in result["knobs"]}
    assert knobs["static_rx"]["gain"] == 12 * 1696
    assert "wifi_iram" not in knobs
    assert result["knobs_of"] == str(config)
    assert "default build" in run(*sides)["knobs_of"]


def test_a_memory_without_a_chip_has_no_options() -> None:
    result = run("--pool", "64KB", "--allocator", "idf-4.2", "--allocator", "idf-5.5")
    assert (result["knobs"], result["knobs_of"]) == ([], "")
    with pytest.raises(InputError, match="no region behind code"):
        with_code(pool_layout(65536, "idf-5.5"), -1024)


def test_the_tables_keep_predicted_and_replayed_apart() -> None:
    done = CliRunner().invoke(
        app,
        ["compare", "--chip", "esp32c3", "--idf", "4.3", "--idf", "5.5", "--parts"],
        env={"COLUMNS": "200"},
    )
    assert done.exit_code == 0
    replayed, predicted = done.stdout.split("Predicted and not replayed")
    assert "Wi-Fi code in flash instead of IRAM: 10,240 B of code" in replayed
    assert "Static RX buffers: 5 instead of 10." in predicted
    assert "Static RX buffers" not in replayed


def test_options_of_another_chips_firmware_are_refused(tmp_path: Path) -> None:
    config = tmp_path / "sdkconfig"
    config.write_text('CONFIG_IDF_TARGET="esp32"\n', encoding="utf-8")
    sides = (
        "--chip",
        "esp32c3",
        "--idf",
        "4.3",
        "--idf",
        "5.5",
        "--parts",
        "--sdkconfig",
        str(config),
    )
    done = CliRunner().invoke(app, ["compare", *sides])
    assert done.exit_code == 2
    assert f'--chip esp32c3, and {config} has CONFIG_IDF_TARGET="esp32"' in done.stderr
