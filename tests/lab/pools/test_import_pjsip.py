"""`heapscope import`: a log's dumps become a trace that says the same."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from .conftest import run

LOG = Path(__file__).with_name("pjsua.log")


def imported(log: Path, out: Path) -> dict[str, Any]:
    done = run("import", "--from", "pjsip", log, "-o", out)
    assert done.exit_code == 0, done.stderr
    shown = run("fit", "--pools", out, "--json", "-")
    document: dict[str, Any] = json.loads(shown.stdout)
    return document["traces"][0]


def test_the_totals_are_those_of_the_log(tmp_path: Path) -> None:
    trace = imported(LOG, tmp_path / "T.hst")
    results = [
        tuple(int(word) for word in line.split() if word.isdigit())
        for line in LOG.read_text(encoding="utf-8").splitlines()
        if "Total" in line
    ]
    marks = trace["marks"]
    assert [(mark["used"], mark["allocated"]) for mark in marks] == [pair[:2] for pair in results]
    assert [mark["name"] for mark in marks] == ["dump 1 19:04:05.499", "dump 2 19:04:16.888"]
    assert trace["peak"]["allocated"] == 4736  # of no moment between the two
    members = {group["name"]: group["pools"] for group in trace["groups"]}
    assert members == {"icetp00": 2, "natck": 1, "stuntp": 1}
    assert trace["unlike"] is None


def test_dumps_tell_the_growth_of_each_group(tmp_path: Path) -> None:
    trace = imported(LOG, tmp_path / "T.hst")
    used = {group["name"]: group["used_at"] for group in trace["groups"]}
    totals = [sum(at) for at in zip(*used.values(), strict=True)]
    assert totals == [mark["used"] for mark in trace["marks"]]
    text = " ".join(run("fit", "--pools", tmp_path / "T.hst").stdout.split())
    way = "grew" if totals[1] > totals[0] else "fell"
    span = "From the first dump (dump 1 19:04:05.499) to the last (dump 2 19:04:16.888)"
    change = f"{way} by {abs(totals[1] - totals[0]):,} B, from {totals[0]:,} B to {totals[1]:,} B"
    assert f"{span} the bytes in use {change}" in text


def test_the_dump_of_the_device_library_is_read_too(tmp_path: Path) -> None:
    """hs_pools_dump(): docs/guide/pools.md has the text of a program."""
    log = tmp_path / "a.log"
    log.write_text(
        "           check:      176 of      256 (68%) used\n"
        "12:00:01.5 call-1:      976 of     1024 (95%) used\n"
        "           total:     1152 of     1280 (90%) used, peak 1280\n"
        "           check:      200 of      384 (52%) used\n"
        "           total:      200 of      384 (52%) used, peak 1280\n"
    )
    done = run(log)
    assert "a dump of named pools, 2 dumps" in done.stdout
    trace = imported(log, tmp_path / "T.hst")
    assert [(m["used"], m["allocated"]) for m in trace["marks"]] == [(1152, 1280), (200, 384)]
    assert [group["name"] for group in trace["groups"]] == ["call-1", "check"]
    assert trace["peak"]["allocated"] == 1280


def test_pools_of_one_name_are_distinguished_and_shrunk_ones_begin_anew(tmp_path: Path) -> None:
    head = " cachpool   Dumping all active pools:\n"
    line = " cachpool  {}:  {} of {} (50%) used\n".format
    log = tmp_path / "a.log"
    log.write_text(
        head
        + line("p", 10, 100)
        + line("p", 20, 200)
        + head
        + line("p", 5, 100)
        + line("p", 30, 400)
    )
    trace = imported(log, tmp_path / "T.hst")
    assert [(m["used"], m["allocated"]) for m in trace["marks"]] == [(30, 300), (35, 500)]
    assert [m["name"] for m in trace["marks"]] == ["dump 1", "dump 2"]
    assert trace["pools"] == 2


def test_no_moment_between_two_dumps_holds_more_than_both(tmp_path: Path) -> None:
    """One is emptied and larger, what another had is gone."""
    head = " cachpool   Dumping all active pools:\n"
    line = " cachpool  {}:  {} of {} (50%) used\n".format
    log = tmp_path / "a.log"
    log.write_text(head + line("a", 10, 100) + line("b", 900, 1000) + head + line("a", 5, 400))
    trace = imported(log, tmp_path / "T.hst")
    assert [(m["used"], m["allocated"]) for m in trace["marks"]] == [(910, 1100), (5, 400)]
    assert trace["peak"]["allocated"] == 1100


def test_a_dump_of_thousands_after_one_of_thousands_of_others(tmp_path: Path) -> None:
    lines = []
    for dump in range(2):
        lines.append(" cachpool   Dumping all active pools:")
        lines += [f" cachpool p0x{dump}{pool:04x}: 10 of 100 (10%) used" for pool in range(2500)]
    log = tmp_path / "a.log"
    log.write_text("\n".join(lines))
    trace = imported(log, tmp_path / "T.hst")
    assert [m["allocated"] for m in trace["marks"]] == [250_000, 250_000]


def test_bytes_that_would_not_add_up_are_no_dump(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text(
        "".join(f"cachpool p{n}: {10**18 - 1} of {10**18 - 1} (99%) used\n" for n in range(30))
        + "cachpool q: 999999999999 of 999999999999 (100%) used\n"
    )
    trace = imported(log, tmp_path / "T.hst")
    assert trace["peak"]["allocated"] == 999_999_999_999


def test_the_next_command_is_that_of_pools_and_bad_lines_are_counted(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    bad = (
        "cachpool x: 5 of 4 (125%) used\ncachpool : 1 of 4 (25%) used\ncachpool y: of 4\n"
        "cachpool z: 0 of 0 (0%) used\ncachpool w: 99999999999999999999 of 4 (1%) used\n"
    )
    log.write_text(LOG.read_text(encoding="utf-8") + bad, encoding="utf-8")
    done = run("import", "--from", "pjsip", log, "-o", tmp_path / "T.hst")
    assert f"next: heapscope fit {tmp_path / 'T.hst'} --pools" in done.stdout.replace("\n", "")
    assert "left out: 5 lines" in done.stdout
    assert "first line 16: cachpool x: 5 of 4" in done.stdout


@pytest.mark.parametrize("text", ["", "nothing of the sort\n", "cachpool\n", "\x00\x01\x02" * 40])
def test_what_is_no_such_log(text: str, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text(text)
    done = run("import", "--from", "pjsip", log, "-o", tmp_path / "T.hst")
    assert done.exit_code == 2
    assert "not one event in it" in done.stderr
    assert not (tmp_path / "T.hst").exists()
    assert run("import", "--from", "pjsip", LOG).exit_code == 2  # no --output
    assert (
        run("import", "--from", "pjsip", LOG, "-o", tmp_path / "T.hst", "--idf", "5.5").exit_code
        == 2
    )


def test_damaged_logs_never_do_harm(tmp_path: Path) -> None:
    chance = random.Random(7)
    whole = LOG.read_bytes()
    log = tmp_path / "a.log"
    for _ in range(20):
        broken = bytearray(whole[: chance.randrange(len(whole))])
        for _ in range(chance.randrange(8)):
            if broken:
                broken[chance.randrange(len(broken))] = chance.randrange(256)
        log.write_bytes(bytes(broken))
        done = run("import", "--from", "pjsip", log, "-o", tmp_path / "T.hst")
        assert done.exit_code in (0, 2)
        if done.exit_code == 0:
            assert run("fit", "--pools", tmp_path / "T.hst").exit_code == 0
