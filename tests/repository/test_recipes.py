"""Each recipe of docs/recipes is followed to its end on a copy of the tree: every place that shows
the addition has it, and the copy without it is the tree as it was."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import jsonschema
import pytest

from ..lab.sums.views import Page

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "docs" / "recipes"
STEP = re.compile(
    r"^(?P<verb>Write|In) `(?P<path>[^`]+)`"
    r"(?:, (?P<side>before|after)(?P<first> the first)? `(?P<anchor>[^`]+)`)?"
    r"[^\n]*\n(?:[^`\n][^\n]*\n)*\n```\w+\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
COPIED = ("CMakeLists.txt", "cmake", "device", "docs/generators", "docs/reference", "lab")
# Runs the command of the copy: an editable installation would find the package of this tree.
COMMAND = """
import sys
sys.meta_path[:] = [f for f in sys.meta_path if "editable" not in type(f).__module__]
sys.path.insert(0, sys.argv.pop(1))
from heapscope.cli.entry import main
main()
"""
EVENTS = "t net\na 1 1000\n! connected\na 2 24\nf 1\na 3 3000\n"


@dataclass(frozen=True, kw_only=True)
class Step:
    path: str
    text: str
    anchor: str  # empty: the text is the whole file
    after: bool
    first: bool  # of several lines that begin with the anchor


@dataclass(frozen=True, kw_only=True)
class Tree:
    """A copy of the tree, with the library that this tree has built."""

    root: Path
    trace: Path

    def run(self, *arguments: object) -> str:
        command = [sys.executable, "-c", COMMAND, self.root / "lab", *arguments]
        return self._done([str(part) for part in command])

    def generate(self, script: str) -> None:
        """Runs a generator of the copy on the copy."""
        path = self.root / "docs" / "generators" / script
        code = f"import runpy; runpy.run_path({str(path)!r}, run_name='__main__')"
        start = (
            COMMAND.partition("from heapscope")[0] + f"sys.path.insert(0, {str(path.parent)!r})\n"
        )
        self._done([sys.executable, "-c", start + code, str(self.root / "lab")])

    def page(self, name: str) -> str:
        return (self.root / "docs" / "reference" / name).read_text(encoding="utf-8")

    def report(self, *options: str) -> str:
        """The HTML page of the trace."""
        out = self.root / "report.html"
        self.run("report", self.trace, *options, "-o", out)
        return out.read_text(encoding="utf-8")

    def build(self) -> None:
        """The native library of the copy, quickly rather than well optimised."""
        build, tools = self.root / "build", Path(sys.executable).parent
        options = [f"-DCMAKE_MAKE_PROGRAM={tools / 'ninja'}", "-DCMAKE_BUILD_TYPE=Debug"]
        cmake = str(tools / "cmake")
        self._done([cmake, "-G", "Ninja", "-S", str(self.root), "-B", str(build), *options])
        self._done([cmake, "--build", str(build), "--target", "heapscope_lab"])
        libraries = {".so", ".dylib", ".dll"}
        (library,) = (p for p in build.glob("*heapscope_lab.*") if p.suffix in libraries)
        native = self.root / "lab" / "heapscope" / "native"
        shutil.copy(library, native)
        declare = [sys.executable, str(self.root / "cmake" / "declare.py")]
        self._done([*declare, str(self.root / "lab" / "native"), str(native / "declarations.py")])

    def lint(self, changed: Iterable[Path]) -> None:
        """Style and types of these files, as `make lint` asks for them."""
        tools, settings = Path(sys.executable).parent, str(ROOT / "pyproject.toml")
        python = [str(path) for path in changed if path.suffix == ".py"]
        native = [str(path) for path in changed if path.suffix in {".c", ".h"}]
        if python:
            ruff = str(tools / "ruff")
            self._done([ruff, "check", "--no-cache", "--config", settings, *python])
            self._done([ruff, "format", "--no-cache", "--check", "--config", settings, *python])
            self._done([str(tools / "mypy"), "--config-file", settings, *python])
        if native:
            style = f"--style=file:{ROOT / '.clang-format'}"
            self._done([str(tools / "clang-format"), "--dry-run", "-Werror", style, *native])

    def _done(self, command: list[str]) -> str:
        variables = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        done = subprocess.run(
            command,
            cwd=self.root,
            env=variables | {"COLUMNS": "200", "TERM": "dumb"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def seen(page: str) -> str:
    """The part of a page that is shown, without its scripts."""
    return page[page.index("<main") : page.index("</main>")]


def steps(recipe: str) -> list[Step]:
    text = (RECIPES / f"{recipe}.md").read_text(encoding="utf-8")
    return [
        Step(
            path=match["path"],
            text=match["text"],
            anchor=match["anchor"] or "",
            after=match["side"] == "after",
            first=match["first"] is not None,
        )
        for match in STEP.finditer(text)
    ]


def follow(tree: Tree, recipe: str) -> dict[Path, str | None]:
    """Takes every step. The result is what the files were, for undo()."""
    before: dict[Path, str | None] = {}
    for step in steps(recipe):
        path = tree.root / step.path
        old = path.read_text(encoding="utf-8") if path.exists() else None
        before.setdefault(path, old)
        if not step.anchor:
            assert old is None, f"{step.path} is there already"
            path.write_text(step.text, encoding="utf-8")
            continue
        lines = (old or "").splitlines(keepends=True)
        at = [number for number, line in enumerate(lines) if line.startswith(step.anchor)]
        assert len(at) == 1 or (at and step.first), f"{step.path}: {len(at)} times: {step.anchor}"
        lines.insert(at[0] + step.after, step.text)
        path.write_text("".join(lines), encoding="utf-8")
    tree.lint(before)
    return before


def undo(before: dict[Path, str | None]) -> None:
    for path, text in before.items():
        if text is None:
            path.unlink()
        else:
            path.write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    root = tmp_path_factory.mktemp("tree")
    for name in COPIED:
        source = ROOT / name
        ignored = shutil.ignore_patterns("__pycache__")
        if source.is_dir():
            shutil.copytree(source, root / name, ignore=ignored)
        else:
            shutil.copy(source, root / name)
    tree = Tree(root=root, trace=root / "T.hst")
    (root / "events.txt").write_text(EVENTS, encoding="utf-8")
    tree.run("import", "--from", "text", root / "events.txt", "-o", tree.trace)
    return tree


@pytest.mark.parametrize("recipe", sorted({p.stem for p in RECIPES.glob("*.md")} - {"README"}))
def test_the_table_counts_the_files_of_a_recipe(recipe: str) -> None:
    table = (RECIPES / "README.md").read_text(encoding="utf-8")
    match = re.search(rf"^\| \[[^]]+\]\({recipe}\.md\) \| (\d+) \|$", table, re.MULTILINE)
    assert match is not None
    assert len({step.path for step in steps(recipe)}) == int(match[1])


@pytest.mark.slow
def test_a_chip_is_added_and_taken_away(tree: Tree) -> None:
    page = tree.page("chips.md")
    before = follow(tree, "chip")
    out = tree.root / "chip.json"
    shown = tree.run("replay", tree.trace, "--chip", "esp32x1", "--json", out)
    assert "ESP32-X1" in shown
    assert "203,612 B in 1 region" in shown  # less the static use that is assumed
    layout = json.loads(out.read_text(encoding="utf-8"))["layout"]
    assert layout["name"].startswith("ESP32-X1")
    assert "ESP32-X1" in seen(tree.report("--chip", "esp32x1"))
    tree.generate("chips_page.py")
    assert "ESP32-X1" in tree.page("chips.md")
    undo(before)
    tree.generate("chips_page.py")
    assert tree.page("chips.md") == page


@pytest.mark.slow  # it builds the library
def test_a_model_is_added_and_taken_away(tree: Tree) -> None:
    before = follow(tree, "model")
    tree.build()
    out = tree.root / "model.json"
    pool = ("replay", tree.trace, "--pool", "8KB", "--allocator", "arena")
    assert "arena" in tree.run(*pool, "--json", out)
    result = json.loads(out.read_text(encoding="utf-8"))
    assert "arena" in json.dumps(result["layout"])
    assert result["summary"]["failures"] == 0
    assert "arena" in seen(tree.report("--pool", "8KB", "--allocator", "arena"))
    assert "arena" in tree.run("fit", tree.trace)
    undo(before)
    tree.build()
    with pytest.raises(AssertionError, match="arena"):
        tree.run(*pool)


@pytest.mark.slow
def test_an_option_is_added_and_taken_away(tree: Tree) -> None:
    page = tree.page("cli.md")
    before = follow(tree, "option")
    out = tree.root / "option.json"
    chip = ("replay", tree.trace, "--chip", "esp32", "--label", "bench")
    assert "T.hst on bench" in tree.run(*chip, "--json", out)
    assert json.loads(out.read_text(encoding="utf-8"))["layout"]["name"] == "bench"
    assert "bench" in seen(tree.report("--chip", "esp32", "--label", "bench"))
    sides = ("--label", "old", "--label", "new", "--idf", "4.2", "--idf", "5.5")
    shown = tree.run("compare", tree.trace, "--chip", "esp32", *sides)
    assert "T.hst on old" in shown
    assert "T.hst on new" in shown
    tree.generate("cli_page.py")
    taking = [part for part in tree.page("cli.md").split("\n## ") if "| `--label TEXT` |" in part]
    assert len(taking) >= 5
    undo(before)
    tree.generate("cli_page.py")
    assert tree.page("cli.md") == page


@pytest.mark.slow
def test_a_verb_is_added_and_taken_away(tree: Tree) -> None:
    page = tree.page("cli.md")
    before = follow(tree, "verb")
    assert "List the marks of a trace." in tree.run("--help")
    out = tree.root / "marks.json"
    shown = tree.run("marks", tree.trace, "--json", out)
    assert re.search(r"^ *connected +1 *$", shown, re.MULTILINE)
    document = json.loads(out.read_text(encoding="utf-8"))
    assert document["heapscope_marks"] == 1
    assert document["marks"] == [{"name": "connected", "event": 1}]
    schema = json.loads(tree.run("--print", "schema", "marks"))
    jsonschema.validate(document, schema)
    assert "The number of heap events before the mark;" in json.dumps(schema)
    tree.generate("cli_page.py")
    assert "## heapscope marks" in tree.page("cli.md")
    undo(before)
    tree.generate("cli_page.py")
    assert tree.page("cli.md") == page


@pytest.mark.slow  # it builds the library
def test_a_figure_is_added_and_taken_away(tree: Tree) -> None:
    schema = tree.run("--print", "schema", "replay")
    before = follow(tree, "figure")
    tree.build()
    out = tree.root / "figure.json"
    shown = tree.run("replay", tree.trace, "--chip", "esp32", "--json", out)
    table = shown[shown.index("Tasks (bytes)") :].split("\n\n")[0]
    assert "largest request" in " ".join(table.split())
    assert "3,000" in table.splitlines()[-1]
    document = json.loads(out.read_text(encoding="utf-8"))
    assert max(task["largest"] for task in document["tasks"]) == 3000
    written = tree.root / "report.md"
    tree.run("report", tree.trace, "--chip", "esp32", "-o", written)
    assert "| largest request |" in written.read_text(encoding="utf-8")
    page = Page(tree.report("--chip", "esp32")).tables["tasks"]
    assert [row["largest request"] for row in page] == ["3,000"]
    assert 'title="The largest request that was served."' in tree.report("--chip", "esp32")
    shown = tree.run("--print", "schema", "replay")
    assert "The largest request that was served." in shown
    jsonschema.validate(document, json.loads(shown))
    undo(before)
    tree.build()
    assert tree.run("--print", "schema", "replay") == schema
