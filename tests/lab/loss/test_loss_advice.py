"""Verbs that advise: of a damaged trace no figure is false, and nothing is advised."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from heapscope.cli.app import app

sys.path.append(str(Path(__file__).parent))

from damaged import CAPTURED, chunks, damages, false_claims, plain, sample_trace

UPGRADE = ("compare", "T.hst", "--chip", "esp32", "--idf", "4.2", "--idf", "5.5", "--parts")
PREDICT = ("predict", "sdkconfig", "--chip", "esp32", "--trace", "T.hst")
TUNE = ("tune", "--chip", "esp32", "--trace", "T.hst")


def _run(*words: str) -> tuple[int, str, dict[str, Any]]:
    out = Path("out.json")
    out.unlink(missing_ok=True)
    done = CliRunner().invoke(app, [*words, "--json", str(out)], env={"COLUMNS": "200"})
    return (
        done.exit_code,
        done.output,
        json.loads(out.read_text(encoding="utf-8")) if out.exists() else {},
    )


def _damaged(data: bytes, count: int, seed: int) -> list[tuple[str, bytes]]:
    """A few."""
    rng = random.Random(seed)
    matches = [one for one in damages(data, rng) if one[0] != "metadata missing"]
    return rng.sample(matches, min(count, len(matches)))


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sdkconfig").write_text("CONFIG_LWIP_MAX_SOCKETS=10\n", encoding="utf-8")


def test_upgrade_bounds_what_it_knows_and_offers_nothing(seed: int) -> None:
    data = sample_trace(seed, events=9_000)
    Path("T.hst").write_bytes(data)
    truth = _run(*UPGRADE)[2]
    assert truth["loss"] is None
    assert truth["offers"]
    for name, part in [
        *_damaged(data, 4, seed),
        ("start missing", b"".join(chunks(data)[:1] + chunks(data)[2:])),
    ]:
        Path("T.hst").write_bytes(part)
        code, output, stated = _run(*UPGRADE)
        if code == 2:
            assert "no moment to compare" in output.lower() or "remedy" in output, (name, output)
            continue
        assert code == 0, (name, output)
        if stated["loss"] is None or stated["loss"]["event"] is None:  # no event was lost
            assert stated["waterfalls"] == truth["waterfalls"], name
            continue
        assert not false_claims(stated, truth), name
        marks = stated["loss"]["marks"]  # a minimum may fall further after the loss
        assert {marks["waterfalls[].before"], marks["waterfalls[].after"]} == {"at_most"}
        assert stated["offers"] is stated["knobs"] is stated["unhelpful"] is None, name
        assert "before the loss" in stated["verdict"][0]
        assert "buys it back" not in output
        assert 2 * stated["loss"]["withheld"] <= stated["loss"]["figures"]


def test_pools_bounds_what_it_knows_and_advises_nothing(seed: int) -> None:
    data = plain(CAPTURED / "ice_default.hst.zst")
    Path("T.hst").write_bytes(data)
    truth = _run("fit", "--pools", "T.hst")[2]
    for name, part in _damaged(data, 6, seed):
        Path("T.hst").write_bytes(part)
        code, output, stated = _run("fit", "--pools", "T.hst")
        if code == 2:
            assert "remedy" in output, (name, output)
            continue
        (trace,) = stated["traces"]
        assert stated["advice"] is None, name
        assert not false_claims(stated | {"loss": trace["loss"]}, truth), name


def test_predict_bounds_the_replay_and_does_not_say_whether_it_fits(seed: int) -> None:
    data = sample_trace(seed, events=9_000)
    Path("T.hst").write_bytes(data)
    code, output, truth = _run(*PREDICT)
    assert code in (0, 1), output
    assert truth["trace_fit"] is not None
    for name, part in _damaged(data, 4, seed):
        Path("T.hst").write_bytes(part)
        code, output, stated = _run(*PREDICT)
        if code == 2:
            assert "remedy" in output, (name, output)
            continue
        loss = stated["replay"]["loss"]
        if loss is None or loss["event"] is None:
            assert stated["trace_fit"] == truth["trace_fit"], name
            continue
        assert stated["trace_fit"] is None, name
        assert not false_claims(stated["replay"], truth["replay"]), name


def test_tune_recommends_nothing(seed: int) -> None:
    for name, part in _damaged(sample_trace(seed, events=9_000), 3, seed):
        Path("T.hst").write_bytes(part)
        code, output, stated = _run(*TUNE)
        if "lost, the first" not in output and "lost, from" not in output:
            assert "remedy" in output or code in (0, 1), (name, output)
            continue
        assert (code, stated) == (2, {}), (name, output)
        assert "remedy" in output, name


# ---- against the trace that ends there -----------------------------------------------------------

#: Words, what is of the file, what is withheld or tried after no loss alone.
NOT_COMPARED = {
    *("loss", "losses", "health", "trace", "bound", "changes", "tried", "unhelpful", "knobs"),
    *(
        "verdict",
        "conclusion",
        "notes",
        "answer",
        "census",
        "clock",
        "file",
        "files",
        "messages",
        "bytes",
        "written",
    ),
}
VERBS = {
    "why": ("why", "T.hst", "--pool", "60000", "--need", "4096"),
    "leaks": ("leaks", "T.hst"),
    "export": ("export", "T.hst", "--to", "csv", "-o", "out.csv"),
    "compare": ("compare", "T.hst", "--pool", "60000", "--pool", "70000"),
    "compare parts": UPGRADE,
    "replay": ("replay", "T.hst", "--pool", "60000", "--need", "4096"),
}


def _unlike(stated: Any, short: Any, where: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Numbers that both have and that differ."""
    if isinstance(stated, dict) and isinstance(short, dict):
        for key in (stated.keys() & short.keys()) - NOT_COMPARED:
            yield from _unlike(stated[key], short[key], f"{where}.{key}")
    elif isinstance(stated, list) and isinstance(short, list):
        if stated and len(stated) != len(short):
            yield f"{where} has another length", len(stated), len(short)
        for at, (one, other) in enumerate(zip(stated, short, strict=False)):
            yield from _unlike(one, other, f"{where}[{at}]")
    elif isinstance(stated, int | float) and stated != short:
        yield where, stated, short


@pytest.mark.parametrize("verb", VERBS)
def test_the_answer_is_that_of_the_trace_that_ends_before_the_loss(verb: str, seed: int) -> None:
    events = 9_000
    start = random.Random(seed).randrange(1_000, events - 600) // 500 * 500 + 123
    Path("T.hst").write_bytes(sample_trace(seed, events=events, dropped=range(start, start + 200)))
    code, output, stated = _run(*VERBS[verb])
    assert code == 0, output
    Path("T.hst").write_bytes(sample_trace(seed, events=start))
    code, output, short = _run(*VERBS[verb])
    assert code == 0, output
    unlike = list(_unlike(stated, short))
    assert not unlike, unlike[:9]
