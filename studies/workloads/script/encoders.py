"""Counts what a day's values cost as JSON and as CBOR, by how the engine is built.

    python studies/workloads/script/encoders.py [--out F]

The firmware of the script-heap study has one option of Duktape that is not the default,
DUK_USE_JSON_STRINGIFY_FASTPATH (its repository, 25749b1ca). The engine is built as it comes and
with this option; requests are those that its heap gets, instructions are callgrind's of a 32-bit
x86 build at -Os, the recorder's included.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from script.jobs import DUMPED
from script.make import HERE, repeatable, script_options
from tls.accesses import SMALL
from tools.commands import exit_with, make_table
from tools.compiler import OWN, compile_all, link, recorder
from tools.places import BUILD, MissingError, run
from tools.sources import duktape

NAME = "script_encoders"
SCRIPT = HERE / "encoders.js"
DEFAULT = "#undef DUK_USE_JSON_STRINGIFY_FASTPATH"
JOBS = {"JSON": "filled", "CBOR": "let go"}  #: and the mark before each
MARKED = re.compile(r"^(.+?) +live .* requests +(\d+)$", re.MULTILINE)


def _headers() -> Path:
    """The engine's headers with the option."""
    folder = BUILD / "generated" / "stringify"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(duktape() / "duktape.h", folder)
    text = (duktape() / "duk_config.h").read_text("utf-8")
    if text.count(DEFAULT) != 1:
        raise RuntimeError("duk_config.h no longer has the option where it was")
    (folder / "duk_config.h").write_text(text.replace(DEFAULT, DEFAULT.replace("undef", "define")))
    return folder


def _program(*, fast: bool) -> Path:
    before = (f"-I{_headers()}",) if fast else ()
    options = (*before, *script_options(), *SMALL)
    own = compile_all([HERE / "script.c", HERE / "engine.c"], options=(*options, *OWN))
    engine = compile_all([repeatable()], options=(*options, "-Dgettimeofday=hs_script_clock"))
    return link(f"encoders_{'fast' if fast else 'plain'}", [*own, *engine, *recorder()])


def _counts(*, fast: bool) -> list[dict[str, object]]:
    program = _program(fast=fast)
    with tempfile.TemporaryDirectory() as folder:
        trace, out = Path(folder) / "t.hst", Path(folder) / "dump"
        stated = MARKED.findall(run(program, trace, SCRIPT))
        requests = {name.strip(): int(number) for name, number in stated}
        options = (f"--callgrind-out-file={out}", "--dump-before=hs_rec_mark")
        run("valgrind", "-q", "--tool=callgrind", *options, program, trace, SCRIPT)
        dumps = [Path(f"{out}.{number}") for number in range(1, len(stated) + 1)]
        spent = [sum(map(int, DUMPED.findall(path.read_text("utf-8")))) for path in dumps]
    order = list(requests)
    return [
        {
            "engine": "with the option" if fast else "as it comes",
            "job": job,
            "requests": requests[job] - requests[before],
            "instructions": spent[order.index(job)],
        }
        for job, before in JOBS.items()
    ]


def count_encoders() -> dict[str, object]:
    if shutil.which("valgrind") is None:
        raise MissingError("valgrind; Debian package: valgrind")
    return {
        "program": "Duktape 2.99.99, encoders.js: 5 x 1440 values",
        "option": "DUK_USE_JSON_STRINGIFY_FASTPATH",
        "jobs": [*_counts(fast=False), *_counts(fast=True)],
    }


def main() -> int:
    return make_table(__doc__ or "", NAME, count_encoders)


if __name__ == "__main__":
    exit_with(main)
