"""`heapscope fit --pools`: tables, JSON, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from heapscope.answers.pools.pool_trace import Kind
from heapscope.cli.schemas import schema_of

from .conftest import CAPTURED, captured, rows, run, write


def valid(text: str) -> dict[str, Any]:
    schema = schema_of("fit-pools")
    jsonschema.Draft202012Validator.check_schema(schema)
    document: dict[str, Any] = json.loads(text)
    jsonschema.Draft202012Validator(schema).validate(document)
    return document


def test_the_tables_have_the_marks_and_the_lines_for_a_header() -> None:
    done = run("fit", "--pools", captured("ice_default"), "--sizes", "all=128:128")
    assert done.exit_code == 0
    lines = [line.split() for line in done.stdout.splitlines()]
    row = ["ICE", "complete", "73,188", "103,880", "70.5", "%", "73,988", "79,488"]
    assert row in lines
    assert any(line[:2] == ["#define", "PJNATH_POOL_INC_STUN_TDATA"] for line in lines)
    assert "grew 68 times, all as recorded" in done.stdout


@pytest.mark.parametrize("width", [20, 50, 200])
def test_any_width_will_do(width: int, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    assert run("fit", "--pools", small).exit_code == 0


def test_json_is_that_of_the_schema() -> None:
    done = run("fit", "--pools", captured("ice_default"), captured("ice_plain"), "--json", "-")
    document = valid(done.stdout)
    assert [trace["unlike"] for trace in document["traces"]] == [0, 0]
    advice = document["advice"]
    assert advice["recorded"]["calls"] == sum(t["calls"] for t in document["traces"])
    assert advice["chosen"]["calls"] <= advice["calls"] == advice["recorded"]["calls"]
    assert advice["chosen"]["allocated"] < advice["lazy"]["allocated"]
    peaks = [trace["peak"]["allocated"] for trace in document["traces"]]
    assert advice["recorded"]["allocated"] == sum(peaks)
    for trace in document["traces"]:
        held = sum(group["allocated"] for group in trace["groups"])
        assert held == trace["peak"]["allocated"] >= max(m["allocated"] for m in trace["marks"])


def test_sizes_may_be_set_one_by_one_and_the_last_word_counts() -> None:
    words = ("--sizes", "all=128:128", "--sizes", "STUN_TDATA=512:304", "--json", "-")
    one = valid(run("fit", "--pools", captured("ice_default"), *words).stdout)
    full = ("--sizes", "all=128", "--sizes", "PJNATH_POOL_LEN_STUN_TDATA=512:304", "--json", "-")
    assert one == valid(run("fit", "--pools", captured("ice_default"), *full).stdout)
    assert one["traces"][0]["other_calls"] < 255


def test_pools_without_options_get_a_comment(small: Path) -> None:
    done = run("fit", "--pools", small)
    assert "/* pool one: initial" in done.stdout
    document = valid(run("fit", "--pools", small, "--calls", "0", "--json", "-").stdout)
    assert document["advice"]["chosen"] is None
    assert "No sizes do with 0 heap calls" in run("fit", "--pools", small, "--calls", "0").stdout


def test_pools_that_grow_in_their_own_way_are_only_shown(tmp_path: Path) -> None:
    events = rows((Kind.CREATE, 0, 64, 32), (Kind.ALLOC, 0, 10), (Kind.GROW, 0, 32))
    trace = write(tmp_path / "own.hst", events, ["p\x1b[2J"], rule="")
    done = run("fit", "--pools", trace)
    assert done.exit_code == 0
    assert "does not tell how its pools grow" in " ".join(done.stdout.split())
    assert "\x1b" not in done.stdout
    document = valid(run("fit", "--pools", trace, "--json", "-").stdout)
    assert document["advice"] is None
    assert document["traces"][0]["peak"]["allocated"] == 96
    assert run("fit", "--pools", trace, "--sizes", "all=128:128").exit_code == 2


def test_a_header_larger_than_all_sizes_has_advice(tmp_path: Path) -> None:
    rule = "pjlib pool=9000 block=20 align=4 sizes=256 512"
    reported = ((Kind.CREATE, 0, 10000, 512), (Kind.ALLOC, 0, 600))
    document = valid(
        run(
            "fit",
            "--pools",
            write(tmp_path / "t.hst", rows(*reported), ["p"], rule=rule),
            "--json",
            "-",
        ).stdout
    )
    assert document["advice"]["chosen"]["allocated"] <= 10000


def test_the_increment_is_reported_whatever_the_option_is_called(tmp_path: Path) -> None:
    results = [(Kind.CREATE, pool, 1024, 512) for pool in range(4)]
    names = ["rtd%p@PJSIP_POOL_RDATA_LEN", "x@MY_SIZE", "y@A_LENGTH", "z@Z_LEN"]
    lines = run(
        "fit", "--pools", write(tmp_path / "t.hst", rows(*results), names)
    ).stdout.splitlines()
    texts = [line for line in lines if line.startswith(("#define", "/*"))]
    assert [line.split()[1] for line in texts if "LEN " in line] == [
        "PJSIP_POOL_RDATA_LEN",
        "Z_LEN",
    ]
    assert any(line.startswith("#define PJSIP_POOL_RDATA_INC ") for line in texts)
    assert any(line.startswith("#define Z_INC ") for line in texts)
    assert any(line.startswith("/* pools of MY_SIZE: increment ") for line in texts)
    assert any(line.startswith("/* pools of A_LENGTH: increment ") for line in texts)


def test_a_name_does_not_end_the_comment(tmp_path: Path) -> None:
    trace = write(tmp_path / "t.hst", rows((Kind.CREATE, 0, 1024, 512)), ["a*/ int b; /*"])
    assert "/* pool a* / int b; /*: initial 256, increment" in run("fit", "--pools", trace).stdout


def test_what_is_not_counted_is_stated(tmp_path: Path, small: Path) -> None:
    reported = (
        (Kind.ALLOC, 5, 256),
        (Kind.CREATE, 0, 256, 0),
        (Kind.ALLOC, 0, 1000),
        (Kind.RELEASE, 0),
        (Kind.ALLOC, 0, 8),
    )
    document = valid(
        run(
            "fit", "--pools", write(tmp_path / "t.hst", rows(*reported), ["p"]), "--json", "-"
        ).stdout
    )
    text = " ".join(document["messages"])
    assert "2 events of pools whose creation is not in the trace" in text
    assert "1 request could not be served" in text
    assert not valid(run("fit", "--pools", small, "--json", "-").stdout)["messages"]


def test_nothing_better_is_stated_so(tmp_path: Path) -> None:
    reported = ((Kind.CREATE, 0, 256, 512), (Kind.ALLOC, 0, 8))
    done = run("fit", "--pools", write(tmp_path / "t.hst", rows(*reported), ["p"]))
    assert "No other sizes were found that hold less" in " ".join(done.stdout.split())
    assert "/* pool" not in done.stdout


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--sizes", "all"), "not NAME=INITIAL:INCREMENT"),
        (("--sizes", "all=0:128"), "not NAME=INITIAL:INCREMENT"),
        (("--sizes", "all=128:"), "not NAME=INITIAL:INCREMENT"),
        (("--sizes", "all=999999999"), "not NAME=INITIAL:INCREMENT"),
        (("--sizes", "STUN_TDTA=1:2"), "STUN_TDTA"),
        (("--sizes", "glck=128:128"), "glck"),
        (("--calls", "-1"), "--calls"),
    ],
)
def test_words_that_say_nothing(words: tuple[str, ...], text: str) -> None:
    done = run("fit", "--pools", captured("ice_plain"), *words)
    assert done.exit_code == 2
    assert text in done.stderr


def test_traces_that_say_nothing(tmp_path: Path, small: Path) -> None:
    done = run("fit", "--pools", CAPTURED / "tls35_ec_4k_4k.hst.zst")
    assert done.exit_code == 2
    assert "no pool events in it" in done.stderr
    assert "heapscope import" in done.stderr
    assert run("fit", "--pools", tmp_path / "gone.hst").exit_code == 2
    events = rows((Kind.CREATE, 0, 256, 512))
    for rule in (
        "pjlib",
        "pjlib pool=x block=1 align=4",
        "pjlib pool=1 block=1 align=3",
        "pjlib pool=0 block=0 align=1 sizes=0 256",
    ):
        bad = write(tmp_path / "bad.hst", events, ["p"], rule=rule)
        done = run("fit", "--pools", bad)
        assert done.exit_code == 2
        assert rule in done.stderr
    done = run("fit", "--pools", small, captured("ice_plain"))
    assert done.exit_code == 2
    assert "count differently" in done.stderr
    trace = write(tmp_path / "short.hst", rows((Kind.CREATE, 0, 64, 512)), ["p"])
    done = run("fit", "--pools", trace)
    assert done.exit_code == 2
    assert "first block is smaller than its own header" in done.stderr
    assert "--sizes" not in done.stderr
    done = run(
        "fit", "--pools", small, "--sizes", "all=100", "--json", "-"
    )  # rounded to what has room
    assert done.exit_code == 0
    for row in ((Kind.CREATE, 0, 1 << 62, 512), (Kind.CREATE, 0, 256, (1 << 64) - 1)):
        done = run("fit", "--pools", write(tmp_path / "huge.hst", rows(row), ["p"]))
        assert done.exit_code == 2
        assert f"a pool event of {max(row):,} bytes" in done.stderr
    cut = tmp_path / "cut.hst"
    cut.write_bytes(small.read_bytes()[:-30])
    assert run("fit", "--pools", cut).exit_code == 0 or "cut" in run("fit", "--pools", cut).stderr
