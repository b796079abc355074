"""Rules that every file of the repository keeps."""

from __future__ import annotations

import re
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from needs import need_checkout

ROOT = Path(__file__).resolve().parents[2]
LINES_MAX = 450
EMPTY_NAMES = re.compile(r"(utils?|misc|common|helpers?)")
DEVICE_HEADERS = {"stddef.h", "stdint.h", "stdbool.h"}
# Written so that no pattern matches itself.
HOME_PATH = re.compile(r"/(?:home|root|Users)/[\w.]|[A-Z]:\\Users\\")
REGISTRY_HOST = re.compile(
    r"\b(?:pypi|pythonhosted|npmjs|crates|rubygems|golang|maven|sonatype|debian|ubuntu)"
    r"\.(?:org|io|com|net)\b"
)
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")


@cache
def files() -> tuple[Path, ...]:
    """The files that are tracked, or would be, relative to the root."""
    need_checkout()
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return tuple(Path(name) for name in listed.split("\0") if name and (ROOT / name).is_file())


def lines_of_text() -> Iterator[tuple[Path, int, str]]:
    """Path, number and content of every line of every text file."""
    for path in files():
        content = (ROOT / path).read_bytes()
        if b"\0" not in content:
            text = content.decode("utf-8", errors="replace")
            yield from ((path, number, line) for number, line in enumerate(text.splitlines(), 1))


def test_every_file_name_says_what_is_inside() -> None:
    named = [
        path
        for path in files()
        if any(EMPTY_NAMES.fullmatch(part.partition(".")[0]) for part in path.parts)
    ]
    assert named == []


def test_no_package_or_library_is_in_the_repository() -> None:
    kinds = {".whl", ".zip", ".tgz", ".gz", ".xz", ".jar", ".so", ".a", ".o", ".dll", ".wasm"}
    assert [path for path in files() if path.suffix in kinds] == []


def test_no_browser_test_waits_for_a_promise() -> None:
    """Playwright's wait_for_function takes the promise of an asynchronous function for true."""
    waits = re.compile(r'wait_for_function\(\s*f?"+\s*async')
    pages = [path for path in files() if path.parts[:2] == ("tests", "browser")]
    wrong = [p for p in pages if p.suffix == ".py" and waits.search((ROOT / p).read_text("utf-8"))]
    assert pages
    assert wrong == []


def test_no_source_file_is_long() -> None:
    sources = [path for path in files() if path.suffix in {".c", ".h", ".py"}]
    lengths = {path: len((ROOT / path).read_bytes().splitlines()) for path in sources}
    assert {path: length for path, length in lengths.items() if length > LINES_MAX} == {}


def test_no_line_names_a_home_or_the_folder_of_this_checkout() -> None:
    here = {str(ROOT.parent), str(Path.home())} - {"/", tempfile.gettempdir()}
    results = [
        f"{path}:{number}: {line}"
        for path, number, line in lines_of_text()
        if HOME_PATH.search(line) or any(f"{place}/" in line for place in here)
    ]
    assert results == []


def test_no_line_names_the_host_of_a_package_registry() -> None:
    results = [
        f"{path}:{number}: {line}"
        for path, number, line in lines_of_text()
        if REGISTRY_HOST.search(line)
    ]
    assert results == []


def test_device_code_includes_only_freestanding_headers() -> None:
    results = [
        f"{path}:{number}: {name}"
        for path, number, line in lines_of_text()
        if path.parts[0] == "device" and path.parts[1] in {"src", "include"}
        for name in re.findall(r"^\s*#\s*include\s*<([^>]*)>", line)
        if name not in DEVICE_HEADERS
    ]
    assert results == []


def test_the_version_is_in_the_changelog() -> None:
    declared = re.search(r"project\(heapscope VERSION ([\d.]+)", read("CMakeLists.txt"))
    assert declared is not None
    assert f"\n## {declared[1]}, " in read("CHANGELOG.md")


def test_every_dependency_is_explained() -> None:
    project = tomllib.loads(read("pyproject.toml"))["project"]
    extras = project["optional-dependencies"].values()
    required = [*project["dependencies"], *(name for extra in extras for name in extra)]
    names = {re.split(r"[<>=~!\[; ]", requirement)[0] for requirement in required}
    names.discard(project["name"])  # an extra may stand for others of its own
    explained = read("docs/design/dependencies.md")
    assert {name for name in names if f"`{name}`" not in explained} == set()


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def anchors(markdown: str) -> set[str]:
    """The anchors of a document's headings, as the usual renderers make them."""
    prose = FENCE.sub("", markdown)
    headings = re.findall(r"^#+ +(.*?) *$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_between_documents_resolve() -> None:
    broken = []
    for document in (path for path in files() if path.suffix == ".md"):
        for match in LINK.finditer(FENCE.sub("", read(str(document)))):
            target, _, anchor = (match[1] or match[2]).partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            place = (ROOT / document).parent / target if target else ROOT / document
            if not place.exists() or (
                anchor and anchor not in anchors(place.read_text(encoding="utf-8"))
            ):
                broken.append(f"{document}: {match[0]}")
    assert broken == []
