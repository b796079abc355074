"""README's picture shows the report of today: its words, and in the browser its looks."""

from __future__ import annotations

import re
import sys
import warnings
from functools import partial
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parent))

from pictures import LIMIT, difference, kept_with
from readme_picture import ROOT, changed, kept_words, taken, words
from window import built_with


def test_its_words_are_those_of_the_report(gateway: Any) -> None:
    assert kept_words() == words(gateway.page), "take it anew: make pictures"


def test_readme_tells_the_same_figures() -> None:
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    match = re.search(r"Under 4\.3\.2 it has none after ([\d ]+) of ([\d ]+) events", readme)
    assert match is not None
    failed, events = (figure.replace(" ", ",") for figure in match.groups())
    assert f"after each of the {events} events, would have failed {failed} times" in kept_words()


def test_it_looks_like_the_report(chromium: Any, gateway: Any) -> None:
    text = changed(taken(chromium, gateway.page), partial(difference, limit=LIMIT))
    before, now = kept_with(), built_with(chromium)
    if text and before != now:
        warnings.warn(f"pictures made with {before}, this is {now}: {text}", stacklevel=1)
        text = ""
    assert text == "", "if it is meant to look so: make pictures"
