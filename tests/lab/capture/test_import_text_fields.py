"""`import`: every field that a trace has, and every line that is left out."""

from __future__ import annotations

import io
import json
import random
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from recording.traces import events_of
from typer.testing import CliRunner

from heapscope.base.capabilities import CAPABILITIES
from heapscope.base.capabilities import format as capabilities
from heapscope.base.errors import InputError
from heapscope.capture.left_out import SHOWN, BadLine
from heapscope.capture.line_forms import import_text
from heapscope.cli.app import app
from heapscope.native.events import Events, NativeWriter, event_dtype
from heapscope.native.importer import reason_names
from heapscope.native.reader import NameTable, NativeReader
from heapscope.trace.info import read_info

MALLOC, CALLOC, ALIGNED, REALLOC, FREE, FAILED, MARK = range(1, 8)  # hs_event_kind_t
ADDRESSES, CLOCK, SITES = 1, 2, 4  # HS_TRACE_*
LETTERS = {MALLOC: "a", CALLOC: "c", ALIGNED: "m", REALLOC: "r"}


def write(folder: Path, content: str) -> Path:
    (folder / "in.txt").write_bytes(content.encode())
    return folder / "in.txt"


def test_every_capability_has_its_name(tmp_path: Path) -> None:
    lines = "".join(f"a {bit} 8 {name}\n" for name, bit in CAPABILITIES.items())
    result = import_text(write(tmp_path, lines), tmp_path / "T.hst")
    assert result.bad_lines == 0
    assert list(events_of(tmp_path / "T.hst")["caps"]) == list(CAPABILITIES.values())


# ---- a trace as text and back ----


def drawn(rng: random.Random, features: int) -> Events:
    """Events as a program makes them, each field that the features have filled at random."""
    rows = np.zeros(400, dtype=event_dtype())
    live: list[int] = []
    built = time = 0
    for at in range(len(rows)):
        row = rows[at]
        time += rng.randrange(50)
        row["time"] = time if features & CLOCK else 0
        row["task"] = at // 100
        kind = rng.choice([MALLOC, CALLOC, ALIGNED, REALLOC, FREE, FAILED, MARK])
        if kind in (REALLOC, FREE) and not live:
            kind = MALLOC
        row["kind"] = kind
        if kind == MARK:
            row["key"] = rng.randrange(3)
            continue
        if kind != FREE:
            row["size"] = rng.randrange(1, 1 << rng.choice([4, 12, 33]))
            row["caps"] = rng.choice([0, 0, 4, 0x1804, 1 << 31])
            row["site"] = rng.randrange(5) if features & SITES else 0
        call = rng.choice([MALLOC, CALLOC, ALIGNED]) if kind == FAILED else kind
        if call == ALIGNED:
            row["align_log2"] = rng.randrange(32)
        if kind == FAILED:
            row["new_key"] = call
        elif kind in (REALLOC, FREE):
            row["key"] = live.pop(rng.randrange(len(live)))
            moved = 0x3FFB0000 + 4 * rng.randrange(1 << 16)
            after = moved if features & ADDRESSES else int(row["key"])
            row["new_key"] = after if kind == REALLOC else 0
            live += [after] if kind == REALLOC else []
        else:
            row["key"] = 0x3FFB0000 + 4 * rng.randrange(1 << 16) if features & ADDRESSES else built
            live.append(int(row["key"]))
            built += 1
    return rows


def text_of(rows: Events, features: int, rng: random.Random) -> str:
    """The same as lines, hexadecimal where the draw says so."""

    def number(value: int) -> str:
        return rng.choice([str, hex])(value) if value else "0"

    lines = ["% addresses"] if features & ADDRESSES else []
    task = 0
    for row in rows:
        if row["task"] != task:
            task = int(row["task"])
            lines.append(f"t task {task}")
        before = f"[{number(int(row['time']))}] " if features & CLOCK else ""
        kind = int(row["new_key"] if row["kind"] == FAILED else row["kind"])
        block = "NULL" if row["kind"] == FAILED else number(int(row["key"]))
        if kind == MARK:
            lines.append(f"{before}! mark {row['key']}")
            continue
        if kind == FREE:
            lines.append(f"{before}f {block}")
            continue
        align = f" {number(1 << int(row['align_log2']))}" if kind == ALIGNED else ""
        moved = kind == REALLOC and row["new_key"] != row["key"]
        after = f" {number(int(row['new_key']))}" if moved else ""
        caps = int(row["caps"])
        named = capabilities(caps) if caps in (4, 0x1804) else f"caps={number(caps)}"
        site = f" @main;site {row['site']}" if row["site"] else ""
        lines.append(
            f"{before}{LETTERS[kind]} {block}{align} {number(int(row['size']))}{after}"
            f"{' ' + named if caps else ''}{site}"
        )
    return "\n".join(lines) + "\n"


def names_of(trace: Path) -> Mapping[tuple[NameTable, int], str]:
    with NativeReader() as reader:
        reader.push(trace.read_bytes())
        reader.finish()
        return {
            (table, i): reader.names(table).get(i)
            for table in (NameTable.TASK, NameTable.MARK, NameTable.SITE)
            for i in range(5)
        }


def reported(rows: Events, names: Mapping[tuple[NameTable, int], str]) -> list[tuple[object, ...]]:
    """The events with names in place of their indices, which each writer numbers in its own way."""
    results: list[tuple[object, ...]] = []
    for row in rows:
        key = names[NameTable.MARK, int(row["key"])] if row["kind"] == MARK else int(row["key"])
        site = names[NameTable.SITE, int(row["site"])] if row["site"] else ""
        numbers = ("new_key", "size", "time", "caps", "kind", "align_log2")
        values = [int(row[name]) for name in numbers]
        results.append((key, *values, names[NameTable.TASK, int(row["task"])], site))
    return results


@pytest.mark.parametrize("features", range(8))
def test_a_trace_written_as_text_comes_back_whole(tmp_path: Path, features: int, seed: int) -> None:
    rng = random.Random(seed + features)
    rows = drawn(rng, features)
    with NativeWriter(features=features) as writer, (tmp_path / "A.hst").open("wb") as file:
        for task in range(1, 4):
            writer.name(NameTable.TASK, task, f"task {task}".encode())
        for mark in range(3):
            writer.name(NameTable.MARK, mark, f"mark {mark}".encode())
        for site in range(1, 5):
            writer.name(NameTable.SITE, site, f"main;site {site}".encode())
        writer.events(rows)
        writer.finish()
        for piece in writer.take():
            file.write(piece)
    result = import_text(write(tmp_path, text_of(rows, features, rng)), tmp_path / "B.hst")
    assert result.messages == (f"{result.failed} requests failed in the recorded program",), (
        f"seed {seed}"
    )
    first, second = tmp_path / "A.hst", tmp_path / "B.hst"
    wanted = reported(events_of(first), names_of(first))
    assert reported(events_of(second), names_of(second)) == wanted, f"seed {seed}"
    assert (second.read_bytes()[6] & 7) == features


# ---- outputs that cannot be begun again ----


def test_a_stream_gets_one_trace_though_sites_come_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = "".join(f"a {i} {i % 999}\n" for i in range(300_000))
    source = write(tmp_path, f"{lines}[7] a 1 2 @main;late\n")
    stdout = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", stdout)
    import_text(source, "-")
    import_text(source, tmp_path / "T.hst")
    assert stdout.buffer.getvalue() == (tmp_path / "T.hst").read_bytes()
    assert read_info(tmp_path / "T.hst").events.total == 300_001


# ---- lines that are left out ----

BAD = "a 1 2\na 1 0x\nwhat\na 1 2 DMS\n[x] f 1\n"
REASONS = {
    2: "a field should be a number",
    3: "it does not have this form",
    4: "a capability is unknown",
    5: "the time in brackets is not a whole number",
}


def test_each_line_left_out_is_listed_with_number_and_reason(tmp_path: Path) -> None:
    result = import_text(write(tmp_path, BAD), tmp_path / "T.hst")
    texts = BAD.splitlines()
    assert result.left_out == tuple(
        BadLine(number=number, reason=reason, text=texts[number - 1])
        for number, reason in REASONS.items()
    )
    assert {row.reason: row.lines for row in result.left_out_reasons} == dict.fromkeys(
        REASONS.values(), 1
    )


def test_the_list_is_bounded_and_the_file_has_all(tmp_path: Path) -> None:
    lines = ["a 1 2"] + [("what", "a 1 x")[i % 3 == 0] for i in range(5000)]
    source = write(tmp_path, "\n".join(lines) + "\n")
    result = import_text(source, tmp_path / "T.hst", left_out=tmp_path / "left.tsv")
    assert (result.bad_lines, len(result.left_out)) == (5000, SHOWN)
    assert sum(row.lines for row in result.left_out_reasons) == 5000
    head, *rows = (tmp_path / "left.tsv").read_text().splitlines()
    assert head.split("\t") == ["line", "reason", "text"]
    assert [row.split("\t")[0] for row in rows] == [str(i + 2) for i in range(5000)]
    assert {row.split("\t")[1] for row in rows} <= set(reason_names())
    shown = CliRunner().invoke(
        app, ["import", "--from", "text", str(source), "-o", str(tmp_path / "T.hst")]
    )
    assert "4,900 more lines of 5,000 are not listed" in " ".join(shown.stdout.split())
    assert "Lines left out, by reason" in shown.stdout


def test_strict_ends_at_the_first_such_line(tmp_path: Path) -> None:
    source = write(tmp_path, BAD)
    with pytest.raises(InputError, match=rf"in\.txt, line 2: {REASONS[2]}: a 1 0x") as caught:
        import_text(source, tmp_path / "T.hst", strict=True)
    assert "--strict" in caught.value.remedy
    assert not (tmp_path / "T.hst").exists()
    good = write(tmp_path, "# fine\n[5] a 0x10 2 DMA @main\nf 0x10\n")
    assert import_text(good, tmp_path / "T.hst", strict=True).events == 2


def test_strict_is_an_exit_code_of_the_command(tmp_path: Path) -> None:
    command = ["import", "--from", "text", str(write(tmp_path, BAD)), "-o", str(tmp_path / "T.hst")]
    assert CliRunner().invoke(app, command).exit_code == 0
    assert CliRunner().invoke(app, [*command, "--strict"]).exit_code == 2


@pytest.mark.parametrize("flag", ["--strict", "--left-out=x.tsv"])
def test_the_options_belong_to_the_forms_of_lines(tmp_path: Path, flag: str) -> None:
    log = tmp_path / "log.txt"
    log.write_text("I (243) heap_init: Initializing.\n")
    done = CliRunner().invoke(app, ["import", "--from", "esp-idf", str(log), flag])
    assert done.exit_code == 2


def test_the_json_has_the_list(tmp_path: Path) -> None:
    command = ["import", "--from", "text", str(write(tmp_path, BAD)), "-o", str(tmp_path / "T.hst")]
    done = CliRunner().invoke(app, [*command, "--json", "-"])
    document = json.loads(done.stdout)
    assert [row["number"] for row in document["left_out"]] == list(REASONS)
    assert document["left_out"][0]["reason"] == REASONS[2]


def test_a_text_with_hexadecimal_ids_is_distinguished_from_others(tmp_path: Path) -> None:
    source = write(tmp_path, "[5] a 0x3ffb0000 0x20 DMA @main\n[6] f 0x3ffb0000\n")
    done = CliRunner().invoke(app, ["replay", str(source)])
    assert "heapscope import" in done.output
