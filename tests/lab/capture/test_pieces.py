"""A reader makes the same of a file wherever the pieces end in which its bytes come, and with or
without a newline at the end of the last line."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import pytest

import heapscope as hs
from heapscope.trace import source

HERE = Path(__file__).parent
CORPUS = HERE.parents[1] / "fuzz" / "corpus" / "import"
sys.path.append(str(HERE))

from systemview_writer import Core, recording  # noqa: E402


def svdat() -> bytes:
    core = Core()
    core.begin()
    for index in range(20):
        core.alloc(0x3FFC0000 + 64 * index, 40 + index, 0x400D0001, at=20 + index)
    return recording(core)


#: Each ends with a line that matters.
TEXTS = {
    "text": ("a 1 100\nf 1\n", "a 1 100\nf 1\n[5] a 2 100\n", "a 1 100 @x\n", "a 1 9 @x;y\n"),
    "heaptrack": (
        (CORPUS / "heaptrack.txt").read_text(),
        "v 10400 3\nt 1 0\na 64 1\n+ 0\n- 0\n+ 0\n",
    ),
    "mtrace": ((CORPUS / "mtrace.txt").read_text(), "= Start\n@ a:[0x1] + 0x100 0x20\n"),
    "pjsip": ((HERE.parent / "pools" / "pjsua.log").read_text(),),
    "esp-idf": tuple(path.read_text()[-20_000:] for path in sorted((HERE / "logs").glob("*.log"))),
}
LINES = [(form, text.encode()) for form, texts in TEXTS.items() for text in texts]
CASES = [*LINES, ("systemview", svdat())]


def imported(form: str, data: bytes, folder: Path) -> tuple[dict[str, Any], bytes]:
    (folder / "in").write_bytes(data)
    out = folder / "T.hst"
    out.unlink(missing_ok=True)
    document = hs.import_(folder / "in", out, form=form).to_json()
    if "notes" in document:  # the number at the end of a log may be cut
        document["notes"] = [note for note in document["notes"] if "has no end" not in note]
    return document, out.read_bytes() if out.exists() else b""


@pytest.mark.parametrize(("form", "data"), LINES)
def test_the_last_line_needs_no_newline(form: str, data: bytes, tmp_path: Path) -> None:
    assert imported(form, data.rstrip(b"\r\n"), tmp_path) == imported(form, data, tmp_path)


@pytest.mark.parametrize(("form", "data"), CASES)
def test_pieces_may_end_anywhere(
    form: str, data: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    whole = imported(form, data, tmp_path)
    sizes = (1, *(random.Random(f"{seed} {form}").randrange(2, 300) for _ in range(3)))
    for size in sizes:
        monkeypatch.setattr(source, "BLOCK", size)
        assert imported(form, data, tmp_path) == whole, size
