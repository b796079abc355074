"""`heapscope fit`: its table, its JSON, and what it says of input that it cannot use."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.testing import CliRunner

from heapscope.cli.app import app
from heapscope.cli.schemas import schema_of
from heapscope.memory.layout.allocator import placements
from heapscope.native.library import allocator_names

ROOT = Path(__file__).parents[3]
CAPTURED = ROOT / "studies" / "workloads" / "captured"
MakeTrace = Callable[..., Path]

STORY = ["t net", "a 1 1000", "a 2 20000", "f 1", "a 3 1500", "r 3 2500", "f 2"]


def run(*args: object) -> tuple[int, str, str]:
    """Exit code, standard output, standard error."""
    done = CliRunner().invoke(app, ["fit", *map(str, args)], env={"COLUMNS": "120"})
    assert "Traceback" not in done.output
    return done.exit_code, done.stdout, done.stderr


def rows(*args: object) -> list[dict[str, Any]]:
    code, out, err = run(*args, "--json", "-")
    assert (code, err) == (0, "")
    document: list[dict[str, Any]] = json.loads(out)
    schema = schema_of("fit")
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(document)
    return document


def test_all_allocators_without_flavours_are_the_default(make_trace: MakeTrace) -> None:
    result = rows(make_trace(*STORY))
    assert [row["allocator"] for row in result] == list(placements())
    assert {"idf-4.2", "idf-4.3.2", "idf-5.1", "idf-5.5", "umm", "heapscope"} <= set(placements())
    assert set(placements()) <= set(allocator_names())
    assert not {"idf-3.3", "idf-4.4.0", "idf-5.3", "idf-5.5+light"} & set(placements())
    for row in result:
        assert row["peak_live"] == 22_500
        assert row["ratio"] == row["pool"] / 22_500
        assert row["pool_min"] <= row["pool"]
        assert (row["step"], row["window"], row["reason"]) == (8, 0.02, "")


def test_the_table_has_the_best_first_and_the_refused_request(make_trace: MakeTrace) -> None:
    trace = make_trace(*STORY)
    code, out, err = run(trace, "--allocator", "heap_4", "--allocator", "idf-4.2")
    assert (code, err) == (0, "")
    by_name = {row["allocator"]: row for row in rows(trace)}
    lines = out.splitlines()
    assert lines[1].startswith("idf-4.2 needs least, ")
    table = [line.split() for line in lines if line.startswith(("idf-4.2 ", "heap_4 "))][1:]
    assert [line[0] for line in table] == ["idf-4.2", "heap_4"]
    for line in table:
        row = by_name[line[0]]
        assert line[1] == f"{row['pool']:,}"
        assert line[2] == f"{row['ratio']:.4f}"
        assert line[3] == f"{row['pool'] / by_name['idf-4.2']['pool']:.4f}"
        assert line[4] == f"{row['pool_min']:,}"
    assert "of net, event" in out


def test_the_floor_is_that_of_the_trace_and_no_allocator_is_below_it(
    make_trace: MakeTrace,
) -> None:
    result = rows(make_trace(*STORY))
    (floor,) = {json.dumps(row["floor"]) for row in result}
    figures = json.loads(floor)
    assert figures["live"] == 20_000 + 2_504  # in whole 8 bytes
    assert figures["placed"] >= figures["live"]
    assert figures["gap"] == round(100 * (figures["placed"] / figures["live"] - 1), 2)
    assert all(row["pool"] >= figures["live"] for row in result)
    code, out, _ = run(make_trace(*STORY), "--allocator", "heap_4")
    assert code == 0
    assert "22,504 B in whole 8 bytes are live at once" in out


def test_flavours_cost_what_they_add(make_trace: MakeTrace) -> None:
    plain, light = rows(
        make_trace(*STORY), "--allocator", "idf-4.2", "--allocator", "IDF-4.2+LIGHT"
    )
    assert light["allocator"] == "idf-4.2+light"
    assert plain["pool"] < light["pool"] <= plain["pool"] + 5 * 12


def test_an_allocator_that_is_too_small_says_so(make_trace: MakeTrace) -> None:
    too_much = make_trace("a 1 150000", "a 2 150000")
    umm, idf = rows(too_much, "--allocator", "umm", "--allocator", "idf-4.3.2")
    assert umm["pool"] is umm["pool_min"] is umm["ratio"] is None
    assert "its largest heap is 262,144 bytes, and 300,000 are live" in umm["reason"]
    assert "its largest heap is 263,768 bytes" in idf["reason"]
    code, out, _ = run(too_much, "--allocator", "umm")
    assert code == 0
    assert "umm: no pool: its largest heap" in out


def test_a_window_beyond_the_largest_heap_is_no_pool(make_trace: MakeTrace) -> None:
    close = make_trace("a 1 130000", "a 2 130000")
    (umm,) = rows(close, "--allocator", "umm")
    assert umm["pool"] is None
    assert 260_000 < umm["pool_min"] < 260_100
    assert "nowhere on all of the next 2 %" in umm["reason"]


def test_a_request_that_no_pool_serves(make_trace: MakeTrace) -> None:
    trace = make_trace("t net", "a 1 100", "m 2 64 100")
    umm, idf = rows(trace, "--allocator", "umm", "--allocator", "idf-5.5")
    assert (umm["pool"], umm["reason"]) == (
        None,
        "it refuses one of the requests on a pool of any size",
    )
    assert umm["failing"] == umm["failing"] | {"event": 1, "call": "aligned", "align": 64}
    assert idf["pool"] is not None


def test_several_traces_have_a_geometric_mean(make_trace: MakeTrace) -> None:
    one, two = make_trace(*STORY), make_trace(*STORY[:3], name="two.hst")
    names = ["--allocator", "idf-4.2", "--allocator", "o1heap"]
    result = rows(one, two, *names)
    assert [row["trace"] for row in result] == [str(one), str(one), str(two), str(two)]
    mean = math.sqrt(result[0]["ratio"] * result[2]["ratio"])
    code, out, _ = run(one, two, *names)
    assert code == 0
    after = out.partition("geometric mean over 2 traces")[2]
    assert f"{mean:.4f}" in after
    assert "1.0000" in after


def test_a_trace_of_frees_alone_has_no_ratio(make_trace: MakeTrace) -> None:
    (row,) = rows(make_trace("f 1", "f 2"), "--allocator", "idf-4.2")
    assert row["pool"] == 64
    assert row["ratio"] is row["failing"] is None


@pytest.mark.parametrize(
    ("args", "message", "remedy"),
    [
        (["gone.hst"], "no such file", "check the path"),
        (["T.hst", "--allocator", "idf-9"], "unknown allocator 'idf-9'", "valid: "),
        (["T.hst", "--allocator", "idf-5.5+track"], "blocks beside", "--allocator idf-5.5, or"),
        (["marks.hst"], "no heap event in it", "heapscope replay"),
        (["noise.hst"], "noise.hst", "remedy: "),
        ([], "Missing argument", "--help"),
    ],
)
def test_what_cannot_be_used(
    args: list[str],
    message: str,
    remedy: str,
    make_trace: MakeTrace,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    make_trace(*STORY)
    make_marks(tmp_path / "marks.hst")
    (tmp_path / "noise.hst").write_bytes(b"no trace at all" * 9)
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*args)
    assert (code, out) == (2, "")
    assert message in err
    assert remedy in err


def make_marks(path: Path) -> None:
    import numpy as np

    from heapscope.native.events import NativeWriter, event_dtype

    with NativeWriter() as writer:
        events = np.zeros(1, dtype=event_dtype())
        events["kind"] = 7  # HS_EVENT_MARK
        writer.events(events)
        writer.finish()
        path.write_bytes(b"".join(writer.take()))


def test_what_else_is_looked_at_changes_nothing() -> None:
    trace = CAPTURED / "script_json.hst.zst"
    alone = rows(trace, "--allocator", "idf-5.5")
    assert rows(trace, "--allocator", "idf-4.2", "--allocator", "idf-5.5")[1:] == alone


def test_one_task_alone_is_its_private_heap(make_trace: MakeTrace) -> None:
    """Its blocks, whoever frees them; what others ask for is not there."""
    both = ("t net", "a 1 10000", "t app", "a 2 50000", "f 1", "t net", "a 3 12000", "f 2", "f 3")
    alone = ("t net", "a 1 10000", "f 1", "a 3 12000", "f 3")
    chosen = ("--allocator", "idf-4.2", "--allocator", "heapscope")
    result = rows(make_trace(*both), *chosen, "--task", "net", "--margin", "10")
    for one, other in zip(result, rows(make_trace(*alone), *chosen), strict=True):
        assert (one["pool"], one["peak_live"]) == (other["pool"], 12_000)
        assert (one["task"], one["margin"]) == ("net", 10.0)
        assert 0 <= one["advised"] - 1.1 * one["pool"] < 8
        assert (other["task"], other["margin"], other["advised"]) == ("", None, None)
    code, out, _ = run(make_trace(*both), *chosen, "--task", "net", "--margin", "10")
    assert code == 0
    assert "live payload of net up to 12,000 B" in out
    assert f"{result[0]['advised']:,}" in out


def test_an_unknown_task_is_refused_with_those_there_are(make_trace: MakeTrace) -> None:
    code, _, err = run(make_trace("t net", "a 1 100"), "--task", "nett")
    assert code == 2
    assert "no task 'nett'" in err
    assert "did you mean net? its tasks: net\n" in err  # what ran has a name: there is no main
    _, _, err = run(make_trace("a 1 100", "t net", "a 2 100", "f 1"), "--task", "nosuch")
    assert "remedy: its tasks: main, net\n" in err


def test_a_margin_beyond_the_largest_heap_is_no_advice(make_trace: MakeTrace) -> None:
    (row,) = rows(make_trace("a 1 250000"), "--allocator", "umm", "--margin", "10")
    assert row["pool"] is not None
    assert row["advised"] is None
