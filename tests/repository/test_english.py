"""The mechanical part of the rule for English, over every document, comment, docstring and message:
no sentence begins with "Of", "As" or "What" (a question may), and nothing "is no" something else.
Outside of the tests nothing "is none", "is told" or "is said" either: CONTRIBUTING's glossary has
better words.

The sentences in this file show the faults, so the checker leaves it out.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest
from needs import need_checkout

ROOT = Path(__file__).resolve().parents[2]
SUFFIXES = {".md", ".c", ".h", ".py"}

FENCE = re.compile(r"^ *(```|~~~).*?^ *\1", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`]*`")
#: Texts in Markdown are separated by a blank line and the marks of lists, headings and cells.
BREAK = re.compile(
    r"\n\s*\n|^\s*(?:[-*+]|\d+\.|#+|>|\|)\s+|\s\|\s|\s*\|$|\n(?=\s*\|)", re.MULTILINE
)
C_TOKEN = re.compile(
    r"/\*(?P<block>.*?)\*/|//(?P<line>[^\n]*)|\"(?P<text>(?:[^\"\\\n]|\\.)*)\"|'(?:[^'\\\n]|\\.)*'",
    re.DOTALL,
)
SENTENCE = re.compile(r"(?<=[.!?:;])[\"')*_]*\s+(?=[\"'(*_\[]*[A-Z])")
FAULTS = {
    'begins with "Of", "As" or "What"': re.compile(
        r"^\W*(?:(?:Of|As)\b(?!-)|What\b(?![^?]*\?))", re.DOTALL
    ),
    'says "is no"': re.compile(
        r"(?<!\bthere )\bis no (?!longer\b|more\b|less\b|\w+er\b than)", re.IGNORECASE
    ),
    'says "that were added late"': re.compile(r"\bthat (?:was|were) \w+ late\b"),
}
#: Words of the older English, with what to write. In tests they may stand for a while.
PRIVATE = {
    'says "is none": name what is missing, or write "none" alone': re.compile(
        r"\b(?:is|are|was|were) (?:not |only |also )?none\b"
    ),
    'says "is told": write "is reported", "is given" or "is distinguished"': re.compile(
        r"\b(?:is|are|was|were) (?:not |only |also )?told\b"
    ),
    'says "is said": write "is stated" or "is shown"': re.compile(
        r"\b(?:is|are|was|were) (?:not |only |also )?said\b"
    ),
}
#: Each fault has one of these in the source, be it over lines or literals: most files have none.
PERHAPS = re.compile(
    r"(?:Of|As|What)(?![a-z])|[iI][sS]\W+(?:[a-zA-Z]{1,2}[\"'])?[nN][oO](?![a-z])|late(?![a-z])"
    r"|(?:is|are|was|were)\W+(?:(?:not|only|also)\W+)?(?:none|told|said)(?![a-z])"
)


def markdown_texts(source: str) -> Iterator[tuple[int, str]]:
    yield from pieces(FENCE.sub(lambda fence: "\n" * fence[0].count("\n"), source), BREAK, 1)


def pieces(text: str, separator: re.Pattern[str], line: int) -> Iterator[tuple[int, str]]:
    """The pieces of text between separators, with the line on which each begins."""
    start = 0
    for match in (*separator.finditer(text), None):
        piece = text[start : match.start() if match else len(text)]
        blank = len(piece) - len(piece.lstrip())
        yield line + text.count("\n", 0, start + blank), piece
        start = match.end() if match else start


def c_texts(source: str) -> Iterator[tuple[int, str]]:
    for token in C_TOKEN.finditer(source):
        line = source.count("\n", 0, token.start()) + 1
        comment = token["block"] or token["line"]
        if comment is not None:
            plain = re.sub(r"^[ \t]*\*", " ", comment, flags=re.MULTILINE)
            yield from pieces(plain, re.compile(r"\n\s*\n"), line)
        elif token["text"] is not None:
            yield line, token["text"].replace("\\n", " ")


def python_texts(source: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from pieces(node.value, re.compile(r"\n\s*\n"), node.lineno)
    before, block = -1, ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            alone = token.line.lstrip().startswith("#")
            if alone and token.start[0] == before + 1:
                block += " " + token.string.lstrip("#: ")
            else:
                yield before, block
                block = token.string.lstrip("#: ")
            before = token.start[0]
    yield before, block


TEXTS = {".md": markdown_texts, ".c": c_texts, ".h": c_texts, ".py": python_texts}


def faults(path: Path, source: str) -> list[str]:
    """Each fault with its line, what is wrong, and the sentence."""
    results: list[str] = []
    if not PERHAPS.search(source):
        return results
    patterns = FAULTS if path.parts[0] == "tests" else FAULTS | PRIVATE
    for line, text in TEXTS[path.suffix](source):
        for sentence in SENTENCE.split(CODE.sub("CODE", " ".join(text.split()))):
            results += [
                f"{path}:{line}: {fault}: {sentence[:100]}"
                for fault, pattern in patterns.items()
                if pattern.search(sentence)
            ]
    return results


def written_files() -> list[Path]:
    need_checkout()
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = sorted(Path(name) for name in listed.split("\0") if name)
    return [path for path in paths if path.suffix in SUFFIXES and (ROOT / path).is_file()]


@pytest.mark.parametrize(
    ("name", "text", "count"),
    [
        ("a.md", "# What is left?\n\nIt is no longer there, and there is no other.\n", 0),
        ("a.md", "# What it finds\n\n- Of all, one\n\n```\nAs shown\n```\n", 2),
        ("a.md", "| a | what |\n| --- | --- |\n| As `b` | it is no block |\n", 2),
        ("a.c", 'int x; /* Is it so? As is. */\nchar *y = "As /* is"; // Of z\n', 3),
        ("a.h", "/*\n * Rows.\n *\n * What they hold,\n * that were added late.\n */\n", 2),
        ("a.py", '"""Rows.\n\nWhat they hold."""\n# Of a\n# row.\nx = f"{y} is no file"\n', 3),
        ("a.py", 'x = ("it is"\n     " no file")\n# it is\n# no row.\n', 2),
        ("a.c", '/* 0: there is none. */ char *y = "it was told"; // Both are said.\n', 3),
        ("a.md", "It is not told, and those are none. `it is said`\n", 2),
        ("a.py", 'x = "nothing is said" if y is None else "none is there, as it told"\n', 1),
        ("tests/a.py", '"""A loss is told, and there is none."""\n', 0),
        ("a.py", 'pattern = "Also Often Whatever"  # as many as there are\n', 0),
    ],
)
def test_faults_are_detected_where_sentences_begin(name: str, text: str, count: int) -> None:
    result = faults(Path(name), text)
    assert len(result) == count, result


def test_sentences_begin_with_their_subject() -> None:
    others = [path for path in written_files() if ROOT / path != Path(__file__).resolve()]
    results = [fault for path in others for fault in faults(path, (ROOT / path).read_text("utf-8"))]
    assert results == []
