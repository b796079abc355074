"""replay --load: the memory that predict says a configuration leaves, and its errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from heapscope.cli.app import app
from heapscope.native.events import NativeWriter, event_dtype
from heapscope.native.reader import NameTable

MakeTrace = Callable[..., Path]


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "sdkconfig"
    path.write_text('CONFIG_IDF_TARGET="esp32c3"\n', encoding="utf-8")
    return path


def answer(*args: object) -> dict[str, Any]:
    done = CliRunner().invoke(app, [*map(str, args), "--json", "-"])
    assert done.exit_code in (0, 1), done.output
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def free(document: dict[str, Any]) -> int:
    """Internal memory that is free at the end, as it is reported."""
    rows = document["regions"]
    return sum(row["reported_free"] for row in rows if row["kind"] != "SPIRAM")


@pytest.mark.parametrize(
    ("load", "requested", "state"),
    [
        ("", (), "app_main"),
        ("none", (), "app_main"),
        ("wifi", (), "load"),
        ("wifi,tls=2,tcp=2", ("--tls", 2, "--tcp", 2), "load"),
        ("wifi,tcp=0,udp=3", ("--tcp", 0, "--udp", 3), "load"),
    ],
)
def test_what_is_free_is_what_predict_says(
    make_trace: MakeTrace, config: Path, load: str, requested: tuple[object, ...], state: str
) -> None:
    trace = make_trace("a 0 100", "f 0")
    beside = ("--load", load) if load else ()
    replayed = answer("replay", trace, "--sdkconfig", config, "--idf", "5.5", *beside)
    predicted = answer("predict", config, "--idf", "5.5", *requested)
    assert abs(free(replayed) - predicted["states"][state]["dram"]["median"]) <= 8


@pytest.mark.slow
def test_every_verb_that_replays_has_the_system_beside_the_trace(
    make_trace: MakeTrace, config: Path, tmp_path: Path
) -> None:
    trace = make_trace("a 0 100", "a 1 400000", "f 0")
    options = ("--sdkconfig", config, "--idf", "5.5", "--load", "wifi,tls=1")
    replayed = answer("replay", trace, *options)
    assert answer("why", trace, *options)["layout"] == replayed["layout"]
    for args in (
        ("compare", trace, trace),
        ("report", trace, "-o", tmp_path / "R.html"),
        ("leaks", trace),
        ("export", trace, "--to", "csv", "-o", tmp_path / "T.csv"),
    ):
        done = CliRunner().invoke(app, [str(each) for each in (*args, *options)])
        assert done.exit_code in (0, 1), done.output


def test_tasks_of_the_system_have_their_stacks(make_trace: MakeTrace, config: Path) -> None:
    with config.open("a", encoding="utf-8") as file:
        file.write("CONFIG_LWIP_TCPIP_TASK_STACK_SIZE=6144\n")
    options = ("--sdkconfig", config, "--idf", "5.5", "--load", "wifi,tcp=0")
    document = answer("replay", make_trace("a 0 100", "t net", "a 1 50"), *options)
    peaks = {row["task"]: row["payload_peak"] for row in document["tasks"]}
    assert {"main", "net", "IDLE", "esp_timer", "sys_evt", "tiT", "wifi"} <= set(peaks)
    assert peaks["tiT"] > 6144
    assert peaks["net"] == 50


def test_blocks_that_the_trace_may_have_too_are_stated(make_trace: MakeTrace, config: Path) -> None:
    trace = make_trace("t wifi", "a 0 1700", "t app", "a 1 50")
    options = ("replay", trace, "--sdkconfig", config, "--idf", "5.5", "--load")
    stated = answer(*options, "wifi")
    notes = " ".join(stated["layout"]["notes"])
    assert "the trace has tasks of the system: wifi" in notes
    assert "--load wifi,traced" in notes
    alone = answer(*options, "wifi,traced")
    assert "tasks of the system" not in " ".join(alone["layout"]["notes"])
    assert free(alone) > free(stated) + 60_000
    assert "tiT" not in {row["task"] for row in alone["tasks"]}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--load", "wifi"), "--load without a configuration"),
        (("--sdkconfig", "F", "--load", "wify"), "unknown --load 'wify'"),
        (("--sdkconfig", "F", "--load", "tls=2"), "connections without wifi"),
        (("--sdkconfig", "F", "--load", "wifi,tls=x"), "'tls=x' cannot stand there"),
        (("--sdkconfig", "F", "--load", "wifi,tls=999"), "'tls=999' cannot stand there"),
        (("--sdkconfig", "F", "--load", "none,wifi"), "'none' cannot stand there"),
        (("--sdkconfig", "F", "--load", "ble"), "--load ble: the configuration"),
        (("--sdkconfig", "F", "--load", "net"), "--load net: the network of the esp32c3"),
        (("--sdkconfig", "F", "--load", "wifi", "--boot-log", "F"), "--load and --boot-log"),
        (("--sdkconfig", "F", "--cores", "3"), "--cores: '3' is not a number of cores"),
        (("--sdkconfig", "F", "--rtc", "x"), "--rtc: 'x' is neither"),
        (("--sdkconfig", "F", "--psram-reserve", "0"), "--psram-reserve without PSRAM"),
        (("--sdkconfig", "F", "--static-iram", "9"), "--static-iram alone: code and data"),
        (("--sdkconfig", "F", "--allocator", "tlsf"), "--sdkconfig and --allocator both say"),
        (("--sdkconfig", "F", "--load", ""), "unknown --load ''"),
        (("--sdkconfig", "F", "--load", "wifi", "--psram", "x"), "--psram"),
        (
            ("--sdkconfig", "F", "--load", "wifi", "--static-dram", "900KB"),
            "static use of",
        ),
    ],
)
def test_what_cannot_be_is_stated(
    make_trace: MakeTrace, config: Path, args: tuple[str, ...], message: str
) -> None:
    named = [str(config) if each == "F" else each for each in args]
    done = CliRunner().invoke(app, ["replay", str(make_trace("a 0 100")), *named])
    assert done.exit_code == 2
    assert message in done.stderr
    assert "remedy" in done.stderr


def test_events_of_a_trace_by_address_stay_its_own(tmp_path: Path, config: Path) -> None:
    """Its highest addresses are below those that the system's blocks have here."""
    import numpy as np

    rows = np.zeros(2, dtype=event_dtype())
    rows["kind"], rows["key"], rows["size"] = (1, 5), ((1 << 48) - 16, 1 << 47), (64, 0)
    trace = tmp_path / "T.hst"
    with NativeWriter(features=1) as writer:
        writer.name(NameTable.TASK, 0, b"app")
        writer.events(rows)
        writer.finish()
        trace.write_bytes(b"".join(writer.take()))
    options = ("--sdkconfig", config, "--idf", "5.5", "--load", "wifi")
    assert answer("replay", trace, *options)["summary"]["unknown_frees"] == 1


def test_a_configuration_that_does_not_fit_is_said_to(make_trace: MakeTrace, config: Path) -> None:
    trace = make_trace("a 0 100", "f 0")
    options = ("--sdkconfig", config, "--idf", "5.5", "--load", "wifi")
    say = "bytes of internal memory are missing in the state load"
    notes = answer("replay", trace, *options)["layout"]["notes"]
    assert not any(say in note for note in notes)
    config.write_text(
        config.read_text("utf-8") + "CONFIG_ESP_MAIN_TASK_STACK_SIZE=500000\n", "utf-8"
    )
    result = answer("replay", trace, *options)
    missing = -answer("predict", config, "--idf", "5.5")["left"]["median"]
    (note,) = (note for note in result["layout"]["notes"] if say in note)
    assert note.startswith(f"it does not fit: {missing:,.0f} bytes")


@pytest.mark.parametrize("size", ["-1024", "9999999999"])
def test_a_size_that_no_memory_has_is_named(make_trace: MakeTrace, config: Path, size: str) -> None:
    config.write_text(
        config.read_text("utf-8") + f"CONFIG_ESP_MAIN_TASK_STACK_SIZE={size}\n", "utf-8"
    )
    for words in (
        ("replay", make_trace("a 0 100", "f 0"), "--sdkconfig", config, "--load", "wifi"),
        ("predict", config),
        ("tune", config, "--goal", "free>=10KB"),
        ("compare", config, "+CONFIG_LWIP_IPV6=n"),
    ):
        done = CliRunner().invoke(app, [*map(str, words), "--idf", "5.5"])
        assert done.exit_code == 2, done.output
        assert f"CONFIG_ESP_MAIN_TASK_STACK_SIZE={size}: no memory" in done.output
