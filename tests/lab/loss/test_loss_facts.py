"""Metadata can be lost: then no verb knows the word size, and none says that it does. And of a
damaged trace no document has a number that its mark withholds."""

from __future__ import annotations

import json
import random
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from heapscope.cli.app import app
from heapscope.native.events import NativeWriter
from heapscope.native.reader import NativeReader
from heapscope.trace.info import read_info

sys.path.append(str(Path(__file__).parent))

from damaged import CAPTURED, HEAD, chunks, damages, false_claims, plain, sample_trace

METADATA, EVENTS, END = 1, 2, 3
DAMAGED = "The metadata of the recording is damaged: word size,"

VERBS = {
    "contents": ("replay", "T.hst"),
    "replay": ("replay", "T.hst", "--pool", "900KB", "--need", "4096"),
    "fit": ("fit", "T.hst", "--allocator", "idf-5.5", "--margin", "10"),
    "leaks": ("leaks", "T.hst"),
    "why": ("why", "T.hst", "--pool", "60000"),
    "compare": ("compare", "T.hst", "--pool", "900KB", "--pool", "950KB"),
    "report": ("report", "T.hst", "--pool", "900KB", "-o", "page.html"),
    "export": ("export", "T.hst", "--to", "csv", "-o", "out.csv"),
    "compare parts": (
        "compare",
        "T.hst",
        "--chip",
        "esp32",
        "--idf",
        "4.2",
        "--idf",
        "5.5",
        "--parts",
    ),
    "place": ("place", "T.hst", "--chip", "esp32", "--time-limit", "1"),
    "check": ("check", "budgets.toml"),
}


def _run(*words: str) -> tuple[int, str, Any]:
    out = Path("out.json")
    out.unlink(missing_ok=True)
    done = CliRunner().invoke(app, [*words, "--json", str(out)], env={"COLUMNS": "300"})
    document = json.loads(out.read_text(encoding="utf-8")) if out.exists() else None
    return done.exit_code, done.output, document


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("budgets.toml").write_text(
        '[memory]\npool = "900KB"\n[budget]\nmin_free = "1KB"\nfailures = 0\n'
        '[[run]]\nname = "x"\ntrace = "T.hst"\n',
        encoding="utf-8",
    )


def _chunk(kind: int, sequence: int, payload: bytes, *, features: int = 0) -> bytes:
    head = bytes((kind, 1)) + features.to_bytes(2, "little") + sequence.to_bytes(4, "little")
    head += len(payload).to_bytes(2, "little")
    head += (zlib.crc32(head) & 0xFFFF).to_bytes(2, "little")
    return b"HS\xc7\x9a" + head + payload + zlib.crc32(head + payload).to_bytes(4, "little")


def _facts(sequence: int, *pairs: tuple[bytes, bytes], features: int = 0) -> bytes:
    payload = bytes([len(pairs)])
    payload += b"".join(bytes([len(text)]) + text for pair in pairs for text in pair)
    return _chunk(METADATA, sequence, payload, features=features)


def _events(sequence: int, first: int, count: int, *, features: int = 0) -> bytes:
    """Mallocs of 16 bytes: number, task, capabilities, heap, next id; then the records."""
    base = bytes([first, 0, 0, 0, first])
    return _chunk(EVENTS, sequence, base + bytes([0x81, 1]) * count, features=features)


WIDE = (b"word_size", b"8")
BOOT = 0x8100


def _bent(chunk: bytes, at: int) -> bytes:
    return chunk[:at] + bytes([chunk[at] ^ 1]) + chunk[at + 1 :]


_END = _chunk(END, 2, b"\3")
_PARTS = {
    "whole": (False, _facts(0, WIDE), _events(1, 0, 3), _END),
    "chunk 0 is missing": (True, _events(1, 0, 3), _END),
    "its payload is damaged": (True, _bent(_facts(0, WIDE), HEAD + 2), _events(1, 0, 3), _END),
    "its header is damaged": (True, _bent(_facts(0, WIDE), 5), _events(1, 0, 3), _END),
    "its content is malformed": (True, _chunk(METADATA, 0, b"\1\1"), _events(1, 0, 3), _END),
    "it is of a newer version": (
        True,
        _facts(0, WIDE, features=8),
        _events(1, 0, 3),
        _END,
    ),
    "a chunk of events is missing": (False, _facts(0, WIDE), _events(2, 3, 3), _chunk(3, 3, b"\6")),
    "a chunk before the events is missing": (
        True,
        _facts(0, WIDE),
        _events(2, 0, 3),
        _chunk(3, 3, b"\3"),
    ),
    "two are, of which one had events": (
        True,
        _facts(0, WIDE),
        _events(3, 3, 3),
        _chunk(3, 4, b"\6"),
    ),
    "a damaged header says events": (
        False,
        _facts(0, WIDE),
        _bent(_events(1, 0, 3), HEAD),
        _events(2, 3, 3),
        _chunk(3, 3, b"\6"),
    ),
    "a later chunk of events is missing": (
        False,
        _facts(0, WIDE),
        _events(1, 0, 3),
        _events(3, 6, 3),
        _chunk(3, 4, b"\x09"),
    ),
    "all events are missing": (False, _facts(0, WIDE), _END),
    "nothing follows": (True, _facts(0, WIDE)),
    "a chip repeats all of it": (
        False,
        _events(1, 0, 3, features=BOOT),
        _facts(2, (b"edition", b"1"), WIDE, features=BOOT),
        _events(3, 3, 3, features=BOOT),
    ),
    "a chip repeats it, with a gap": (
        True,
        _events(1, 0, 3, features=BOOT),
        _facts(2, (b"edition", b"1"), features=BOOT),
        _events(4, 3, 3, features=BOOT),
    ),
    "a chip repeats it, of which the beginning is missing": (
        True,
        _events(1, 0, 3, features=BOOT),
        _facts(3, WIDE, features=BOOT),
        _events(4, 3, 3, features=BOOT),
    ),
}


@pytest.mark.parametrize("name", _PARTS)
def test_metadata_is_lost_where_a_missing_chunk_may_have_held_it(name: str) -> None:
    lost, *parts = _PARTS[name]
    with NativeReader() as reader:
        reader.push(b"".join(parts))
        reader.finish()
        assert bool(reader.health().facts_lost) is lost


def _wide() -> bytes:
    """A recording of a 64-bit program, as `heapscope record` writes it."""
    built = chunks(sample_trace(1, events=2_000))
    with NativeWriter(features=7, address_shift=3) as writer:
        for key, value in (("word_size", "8"), ("clock_hz", "1000000"), ("allocator", "glibc")):
            writer.metadata(key, value)
        writer.finish()
        facts = chunks(b"".join(writer.take()))[0]
    return b"".join([facts, *built[1:]])


@pytest.mark.cells(3)
@pytest.mark.parametrize("verb", VERBS)
def test_without_the_metadata_no_verb_knows_the_word_size(verb: str) -> None:
    whole = _wide()
    at = whole.index(b"word_size") - 1
    Path("T.hst").write_bytes(_bent(whole, at))
    code, output, stated = _run(*VERBS[verb])
    assert code in (0, 1), output
    shown = Path("page.html").read_text(encoding="utf-8") if verb == "report" else output
    assert DAMAGED in shown.replace("&#39;", "'")
    assert set(_all(stated, "word_size")) == {None}
    for loss in _all(stated, "loss"):
        assert loss["event"] is None
        assert {"word_size", "allocator", "poisoning", "snapshots"} <= set(loss["unknown"])
        assert set(loss["marks"].values()) == {"as_recorded"}
    Path("T.hst").write_bytes(whole)
    _, output, stated = _run(*VERBS[verb])
    assert DAMAGED not in output
    assert set(map(int, _all(stated, "word_size"))) == {8}
    assert set(_all(stated, "loss")) <= {None}


def _all(stated: Any, key: str) -> list[Any]:
    """All values of a key that a document has, wherever they stand."""
    if isinstance(stated, dict):
        own = [stated[key]] if key in stated else []
        return own + [result for value in stated.values() for result in _all(value, key)]
    return (
        [match for value in stated for match in _all(value, key)]
        if isinstance(stated, list)
        else []
    )


def test_a_budget_that_damaged_sizes_keep_is_not_kept(seed: int) -> None:
    whole = _wide()
    for data, status in ((whole, "kept"), (whole[len(chunks(whole)[0]) :], "unknown")):
        Path("T.hst").write_bytes(data)
        _, output, stated = _run(*VERBS["check"])
        assert {row["status"] for row in stated["budgets"]} == {status}, output


def test_pools_whose_rule_may_be_lost_are_not_counted() -> None:
    whole = plain(CAPTURED / "ice_default.hst.zst")
    Path("T.hst").write_bytes(whole[len(chunks(whole)[0]) :])
    code, output, _ = _run("fit", "--pools", "T.hst")
    assert code == 2
    assert "metadata is damaged" in output


# ---- what is withheld --------------------------------------------------------------------------


def _numbers(stated: Any, path: list[str]) -> Iterator[Any]:
    if stated is None:
        return
    if not path:
        yield stated
        return
    name = path[0]
    inner = stated[name.removesuffix("[]")]
    for one in inner or [] if name.endswith("[]") else [inner]:
        yield from _numbers(one, path[1:])


def _documents(verb: str, stated: Any) -> list[Any]:
    return stated if isinstance(stated, list) else [stated]


@pytest.mark.cells(3)
@pytest.mark.parametrize(
    "verb", ["contents", "replay", "fit", "leaks", "why", "compare parts", "export"]
)
def test_what_is_withheld_is_null_and_what_is_exact_is_true(verb: str, seed: int) -> None:
    whole = sample_trace(seed, events=12_000)
    Path("T.hst").write_bytes(whole)
    truth = _documents(verb, _run(*VERBS[verb])[2])
    parts = chunks(whole)
    first = b"".join((parts[0], *parts[2:]))
    for name, data in [*damages(whole, random.Random(seed)), ("first events missing", first)]:
        Path("T.hst").write_bytes(data)
        code, output, stated = _run(*VERBS[verb])
        if code == 2:
            assert "remedy" in output, name
            continue
        for document, real in zip(_documents(verb, stated), truth, strict=True):
            if document["loss"] is None:
                continue
            for path, mark in document["loss"]["marks"].items():
                if mark == "withheld":
                    assert not [*_numbers(document, path.split("."))], (name, path)
            if verb != "export":  # its file is another one
                assert not false_claims(document, real), name


def test_a_comparison_has_no_number_that_it_withholds() -> None:
    parts = chunks(sample_trace(1, events=12_000))
    Path("T.hst").write_bytes(b"".join((parts[0], *parts[2:])))
    code, output, stated = _run(*VERBS["compare"])
    assert code == 0, output
    rows = [row for row in stated["rows"] if row["bound"] == "withheld"]
    assert rows
    assert {(row["left"], row["right"]) for row in rows} == {(None, None)}


# ---- nothing is said of nothing ----------------------------------------------------------------


FREES = b"".join((_facts(0), _chunk(EVENTS, 1, bytes(5) + bytes(4)), _chunk(END, 2, b"\4")))


def test_sides_that_served_nothing_are_not_alike() -> None:
    parts = chunks(sample_trace(1, events=12_000))
    for data in (b"".join((parts[0], *parts[2:])), FREES):
        Path("T.hst").write_bytes(data)
        code, output, stated = _run(*VERBS["compare"])
        assert code == 0, output
        assert stated["served_alike"] is None
        assert "same place" not in output
        assert "are not compared" in stated["conclusion"][0]


def test_a_budget_on_nothing_is_not_kept() -> None:
    Path("T.hst").write_bytes(FREES)
    _, output, stated = _run(*VERBS["check"])
    assert {row["status"] for row in stated["budgets"]} == {"unknown"}, output


def test_info_counts_what_it_lists() -> None:
    """Names may be more than what was counted, and what was counted may have no name."""
    parts = chunks(sample_trace(1, events=12_000))
    Path("T.hst").write_bytes(b"".join((parts[0], *parts[2:])))
    info = read_info("T.hst")
    _, output, _ = _run("replay", "T.hst")
    lines = {line.split("  ")[0]: line for line in output.splitlines()}
    for noun in ("tasks", "marks"):
        reported = lines[noun]
        assert ": and " not in reported, reported
        listed = reported.partition(": ")[2].split(", ")
        assert "names:" in reported or len(listed) <= max(info.task_count, info.events.marks), (
            reported
        )


def test_a_replay_of_nothing_shows_no_figure_that_it_withholds() -> None:
    parts = chunks(sample_trace(1, events=12_000))
    Path("T.hst").write_bytes(b"".join((parts[0], *parts[2:])))
    code, output, _ = _run(*VERBS["replay"])
    assert code == 0, output
    assert "Nothing was replayed" in output
    assert not [word for word in ("Memory at", "Regions", "always") if word in output], output
