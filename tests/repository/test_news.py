"""News fragments have the form that a release expects, and a release takes all of them."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NEWS = ROOT / "docs" / "news"
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["towncrier"]
KINDS = "|".join(kind["directory"] for kind in SETTINGS["type"])
NAME = re.compile(rf"(?:[1-9][0-9]*|\+[a-z0-9]+(?:-[a-z0-9]+)*)\.(?:{KINDS})\.md")


def fragments() -> list[Path]:
    return sorted(path for path in NEWS.iterdir() if path.name != "README.md")


def faults(name: str, text: str) -> list[str]:
    found = []
    if not NAME.fullmatch(name):
        found.append(f"the name is not NUMBER.KIND.md or +SLUG.KIND.md with a kind of {KINDS}")
    if not re.match(r"[\w`\[-]", text) or text.startswith("- "):
        found.append("the text does not begin with a sentence")
    if not text.endswith(".\n") or "\n\n" in text or len(text.splitlines()) > 6:
        found.append(
            "the text is not one paragraph of at most six lines that ends with a full stop"
        )
    return found


def test_each_fragment_has_the_form() -> None:
    wrong = {path.name: faults(path.name, path.read_text("utf-8")) for path in fragments()}
    assert {name: found for name, found in wrong.items() if found} == {}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("+verb.new.md", "A verb.\n"),
        ("verb.added.md", "A verb.\n"),
        ("+verb.added.md", "- A verb.\n"),
        ("+verb.added.md", "A verb\n"),
        ("+verb.added.md", "A verb.\n\nAnother.\n"),
    ],
)
def test_another_form_is_told(name: str, text: str) -> None:
    assert len(faults(name, text)) == 1


def test_a_release_takes_every_fragment() -> None:
    command = [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "9.9.9"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    lines = {line.strip(" -") for line in done.stdout.splitlines()}
    assert "## [9.9.9]" in done.stdout
    for path in fragments():
        assert path.read_text(encoding="utf-8").splitlines()[0] in lines, path.name
