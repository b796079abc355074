"""--json-brief: every verb with an answer has it in at most 2 KB, in place of its tables."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from heapscope.cli.app import app

MakeTrace = Callable[..., Path]

COMMANDS = {
    "fit": "T.hst --allocator heap_4",
    "why": "T.hst --pool 1KB",
    "place": "T.hst --chip esp32 --idf 5.5",
    "export": "T.hst --to csv -o {folder}/out.csv",
    "report": "T.hst --pool 64KB -o {folder}/out.html",
    "import": "{folder}/lines.txt -o {folder}/in.hst",
    "lint": "{folder}/sdkconfig",
}


@pytest.mark.parametrize("verb", COMMANDS)
def test_the_short_form_takes_the_place_of_the_tables(
    verb: str, make_trace: MakeTrace, tmp_path: Path
) -> None:
    trace = make_trace("t net", *(f"a {n} {100 + n}" for n in range(200)), "f 1")
    (tmp_path / "lines.txt").write_text("t main\na 1 100\nf 1\n")
    (tmp_path / "sdkconfig").write_text('CONFIG_IDF_TARGET="esp32"\nCONFIG_LWIP_MAX_SOCKETS=10\n')
    words = COMMANDS[verb].replace("T.hst", str(trace)).format(folder=tmp_path).split()
    done = CliRunner().invoke(app, [verb, *words, "--json-brief", "-"])
    assert len(done.stdout) <= 2048
    document = json.loads(done.stdout)
    assert document["answer"], done.output
