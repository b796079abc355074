"""How to install it: the page's extras are those of pyproject.toml, and no line asks a package
registry for Heapscope, which none has yet."""

from __future__ import annotations

import re
import tomllib

from heapscope.base.extras import PACKAGES, command

from .marks import tracked
from .page import ROOT

PAGE = (ROOT / "docs" / "guide" / "install.md").read_text(encoding="utf-8")
#: Extras for those who work on Heapscope itself.
OWN = {"dev", "packages", "wheels"}
FROM_A_REGISTRY = re.compile(r"\b(?:pipx? install (?:-\S+ )*|uvx |--from )[\"'\\]*heapscope\b")


def extras() -> dict[str, list[str]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {
        name: [re.split(r"[<>=;\[ ]", one)[0] for one in needed]
        for name, needed in project["optional-dependencies"].items()
        if name not in OWN
    }


def test_the_page_names_every_extra_and_what_it_brings() -> None:
    rows = re.findall(r"^\| `(\w+)` \|.*\| (.*?) ?\|$", PAGE, re.MULTILINE)
    brought = {name: re.findall(r"`([^`]+)`", cell) for name, cell in rows}
    assert brought == {name: extras()[name] if name != "all" else [] for name in brought}
    assert [name for name in extras() if f"`{name}`" not in PAGE] == []
    assert {
        name: set(packages) - {"heapscope"}
        for name, packages in extras().items()
        if name in PACKAGES
    } == {
        name: set(packages) if name != "notebook" else {"anywidget"}
        for name, packages in PACKAGES.items()
    }


def test_a_remedy_installs_the_packages_of_the_extra() -> None:
    for extra, packages in PACKAGES.items():
        words = re.findall(r'"([^"<>=]+)[^"]*"', command(extra))
        assert sorted(words) == sorted(packages)
    assert command("tune") == 'pip install "highspy<1.16,>=1.8"'


def test_no_line_asks_a_registry_for_heapscope() -> None:
    results = [
        f"{path}:{number}: {line}"
        for path in tracked("*.md", "*.py", "*.cmake", "*.j2", "*.js", "Makefile")
        if path.name != "CHANGELOG.md"
        and path.parts[:2] not in {("docs", "news"), ("tests", "guide")}
        for number, line in enumerate((ROOT / path).read_text(encoding="utf-8").split("\n"), 1)
        if FROM_A_REGISTRY.search(line)
    ]
    assert results == []
