"""A check as JUnit XML, in the form that CI systems read: a suite for each run, a case for each
budget."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from heapscope.base.languages import xml_characters
from heapscope.fleet.budgets.check_result import BROKEN, UNKNOWN, BudgetRow, CheckResult

_BASELINE = "baseline"


def junit(result: CheckResult) -> str:
    """A budget that is broken is a failure, one that cannot be told is an error."""
    runs: dict[str, list[BudgetRow]] = {}
    for row in result.budgets:
        runs.setdefault(row.run, []).append(row)
    root = Element("testsuites", name="heapscope check")
    for run, rows in runs.items():
        _suite(root, run, rows)
    if result.baseline:
        worse = result.worse
        suite = SubElement(root, "testsuite", {"name": _BASELINE} | _counts(1, bool(worse), 0))
        case = SubElement(suite, "testcase", name=_BASELINE, classname="heapscope", time="0")
        if worse:
            lines = [
                f"{row.run}, {row.section}, {row.name}: {row.before:,.0f} became {row.after:,.0f}"
                for row in worse
            ]
            message = f"{len(worse):,} figures are worse than in {result.baseline}"
            failure = SubElement(case, "failure", message=xml_characters(message), type="worse")
            failure.text = xml_characters("\n".join(lines))
    cases, failures, errors = (
        sum(int(suite.get(name, "0")) for suite in root) for name in ("tests", "failures", "errors")
    )
    root.attrib |= _counts(cases, failures, errors)
    ElementTree.indent(root, " ")
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        + ElementTree.tostring(root, encoding="unicode")
        + "\n"
    )


def _suite(root: Element, run: str, rows: Sequence[BudgetRow]) -> None:
    broken = sum(row.status == BROKEN for row in rows)
    unknown = sum(row.status == UNKNOWN for row in rows)
    suite = SubElement(
        root, "testsuite", {"name": xml_characters(run)} | _counts(len(rows), broken, unknown)
    )
    for row in rows:
        where = ".".join(filter(None, ("heapscope", run, row.memory)))
        name = f"{row.budget} of {row.source}"
        case = SubElement(
            suite, "testcase", name=xml_characters(name), classname=xml_characters(where), time="0"
        )
        if row.status in (BROKEN, UNKNOWN):
            kind = "failure" if row.status == BROKEN else "error"
            sub_element = SubElement(
                case, kind, message=xml_characters(row.sentence), type=row.status
            )
            sub_element.text = xml_characters(" ".join(filter(None, (row.sentence, row.cause))))


def _counts(tests: int, failures: int, errors: int) -> dict[str, str]:
    return {
        "tests": str(int(tests)),
        "failures": str(int(failures)),
        "errors": str(int(errors)),
        "skipped": "0",
        "time": "0",
    }
