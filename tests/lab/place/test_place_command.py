"""`--place` and `--allocator` on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from heapscope.capture.line_forms import import_text
from heapscope.cli.app import app
from heapscope.cli.schemas import schema_of

EVENTS = """t tls
a 1 4000
a 2 5000
t app
a 3 3000
a 4 90000
t tls
a 5 9000
f 3
"""
RULES = """
[[private]]
name = "tls"
size = "12KB"
from = "0x20010000"
[[rule]]
task = "tls"
private = "tls"
[[rule]]
task = "ap"
region = "SLOW"
"""
LAYOUT = """
[[region]]
start = 0x20000000
size = 65536
kind = "FAST"
[[region]]
start = 0x20010000
size = 131072
kind = "SLOW"
"""

Run = Callable[..., Any]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A command line in a folder with T.hst, rules.toml and F.toml: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    for name, text in (("e.txt", EVENTS), ("rules.toml", RULES), ("F.toml", LAYOUT)):
        Path(name).write_text(text, encoding="utf-8")
    import_text(Path("e.txt"), Path("T.hst"))

    def call(*args: str, stdin: bytes | None = None) -> Any:
        done = CliRunner().invoke(app, list(args), input=stdin)
        assert "Traceback" not in done.output
        return done

    return call


def result_of(run: Run, *args: str) -> Any:
    done = run("replay", "T.hst", *args, "--json", "-")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def allocators(run: Run, *args: str) -> list[str]:
    return [row["allocator"] for row in result_of(run, *args)["regions"]]


# ---- --allocator ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("idf-4.2",), ["idf-4.2", "idf-4.2"]),
        (("SLOW=tlsf",), ["idf-5.5", "tlsf"]),
        (("slow=tlsf", "0x20000000=idf-4.2"), ["idf-4.2", "tlsf"]),
        (("idf-4.2", "0x20010000 SLOW=tlsf"), ["idf-4.2", "tlsf"]),
        (("idf-4.2,SLOW=tlsf",), ["idf-4.2", "tlsf"]),
        (("SLOW=tlsf", "idf-4.2"), ["idf-4.2", "idf-4.2"]),
    ],
)
def test_an_allocator_for_all_regions_or_for_one(
    run: Run, options: tuple[str, ...], expected: list[str]
) -> None:
    given = [word for option in options for word in ("--allocator", option)]
    assert allocators(run, "--layout", "F.toml", *given) == expected


def test_one_region_of_a_chip_and_a_pool_can_have_another_allocator(run: Run) -> None:
    result = result_of(run, "--chip", "esp32", "--allocator", "D/IRAM=tlsf")
    assert {(row["kind"], row["allocator"]) for row in result["regions"]} == {
        ("DRAM", "idf-5.5"),
        ("D/IRAM", "tlsf"),
        ("IRAM", "idf-5.5"),
    }
    assert allocators(run, "--pool", "1MB", "--allocator", "pool=idf-4.2") == ["idf-4.2"]
    assert allocators(run, "--pool", "1MB", "--allocator", "idf-4.2") == ["idf-4.2"]


@pytest.mark.parametrize(
    ("option", "message", "remedy"),
    [
        ("SLO=tlsf", "--allocator: unknown region 'SLO'", "did you mean slow? valid: FAST, SLOW"),
        ("SLOW=tslf", "--allocator: unknown allocator 'tslf'", "did you mean tlsf?"),
        ("=tlsf", "--allocator: unknown region ''", "valid: FAST"),
        ("SLOW=", "--allocator: unknown allocator ''", "valid: "),
        (",", "unknown allocator ''", "valid: "),
        ("", "unknown allocator ''", "valid: "),
        ("0x2000=tlsf", "unknown region '0x2000'", "0x20000000 FAST"),
    ],
)
def test_an_allocator_for_nothing_is_refused(
    run: Run, option: str, message: str, remedy: str
) -> None:
    done = run("replay", "T.hst", "--layout", "F.toml", "--allocator", option)
    assert done.exit_code == 2
    text = " ".join(done.stderr.split())
    assert message in text
    assert remedy in text


def test_each_side_of_a_comparison_has_its_allocators(run: Run) -> None:
    sides = ("--allocator", "idf-4.2,SLOW=tlsf", "--allocator", "idf-4.2")
    done = run("compare", "T.hst", "--layout", "F.toml", *sides, "--json", "-")
    document = json.loads(done.stdout)
    assert document["left"]["layout"]["allocators"] == ["idf-4.2", "tlsf"]
    assert document["right"]["layout"]["allocators"] == ["idf-4.2"]


# ---- --place -------------------------------------------------------------------------------------


def test_the_report_says_what_each_rule_did(run: Run) -> None:
    done = run("replay", "T.hst", "--layout", "F.toml", "--place", "rules.toml")
    assert done.exit_code == 0
    words = done.stdout.split()
    line = words[words.index("1:") : words.index("2:")]
    assert line[:3] == ["1:", "task", "tls"]
    assert line[5:10] == ["3", "1", "0", "9,000", "1"]
    assert "196,608 B in 2 regions and 1 private heap" in done.stdout
    assert "rule 2: the trace has no task 'ap'; did you mean app?" in done.stdout
    assert "start-up, private heaps" in done.stdout
    assert "1 of 5 requests failed" in " ".join(words)


def test_the_json_has_what_the_schema_says(run: Run) -> None:
    import jsonschema

    result = result_of(run, "--layout", "F.toml", "--place", "rules.toml")
    schema = schema_of("replay")
    jsonschema.Draft202012Validator(schema).validate(result)
    assert [row["rule"] for row in result["placement"]] == [1, 2, None]
    assert [row["requests"] for row in result["placement"]] == [3, 0, 2]
    assert (
        result["placement"][0] | {"conditions": "task tls", "payload_peak": 9000}
        == (result["placement"][0])
    )
    assert [row["private"] for row in result["regions"]] == [False, False, True]


def test_an_event_placed_by_a_rule_is_explained_by_it(run: Run) -> None:
    place = ("replay", "T.hst", "--layout", "F.toml", "--place", "rules.toml", "--explain")
    text = " ".join(run(*place, "0").stdout.split())
    assert "asked as rule 1 (task tls) for private tls, went to 0x2001" in text
    assert "served: by the rule" in text
    failed = " ".join(run(*place, "4").stdout.split())
    assert "asked as rule 1 (task tls) for private tls, found no place" in failed
    assert "too small" in failed
    assert "not asked" in failed
    other = " ".join(run(*place, "2").stdout.split())
    assert "asked as INTERNAL|DEFAULT" in other
    assert "private" in other


def test_a_comparison_can_have_rules_on_one_side(run: Run) -> None:
    sides = ("--place", "none", "--place", "rules.toml")
    done = run("compare", "T.hst", "--layout", "F.toml", *sides, "--json", "-")
    assert done.exit_code == 0
    document = json.loads(done.stdout)
    rows = {(row["section"], row["name"]): row for row in document["rows"]}
    assert rows["requests", "failed"]["left"] == 0
    assert rows["requests", "failed"]["right"] == 1
    placed = rows["placement", "rule 1, task tls to private tls: refused"]
    assert (placed["left"], placed["right"]) == (None, 1)
    assert document["right"]["layout"]["name"] == "F.toml, placed by rules.toml"
    assert run("compare", "T.hst", "--layout", "F.toml", *sides).exit_code == 0
    same = run("compare", "T.hst", "--pool", "1MB", "--place", "none")
    assert same.exit_code == 2


def test_a_mistake_in_the_rules_is_an_error_with_its_line(run: Run) -> None:
    Path("rules.toml").write_text(RULES.replace('"SLOW"', '"SLOWER"'), encoding="utf-8")
    done = run("replay", "T.hst", "--layout", "F.toml", "--place", "rules.toml")
    text = " ".join(done.stderr.split())
    assert (done.exit_code, done.stdout) == (2, "")
    assert "rules.toml, line 11: rule 2, region: unknown region 'SLOWER'" in text
    assert "did you mean slow?" in text


def test_rules_by_name_and_by_size_take_standard_input(run: Run) -> None:
    data = Path("T.hst").read_bytes()
    on = ("--layout", "F.toml", "--place", "rules.toml", "--digest")
    assert run("replay", "-", *on, stdin=data).stdout == run("replay", "T.hst", *on).stdout != ""
    Path("rules.toml").write_text('[[rule]]\nmin = "50KB"\nregion = "SLOW"', encoding="utf-8")
    assert run("replay", "-", *on, stdin=data).stdout == run("replay", "T.hst", *on).stdout != ""
