"""The forms for other programs keep the rules of their published schemas."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from tests.lab.budgets.conftest import POOL, Check
from tests.lab.conftest import MakeTrace

from heapscope.fleet.budgets.badge import badge
from heapscope.fleet.budgets.check_result import CheckResult
from heapscope.fleet.budgets.junit import junit
from heapscope.fleet.budgets.sarif import sarif

#: The attributes that the JUnit schema of CI systems requires, by element.
SUITE = {"name", "tests", "failures", "errors"}
CASE = {"name", "classname"}


@pytest.fixture
def result(make_trace: MakeTrace, checked: Check) -> CheckResult:
    make_trace('t n<&\x1b"e', "a 1 5000", "a 2 60000")
    return checked(
        f'{POOL}[budget]\nfailures = 0\nmin_free = 9\nmatch_rate = 9\n[[run]]\nname = "<x>&"\n'
        'trace = "T.hst"\n'
    )


def test_junit_counts_what_it_lists(result: CheckResult) -> None:
    root = ElementTree.fromstring(junit(result))
    assert root.tag == "testsuites"
    for element in (root, *root.iter("testsuite")):
        assert set(element.attrib) >= SUITE
        cases = list(element.iter("testcase"))
        assert int(element.attrib["tests"]) == len(cases)
        for kind in ("failure", "error"):
            results = [case for case in cases if case.find(kind) is not None]
            assert int(element.attrib[f"{kind}s"]) == len(results)
    for case in root.iter("testcase"):
        assert set(case.attrib) >= CASE
        assert len(case) <= 1
        for child in case:
            assert {"message", "type"} <= set(child.attrib)
    assert len(root.findall(".//failure")) == 1
    assert len(root.findall(".//error")) == 1


def test_sarif_has_what_its_schema_requires(result: CheckResult) -> None:
    document = sarif(result)
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    assert run["results"]
    for one in run["results"]:
        assert rules[one["ruleIndex"]]["id"] == one["ruleId"]
        assert one["level"] in ("none", "note", "warning", "error")
        assert one["message"]["text"]
        place = one["locations"][0]["physicalLocation"]
        assert place["region"]["startLine"] >= 1
        assert re.fullmatch(r"[A-Za-z0-9/._~%-]+", place["artifactLocation"]["uri"])
    lines = {
        one["ruleId"]: one["locations"][0]["physicalLocation"]["region"]["startLine"]
        for one in run["results"]
    }
    assert lines["failures"] == 5


def test_the_badge_is_a_picture_with_its_text(result: CheckResult) -> None:
    root = ElementTree.fromstring(badge(result))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.attrib["aria-label"] == "heap budgets: 2 failing"


def test_the_result_is_read_again_as_it_was_written(result: CheckResult) -> None:
    assert CheckResult.from_json(result.to_json()) == result
