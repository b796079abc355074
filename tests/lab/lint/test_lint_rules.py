"""Every check of every rule: lines that break it, lines that do not, and what mends it."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from heapscope.config.config import Config
from heapscope.config.expression import names
from heapscope.config.kconfig.names import name_in, releases_with
from heapscope.config.kconfig.table import RELEASES, chips_of, option_table
from heapscope.config.lint.find import lint
from heapscope.config.lint.fix import fragment, mend
from heapscope.config.rules import AREAS, HARD, Rule, all_rules, rule

MakeConfig = Callable[..., Config]
CASES: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "cases.toml").read_text(encoding="utf-8")
)["case"]
#: The published list has so many rules in each area.
PUBLISHED = {"W": 26, "L": 17, "T": 10, "P": 13, "M": 19, "S": 6}


def title(case: dict[str, Any]) -> str:
    return f"{case['rule']}-{case['check']}-{case['bad'].replace(' ', ',')}"


def broken(configure: MakeConfig, case: dict[str, Any], text: str) -> bool:
    config = configure(text, chip=case.get("chip", "esp32"), idf=case.get("idf", "5.5"))
    judged = rule(case["rule"])
    if isinstance(case["check"], int) and judged.severity != "K":  # those Kconfig keeps itself
        check = judged.checks[case["check"]]
        assert check.counts_in(config.sdk)
        return check.broken(config) is True
    return any(finding.rule == case["rule"] for finding in lint(config).findings)


@pytest.mark.parametrize("case", CASES, ids=title)
def test_a_rule_speaks_up_and_keeps_quiet(configure: MakeConfig, case: dict[str, Any]) -> None:
    assert broken(configure, case, case["bad"])
    assert not broken(configure, case, case["good"])


@pytest.mark.parametrize("case", CASES, ids=title)
def test_a_finding_names_its_line(configure: MakeConfig, case: dict[str, Any]) -> None:
    config = configure(case["bad"], chip=case.get("chip", "esp32"), idf=case.get("idf", "5.5"))
    matches = [each for each in lint(config).findings if each.rule == case["rule"]]
    assert matches
    for finding in matches:
        assert 1 <= finding.line <= len(case["bad"].split())
        written = case["bad"].split()[finding.line - 1]
        assert written.startswith(finding.option)
        assert finding.message
        assert "?" not in finding.message
        assert finding.write or finding.remove or case["rule"] == "unlisted"


@pytest.mark.cells(40)
@pytest.mark.parametrize("case", CASES, ids=title)
def test_what_is_to_be_written_mends_it(
    configure: MakeConfig, case: dict[str, Any], tmp_path: Path
) -> None:
    """No error is left with the fragment, given last, and without the named lines."""
    chip, idf = case.get("chip", "esp32"), case.get("idf", "5.5")
    config = configure(case["bad"], chip=chip, idf=idf)
    fix = mend(config)
    gone = {line for finding in fix.left for _, _, line in finding.remove}
    kept = [text for line, text in enumerate(case["bad"].split(), 1) if line not in gone]
    text = " ".join(kept) or "MY_OWN=y"
    mended = configure(text, fragment(config, fix), chip=chip, idf=idf)
    left = [finding for finding in lint(mended).findings if finding.hard]
    assert left == []


ADVICE = [case for case in CASES if isinstance(case["check"], int) and not rule(case["rule"]).hard]


@pytest.mark.parametrize("case", ADVICE, ids=title)
def test_advice_mends_what_it_is_about(configure: MakeConfig, case: dict[str, Any]) -> None:
    config = configure(case["bad"], chip=case.get("chip", "esp32"), idf=case.get("idf", "5.5"))
    check = rule(case["rule"]).checks[case["check"]]
    assert check.broken(config.changed_to(check.replacements(config))) is False


OF_PROJECTS = "kconfig-file"  # it needs more than a file: test_lint_project.py has its cases


def wanted() -> Iterator[tuple[str, int | str]]:
    for each in all_rules():
        yield from ((each.id, number) for number in range(len(each.checks)))
        if each.ranges:
            yield each.id, "range"
        elif each.area == "lines" and each.id != OF_PROJECTS:
            yield each.id, "lines"


def test_no_check_is_without_both_cases() -> None:
    assert {(case["rule"], case["check"]) for case in CASES} == set(wanted())


@pytest.mark.parametrize("each", all_rules(), ids=lambda each: each.id)
def test_a_rule_is_checked_or_says_why_not(each: Rule) -> None:
    checked = bool(each.checks) or bool(each.ranges) or each.area == "lines"
    assert checked != bool(each.undecided)
    assert each.text
    assert each.source


def test_every_published_rule_is_in_the_table_once() -> None:
    ids = [each.id for each in all_rules()]
    assert len(set(ids)) == len(ids)
    expected = {f"{area}{n}" for area, count in PUBLISHED.items() for n in range(1, count + 1)}
    assert {each.id for each in all_rules() if each.area != "lines"} == expected
    assert {each.area for each in all_rules()} == set(AREAS)
    assert HARD == ("B", "K", "R")


def test_rules_speak_of_options_that_there_are() -> None:
    used = {
        name
        for each in all_rules()
        for check in each.checks
        for name in (*names(check.when), *names(check.must), *check.lines, *check.instead)
        if not name.startswith("IDF_TARGET_")
    }
    assert [name for name in used if not releases_with(name)] == []


BUILDS = [(release, chip) for release in RELEASES for chip in chips_of(release)]


@pytest.mark.cells(30)
@pytest.mark.parametrize(("release", "chip"), BUILDS)
def test_nothing_is_stated_against_the_defaults(
    configure: MakeConfig, release: str, chip: str
) -> None:
    """With PSRAM, where the chip has it, too."""
    assert lint(configure("#\n", chip=chip, idf=release)).findings == ()
    table = option_table(release, chip)
    name = name_in(table, "SPIRAM")
    if name is not None and table.symbols[name].prompt is not None:
        assert lint(configure(f"{name}=y", chip=chip, idf=release)).findings == ()
