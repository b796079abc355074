"""The pages of the site: the repository's Markdown, and what it links to, in the same folders."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

#: Where the walk over links begins.
ROOTS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
FOLDERS = ("docs/guide", "docs/reference", "docs/design", "docs/recipes")

_LINK = re.compile(r"(!?\[[^\]]*\]\()([^)\s#]+)(#[^)]*)?(\))")
_ITEM = re.compile(r"^( *)([-*]|\d+\.)( +)(?=\S)")
_PICTURES = (".png", ".svg")
_LANGUAGES = {".py": "python", ".h": "c", ".c": "c", ".json": "json", ".yml": "yaml"}


def make_source(root: Path, out: Path) -> list[str]:
    """Fills the folder `out` and returns the pages, as paths from it."""
    shutil.rmtree(out, ignore_errors=True)
    waiting = [name for name in ROOTS if (root / name).is_file()]
    for folder in FOLDERS:
        waiting += sorted(
            path.relative_to(root).as_posix() for path in (root / folder).glob("*.md")
        )
    known = set(waiting)
    pages = []
    while waiting:
        name = waiting.pop(0)
        source, place = root / name, out / shown_as(root, name)
        place.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix in _PICTURES:
            shutil.copyfile(source, place)
            continue
        pages.append(place.relative_to(out).as_posix())
        if source.suffix == ".md":
            text = source.read_text(encoding="utf-8")
            linked = list(_targets(root, name, text))
            waiting += [target for target in dict.fromkeys(linked) if target not in known]
            known.update(linked)
            place.write_text(_adapted(root, name, text), encoding="utf-8")
        else:
            place.write_text(_page_of(source, name), encoding="utf-8")
    return pages


def shown_as(root: Path, name: str) -> str:
    """The file of the site for one of the repository: code and folders become pages."""
    path = root / name
    if path.is_dir():
        return f"{name}/index.md" if name else "index.md"
    return name if path.suffix in (".md", *_PICTURES) else f"{name}.md"


def _targets(root: Path, page: str, text: str) -> Iterator[str]:
    for match in _LINK.finditer(_without_code(text)):
        target = _target(root, page, match[2])
        if target is not None:
            yield target


def _target(root: Path, page: str, link: str) -> str | None:
    """The file or folder of the repository that a link names; a folder's own page where it has
    one. None: it leads elsewhere."""
    if re.match(r"[a-z]+:", link):
        return None
    path = Path(os.path.normpath(root / Path(page).parent / link))
    if not path.exists() or not path.is_relative_to(root):
        return None  # the strict build says so
    if path.is_dir() and (path / "README.md").is_file():
        path /= "README.md"
    return path.relative_to(root).as_posix()


def _adapted(root: Path, name: str, text: str) -> str:
    """Links lead to the site's files, and lists stand as its reader wants them."""

    def mended(match: re.Match[str]) -> str:
        target = _target(root, name, match[2])
        if target is None:
            return match[0]
        there = os.path.relpath(shown_as(root, target), Path(name).parent)
        return f"{match[1]}{Path(there).as_posix()}{match[3] or ''}{match[4]}"

    parts = _code_apart("\n".join(_lists(text.splitlines())))
    return "".join(part if code else _LINK.sub(mended, part) for code, part in parts) + "\n"


def _lists(lines: list[str]) -> Iterator[str]:
    """GitHub indents what belongs to an item by the width of its mark, and begins a list without an
    empty line; the site's reader wants four spaces a level, and the line."""
    widths: list[int] = []  # of the items that are open
    fence, before = "", ""
    for line in lines:
        mark = re.match(r" *(```+|~~~+)", line)
        indent = len(line) - len(line.lstrip(" "))
        if not fence and line.strip():
            while widths and indent < widths[-1]:
                widths.pop()
            if not widths and indent >= 4:
                indent = 0
        item = None if fence else _ITEM.match(line)
        within = len(widths)
        if item and before.strip() and not _ITEM.match(before) and not widths:
            yield ""
        base = widths[-1] if widths else 0
        yield " " * 4 * within + line[base:] if line.strip() else line
        if item:
            widths.append(len(item[0]))
        if mark:
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        before = line


def _code_apart(text: str) -> Iterator[tuple[bool, str]]:
    """The text in parts, each with whether it is code."""
    place = 0
    for match in re.finditer(r"^ *(```+).*?^ *\1 *$|`[^`\n]+`", text, re.MULTILINE | re.DOTALL):
        yield False, text[place : match.start()]
        yield True, match[0]
        place = match.end()
    yield False, text[place:]


def _without_code(text: str) -> str:
    return "".join(part for code, part in _code_apart(text) if not code)


def _page_of(source: Path, name: str) -> str:
    """A file of code, or the names in a folder."""
    if source.is_dir():
        names = "\n".join(
            path.relative_to(source).as_posix()
            for path in sorted(source.rglob("*"))
            if path.is_file()
        )
        return f"# {name}\n\n```text\n{names}\n```\n"
    language = _LANGUAGES.get(source.suffix, "text")
    text = source.read_text(encoding="utf-8").rstrip("\n")
    return f"# {source.name}\n\n`{name}`\n\n````{language}\n{text}\n````\n"
