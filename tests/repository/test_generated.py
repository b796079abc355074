"""Every generated file is what its generator makes; `make generated` makes all of them."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GENERATORS = runpy.run_path(str(ROOT / "docs" / "generators" / "__main__.py"))


#: The page rests on fits, which take long.
SLOW = {"docs/reference/measured-effects.md"}


@pytest.mark.parametrize(
    "files",
    [
        pytest.param(one, marks=pytest.mark.slow if one in SLOW else ())
        for one in GENERATORS["GENERATORS"]
    ],
)
def test_a_generated_file_is_fresh(files: str) -> None:
    assert list(ROOT.glob(files)), "no such file yet: run `make generated`"
    done = GENERATORS["run"](files, check=True)
    assert done.returncode == 0, f"stale: run `make generated`\n{done.stdout}{done.stderr}"


def test_a_page_that_says_that_it_is_generated_has_a_generator() -> None:
    says = re.compile(r"`make generated`\s+makes")
    pages = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "docs" / "reference").iterdir()
        if path.suffix == ".md" and says.search(path.read_text(encoding="utf-8"))
    }
    assert pages
    assert pages <= set(GENERATORS["GENERATORS"])
