"""`heapscope record` as it is typed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
from recording.programs import Build

from heapscope.cli.schemas import schema_of


def heapscope(*words: object, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "heapscope", *map(str, words)]
    return subprocess.run(command, cwd=cwd, capture_output=True, timeout=120, check=False)


def test_the_summary_is_one_line_and_the_next_command(build: Build, tmp_path: Path) -> None:
    done = heapscope("record", "-o", "T.hst", "--", build("endless"), 1000, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, b".")  # the program's own output, and no more
    summary, following = done.stderr.decode().splitlines()
    assert summary.startswith("T.hst: 2,000 events, live peak 1,000 B, ")
    assert summary.endswith("exit code 0")
    assert following == "next: heapscope replay T.hst"


def test_the_result_as_json_has_its_schema(build: Build, tmp_path: Path) -> None:
    done = heapscope("record", "--json", "R.json", "--", build("forks"), 1, cwd=tmp_path)
    assert done.returncode == 3
    document = json.loads((tmp_path / "R.json").read_text())
    schema = schema_of("record")
    jsonschema.Draft202012Validator(schema).validate(document)
    assert document["exit_code"] == 3
    assert [image["forked"] for image in document["images"]] == [False, True, True]


def test_a_trace_goes_to_a_pipe(build: Build, tmp_path: Path) -> None:
    done = heapscope("record", "-o", "-", "--", build("endless"), 1000, cwd=tmp_path)
    assert done.stderr.startswith(b".")  # what the program says is on standard error then
    (tmp_path / "T.hst").write_bytes(done.stdout)
    info = heapscope("replay", "T.hst", "--json", "-", cwd=tmp_path)
    assert json.loads(info.stdout)["events"]["total"] == 2000


def test_what_a_wrapper_becomes_has_the_name_that_was_given(build: Build, tmp_path: Path) -> None:
    words = ["env", "-i", build("endless"), 1000]
    done = heapscope("record", "-o", "T.hst", "--json", "-", "--", *words, cwd=tmp_path)
    images = json.loads(done.stdout[1:])["images"]
    result = {image["file"]: image["events"] for image in images}
    assert result["T.hst"] == 2000
