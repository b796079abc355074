"""A page of the documentation: its commands with what it shows of their output, its quotes, and the
marks of the blocks that are not run. CONTRIBUTING.md tells how a page is written."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

#: Languages of fenced blocks that a shell takes; and the one of what programs print.
SHELLS = {"console", "sh", "bash", "shell", "zsh", "powershell"}
OUTPUT = "text"

GUIDES = {("docs", "guide"), ("docs", "reference"), ("docs", "recipes")}

PART = re.compile(
    r"^(?P<indent> *)```(?P<kind>[^\s`]*)\n(?P<body>.*?)^ *```$"
    r"|^ *<!-- (?P<comment>.*?) ?-->$"
    r"|(?P<quote>(?:^> [^\n]*\n)+)",
    re.MULTILINE | re.DOTALL,
)
MARK = re.compile(r"not (?:run|compared): (?P<reason>.*)")
SETUP = "first\n"
EXIT_CODE = re.compile(r" \|\| test \$\? = (\d+)$")
#: Only a shell understands these.
OPERATORS = re.compile(r"[|&;<>$`*?#~{}!\n]")


@dataclass(frozen=True)
class Block:
    """`reason`: why it is neither run nor compared; empty where it is."""

    line: int
    kind: str
    text: str
    reason: str


@dataclass(frozen=True)
class Command:
    """`shown`: the lines that the page shows beneath; none: what is printed is left out."""

    line: int
    text: str
    shown: tuple[str, ...] = ()

    @property
    def words(self) -> list[str]:
        """Those of a plain command of Heapscope behind its name; none for what a shell has to run.
        A recorded program writes to this process's own output."""
        text = EXIT_CODE.sub("", self.text).replace("\\\n", " ")
        begins = text.startswith("heapscope ") and not text.startswith("heapscope record")
        quoted = re.sub(r"'[^']*'|\"[^\"$`]*\"", "", text)
        return shlex.split(text)[1:] if begins and not OPERATORS.search(quoted) else []

    @property
    def code(self) -> int:
        """The exit code that it must have."""
        match = EXIT_CODE.search(self.text)
        return int(match[1]) if match else 0


@dataclass(frozen=True)
class Quote:
    """Text that one of the page's commands must print. `filled`: words count, and not lines."""

    line: int
    text: str
    filled: bool

    def is_in(self, output: str) -> bool:
        given, printed = self.text, output
        if self.filled:
            given, printed = (" ".join(text.split()) for text in (given, printed))
        else:
            printed = _trimmed(printed)
            given = _trimmed(given)
        return re.search(_pattern(given), printed, re.DOTALL) is not None


@dataclass(frozen=True)
class Page:
    path: Path  # from the root

    @cached_property
    def blocks(self) -> list[Block]:
        return [part for part in self._parts() if isinstance(part, Block)]

    @property
    def is_guide(self) -> bool:
        """Whether it shows readers of Heapscope what programs print: other pages have drawings."""
        return str(self.path) == "README.md" or self.path.parts[:2] in GUIDES

    @cached_property
    def quotes(self) -> list[Quote]:
        if not self.is_guide:
            return []
        texts = [
            Quote(part.line, part.text, filled=False)
            for part in self.blocks
            if part.kind == OUTPUT and not part.reason
        ]
        return texts + [part for part in self._parts() if isinstance(part, Quote)]

    @cached_property
    def commands(self) -> list[Command]:
        """Hidden ones included, in the order in which they run."""
        results: list[Command] = []
        for part in self._parts():
            if not isinstance(part, Block) or part.kind not in SHELLS or part.reason:
                continue
            if part.kind == "console":
                results += _commands(part)
            else:
                results.append(Command(part.line, part.text.rstrip("\n")))
        return results

    def _parts(self) -> Iterator[Block | Quote]:
        text = (ROOT / self.path).read_text(encoding="utf-8")
        reason, end = "", 0
        for match in PART.finditer(text):
            line = text.count("\n", 0, match.start()) + 2
            if text[end : match.start()].strip():
                reason = ""
            end = match.end()
            if match["quote"]:
                yield Quote(line - 1, match["quote"].replace("\n> ", "\n")[2:], filled=True)
            elif match["comment"] is None:
                indent = re.compile(f"^{match['indent']}", re.MULTILINE)
                yield Block(line, match["kind"], indent.sub("", match["body"]), reason)
            elif match["comment"].startswith(SETUP):
                yield Block(line, "console", match["comment"].removeprefix(SETUP), "")
            else:
                mark = MARK.fullmatch(match["comment"])
                reason = mark["reason"] if mark else ""
                continue
            reason = ""


def _commands(block: Block) -> Iterator[Command]:
    """ "$ " begins one, "> " goes on with it, and the rest is what it prints."""
    lines = block.text.split("\n")[:-1]
    begins = [at for at, line in enumerate(lines) if line.startswith("$ ")]
    for at, end in zip(begins, [*begins[1:], len(lines)], strict=True):
        last = at + 1
        while last < end and re.match(r">( |$)", lines[last]):
            last += 1
        text = "\n".join(line[2:] for line in lines[at:last])
        yield Command(block.line + at, text, tuple(lines[last:end]))


def matches(shown: tuple[str, ...], output: str) -> bool:
    """Literally, but for "…": any text within a line, and alone any lines."""
    return (
        re.fullmatch(_pattern(_trimmed("\n".join(shown))), _trimmed(output), re.DOTALL) is not None
    )


def _trimmed(text: str) -> str:
    """Without spaces at the ends of lines, and empty lines at both ends."""
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


def _pattern(shown: str) -> str:
    """A line of "…" takes its end of the line along, so that it may stand for nothing."""
    escaped = re.escape(shown)
    escaped = re.sub(r"^…\\?\n", r"(?:.*\\n)?", escaped, flags=re.MULTILINE)
    escaped = re.sub(r"\\?\n…$", r"(?:\\n.*)?", escaped)
    return escaped.replace("…", r"[^\n]*")
