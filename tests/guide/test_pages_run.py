"""The commands of every page run, and print what the page shows and quotes."""

from __future__ import annotations

from pathlib import Path

import pytest

from .marks import pages
from .page import Page, matches
from .run import run_page

#: Pages whose commands take more than two seconds of a processor, altogether.
SLOW = {
    *(
        "allocators",
        "arduino",
        "builds",
        "check",
        "cmake",
        "diff",
        "esp-idf",
        "experiments",
        "export",
    ),
    *("firmware", "libc", "own-heap", "place", "pools-trace", "predict", "record", "report"),
    *("sweep", "translate", "tune", "upgrade", "why", "workloads"),
}


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(
            page, id=str(page.path), marks=pytest.mark.slow if page.path.stem in SLOW else ()
        )
        for page in pages()
        if page.commands
    ],
)
def test_the_commands_of_a_page_print_what_it_shows(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outputs = []
    for command, output in run_page(page, tmp_path, monkeypatch):
        outputs.append(output)
        shown = "\n".join(command.shown)
        assert not shown or matches(command.shown, output), (
            f"{page.path}:{command.line}: {command.text}\n-- shown\n{shown}\n-- printed\n{output}"
        )
    for quote in page.quotes:
        assert any(quote.is_in(output) for output in outputs), (
            f"{page.path}:{quote.line} is printed by no command of the page:\n{quote.text}"
        )
