"""Every verb says that events are lost, and claims nothing beyond them."""

from __future__ import annotations

import json
import random
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from heapscope.cli.app import app
from heapscope.cli.schemas import schema_of
from heapscope.trace.info import read_info

sys.path.append(str(Path(__file__).parent))

from damaged import CAPTURED, chunks, damages, false_claims, plain, sample_trace

#: Verbs with what they need; each writes its JSON.
VERBS = {
    "contents": ("replay", "{}"),
    "replay": ("replay", "{}", "--pool", "60000", "--need", "4096"),
    "fit": ("fit", "{}", "--allocator", "idf-5.5", "--margin", "10"),
    "why": ("why", "{}", "--pool", "60000", "--need", "4096"),
    "leaks": ("leaks", "{}"),
    "report": ("report", "{}", "--pool", "60000", "-o", "page.html"),
    "export": ("export", "{}", "--to", "csv", "-o", "out.csv"),
    "compare": ("compare", "{}", "--pool", "60000", "--pool", "70000"),
}

#: No such words stand beside figures of a part.
SURE = re.compile(
    r"100(\.0)? %|use may be higher|needs least|first thing to try|first change|at any time|"
    r"\bdies\b|no request failed"
)


def _run(verb: str, trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "out.json"
    out.unlink(missing_ok=True)
    words = [word.format(trace) for word in VERBS[verb]]
    done = CliRunner().invoke(app, [*words, "--json", str(out)], env={"COLUMNS": "200"})
    document = json.loads(out.read_text()) if done.exit_code == 0 else None
    return done.exit_code, done.output, document


def _losses(stated: Any) -> list[dict[str, Any]]:
    """All of a document's, wherever they stand."""
    if isinstance(stated, dict):
        own = [stated["loss"]] if isinstance(stated.get("loss"), dict) else []
        own += stated.get("losses", [])
        return own + [one for value in stated.values() for one in _losses(value)]
    return [one for value in stated for one in _losses(value)] if isinstance(stated, list) else []


@pytest.mark.cells(2)
@pytest.mark.parametrize("verb", sorted(set(VERBS) - {"compare"}))
def test_a_verb_says_what_is_lost_and_nothing_sure(
    verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    whole = sample_trace(seed, events=12_000)
    trace = tmp_path / "T.hst"
    rng = random.Random(seed)
    given = [*damages(whole, rng), ("dropped", sample_trace(seed, dropped=range(9000, 9200)))]
    for name, data in given:
        trace.write_bytes(data)
        code, output, stated = _run(verb, trace, tmp_path, monkeypatch)
        assert code in (0, 2), (name, output)
        if code == 2:
            assert "remedy" in output, name
            continue
        losses = _losses(stated)
        assert losses, name
        if name == "metadata missing":
            assert "metadata of the recording is damaged" in output
            continue
        assert all(3 * loss["withheld"] <= 2 * loss["figures"] for loss in losses), name
        assert "lost" in output, name
        assert not SURE.search(output), (name, SURE.search(output))


def _fields(schema: dict[str, Any], at: dict[str, Any]) -> dict[str, Any]:
    """The properties of a part of a schema, with what it refers to."""
    while "$ref" in at:
        at = schema["$defs"][at["$ref"].rpartition("/")[2]]
    for choice in at.get("anyOf", at.get("oneOf", [])):
        if result := _fields(schema, choice):
            return result
    return _fields(schema, at["items"]) if "items" in at else dict(at.get("properties", {}))


@pytest.mark.parametrize("verb", ["contents", "replay", "fit", "why", "leaks"])
def test_every_mark_names_a_figure_of_the_document(
    verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    trace = tmp_path / "T.hst"
    trace.write_bytes(sample_trace(seed, dropped=range(9000, 9200)))
    _, _, stated = _run(verb, trace, tmp_path, monkeypatch)
    schema = schema_of({"contents": "replay-trace"}.get(verb, verb))
    for place in _losses(stated)[0]["marks"]:
        at = schema
        for name in place.replace("[]", "").split("."):
            fields = _fields(schema, at)
            assert name in fields, (verb, place)
            at = fields[name]


def test_counts_of_info_are_bounds_of_the_whole_trace(
    whole: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    trace = tmp_path / "T.hst"
    trace.write_bytes(whole)
    truth = _run("contents", trace, tmp_path, monkeypatch)[2]
    for name, data in damages(whole, random.Random(seed)):
        trace.write_bytes(data)
        _, _, stated = _run("contents", trace, tmp_path, monkeypatch)
        if stated is not None and stated["loss"] is not None:
            assert not false_claims(stated, truth), name


def test_peaks_of_parts_after_the_loss_are_lower_bounds_that_count(tmp_path: Path) -> None:
    """Only the first event is lost: the rest tells nearly all of the peak."""
    trace = tmp_path / "T.hst"
    trace.write_bytes(sample_trace(3, events=10_000))
    peak = read_info(trace).live_peak
    trace.write_bytes(sample_trace(3, events=10_000, dropped=range(1)))
    info = read_info(trace)
    assert info.loss is not None
    assert (info.loss.event, info.loss.events_after) == (0, 9_999)
    assert peak - 400 <= info.live_peak <= peak


def test_nothing_is_known_to_live_across_a_second_gap(make_trace: Any) -> None:
    """The frees between two rounds are lost: the blocks of both together were never live."""
    lines = []
    for begin in range(0, 160_000, 40_000):
        lines += [f"a {block} 1000" for block in range(begin, begin + 40_000)]
        lines += [f"f {block}" for block in range(begin, begin + 40_000)]
    trace = make_trace(*lines)
    parts = chunks(trace.read_bytes())
    assert len(parts) > 6
    for gone in range(2, len(parts) - 1):
        trace.write_bytes(b"".join(p for at, p in enumerate(parts) if at not in (1, gone)))
        assert read_info(trace).live_peak <= 40_000_000, gone


def test_sides_of_different_parts_are_not_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    parts = chunks(plain(CAPTURED / "tls228_rsa_16k_16k.hst.zst"))
    (tmp_path / "whole.hst").write_bytes(b"".join(parts))
    (tmp_path / "cut.hst").write_bytes(b"".join(parts[:-2]))
    words = ["compare", "whole.hst", "cut.hst", "--pool", "200000", "--json", "out.json"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    document = json.loads((tmp_path / "out.json").read_text())
    assert "are not compared" in document["conclusion"][0]
    assert {row["difference"] for row in document["rows"] if row["bound"] != "exact"} == {None}


@pytest.mark.slow
def test_the_cards_of_a_page_are_marked_as_bounds(tmp_path: Path) -> None:
    for dropped in (range(0), range(3_000, 3_200)):
        (tmp_path / "T.hst").write_bytes(sample_trace(3, events=4_000, dropped=dropped))
        words = ["report", str(tmp_path / "T.hst"), "--pool", "500000"]
        done = CliRunner().invoke(app, [*words, "-o", str(tmp_path / "page.html")])
        assert done.exit_code == 0, done.output
        page = re.sub(r"<[^>]*>|\s+", " ", (tmp_path / "page.html").read_text(encoding="utf-8"))
        matches = re.findall(r"(peak payload|minimum free) +(at \w+)? *[\d,]+ B", page)
        assert set(matches) >= (
            {("peak payload", "at least"), ("minimum free", "at most")}
            if dropped
            else {("peak payload", ""), ("minimum free", "")}
        )
