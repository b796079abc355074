"""The verb `log`: a log in, an answer out."""

from __future__ import annotations

from pathlib import Path

import jsonschema

import heapscope as hs
from heapscope.base.rows.schema import schema
from heapscope.logs.answer.log_result import LogResult

FAILED = (
    "I (18840) app: Free heap: 24040 bytes, largest free block: 9204 bytes\n"
    "E (18852) app: heap_caps_malloc was called but failed to allocate 12289 bytes with 0x1800 "
    "capabilities.\n"
)


def answered(tmp_path: Path, text: str, **options: object) -> LogResult:
    path = tmp_path / "device.log"
    path.write_text(text)
    result = hs.log(path, **options)  # type: ignore[arg-type]
    jsonschema.validate(result.to_json(), schema(LogResult))
    return result


def test_a_failed_request_is_reported_with_its_size_and_what_was_free(tmp_path: Path) -> None:
    result = answered(tmp_path, FAILED, need=[12289])
    answer = result.answer
    assert (answer.free, answer.largest, answer.fits, answer.short) == (24040, 9204, False, 3085)
    assert [(one.size, one.capabilities) for one in answer.failed] == [(12289, "INTERNAL|DEFAULT")]
    assert result.verdict[0].startswith(
        "A request of 12,289 B by heap_caps_malloc with INTERNAL|DEF"
    )
    assert result.verdict[1].startswith("12,289 B would not fit")
    assert {2} <= {row.line for row in result.rests_on}


def test_a_log_without_a_heap_is_declined_with_the_reason(tmp_path: Path) -> None:
    answer = answered(tmp_path, "W (155851) httpd: error in accept (23)\n").answer
    assert answer.form is None
    assert answer.declines == "a line only looks like one about it: too many open sockets"


def test_a_log_with_lines_of_its_own_alone_is_shown_how_to_name_their_figures(
    tmp_path: Path,
) -> None:
    own = "[HEAP];181234;98304\n[HEAP];171234;88304\n"
    (reported,) = answered(tmp_path, own).settles
    pattern = reported.partition("--figure '")[2].partition("'")[0]
    named = answered(tmp_path, own, figure=[pattern])
    assert (named.answer.free, named.answer.largest) == (171234, 88304)
    assert named.settles == ()
