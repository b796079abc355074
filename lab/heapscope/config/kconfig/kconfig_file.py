"""A reader of Kconfig files. It goes on behind whatever it cannot read, and says where that is.

It reads what ESP-IDF's own programs read, runs nothing, and takes nothing from the environment.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from heapscope.config.kconfig.condition import Condition, written
from heapscope.config.kconfig.definitions import Block, Choice, Entry, Fault, FileLine
from heapscope.config.kconfig.option_lines import OptionLines
from heapscope.config.kconfig.words import (
    ALWAYS,
    LENGTH_MAX,
    UNKNOWN,
    TooMuchError,
    Variables,
    Word,
    both,
    condition_of,
)

_SIZE_MAX = 4 << 20  # bytes of a file; the longest of ESP-IDF has 0.1 MB
_FILES_MAX = 2000  # files that are read, one that is read again too
_DEPTH_MAX = 60  # files inside each other
_WRITTEN_MAX = 32 << 20  # letters of all conditions
_FAULTS_MAX = 200

_LINE = re.compile(r"\s*([A-Za-z0-9_$-]+)\s*(.*)", re.ASCII | re.DOTALL)
_ASSIGNED = re.compile(r"\s*([A-Za-z0-9_-]+)\s*(:=|\+=|=)\s*(.*)", re.ASCII | re.DOTALL)
_PATTERN = re.compile(r"[*?\[]")
_SOURCES = {
    "source": "source", "rsource": "rsource", "osource": "osource", "orsource": "orsource",
    "gsource": "osource", "grsource": "orsource",
}  # fmt: skip
_BLOCKS = {"endmenu": "menu", "endif": "if", "endchoice": "choice"}


class KconfigReader:
    """Reads files one after the other, as if one file named them all. `roots`: the folders that may
    be read. `new`: ESP-IDF 6.0 or later, whose program does not know some old words.

    `faults`: where the program stops, and the build with it. `unread`: what is named and cannot be
    read here, so that names may be missing. `set`: options that `set` gives a value."""

    def __init__(
        self, environment: Mapping[str, str], roots: Sequence[Path], *, new: bool = True
    ) -> None:
        self.entries: list[Entry] = []
        self.choices: list[Choice] = []
        self.faults: list[Fault] = []
        self.unread: list[Fault] = []
        self.files: list[Path] = []
        self._variables = Variables(environment)
        self._roots = {root: root.resolve() for root in roots}
        self._blocks: list[Block] = []
        self._open_files: list[Path] = []
        self._current: Entry | Block | str | None = None
        self._place = FileLine("", 0)
        self._letters = 0
        self._projbuild = False
        self._lines = OptionLines(
            self._variables, new=new, limited=self._limited, not_read=self._not_read
        )

    @property
    def set(self) -> frozenset[str]:
        return frozenset(self._lines.set)

    def read(self, file: Path, *, projbuild: bool = False) -> None:
        """Whatever cannot be read is in `faults` and `unread`. `projbuild`: ESP-IDF reads the file
        before those of its own components."""
        path = file.resolve()
        self._projbuild = projbuild
        self._place = FileLine(self._shown(path), 0)
        self._file(path)

    # ---- files -----------------------------------------------------------------------------------

    def _file(self, path: Path) -> None:
        before = self._place
        text = self._text(path)
        if text is None:
            return
        self._open_files.append(path)
        self.files.append(path)
        self._current = None
        height = len(self._blocks)
        lines = text.split("\n")
        at = 0
        while at < len(lines):
            self._place = FileLine(self._shown(path), at + 1)
            at = self._line(lines, at)
        while len(self._blocks) > height:
            self._fault_open()
        self._current = None
        self._open_files.pop()
        self._place = before

    def _text(self, path: Path) -> str | None:
        if path in self._open_files:
            self._fault(f"{self._shown(path)} reads itself")
        elif len(self._open_files) >= _DEPTH_MAX:
            self._not_read(f"more than {_DEPTH_MAX} files inside each other: {self._shown(path)}")
        elif len(self.files) >= _FILES_MAX:
            self._not_read(f"more than {_FILES_MAX} files: {self._shown(path)}")
        else:
            try:
                with path.open("rb") as file:
                    content = file.read(_SIZE_MAX + 1)
            except OSError as error:
                self._fault(f"{self._shown(path)}: {error.strerror or error}")
                return None
            if len(content) <= _SIZE_MAX:
                return self._decoded(content, path)
            self._not_read(f"{self._shown(path)} has more than {_SIZE_MAX >> 20} MiB")
        return None

    def _decoded(self, content: bytes, path: Path) -> str:
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            self._fault("the line is not UTF-8 text", place=FileLine(self._shown(path), line))
            text = content.decode("utf-8", "replace")
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def _source(self, word: str, words: list[Word]) -> None:
        if len(words) != 1:
            raise ValueError(f"{word} needs one file, in quotes")
        name = words[0].text
        if self._variables.missing:
            self._not_read(f"{name}: {self._variables.missing[0]} is not known")
            return
        folder = self._open_files[-1].parent
        if "rsource" not in word and not Path(name).is_absolute():
            self._not_read(f"{name}: the build looks for it in the folder that it runs in")
            return
        result = self._matching(folder / name)
        if result is None:
            self._not_read(f"{name} is outside the project")
        elif not result and word in ("source", "rsource"):
            raise ValueError(f"{name} is not there")
        for path in result or ():
            if self._inside(path):
                self._file(path)
            else:
                self._not_read(f"{name} is outside the project")

    def _matching(self, path: Path) -> list[Path] | None:
        """None: it is outside the folders that may be read."""
        parts = path.parts
        plain = next((n for n, part in enumerate(parts) if _PATTERN.search(part)), len(parts))
        try:
            base = Path(*parts[:plain]).resolve()
            if not self._inside(base):
                return None
            if plain == len(parts):
                return [base] if base.is_file() else []
            pattern = "/".join(parts[plain:]).replace("**", "*")
            results = [each.resolve() for each in base.glob(pattern) if each.is_file()]
        except (OSError, ValueError, RuntimeError):  # a name that no file can have
            return []
        return sorted(results)[:_FILES_MAX]

    def _inside(self, path: Path) -> bool:
        return any(path.is_relative_to(root) for root in self._roots.values())

    # ---- lines -----------------------------------------------------------------------------------

    def _line(self, lines: list[str], at: int) -> int:
        """Reads a line with those that belong to it; the number of the next one."""
        line = lines[at]
        at += 1
        while line.endswith("\\") and at < len(lines):
            line = line[:-1] + lines[at]
            at += 1
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            return at
        if stripped.strip("-") == "help" or re.match(r"help\b", stripped):
            if self._current is None:
                self._fault("a help text without an option")
            return _behind_help(lines, at)
        self._variables.missing.clear()
        try:
            self._statement(line)
        except TooMuchError as error:
            self._not_read(str(error))
        except ValueError as error:
            self._fault(str(error))
        return at

    def _statement(self, line: str) -> None:
        match = _LINE.match(line)
        if match is None:
            raise ValueError("the line begins with no word of Kconfig")
        word, rest = match.groups()
        if self._lines.know(word):
            if self._current is None:
                raise ValueError(f"{word} without an option")
            words = self._variables.words(rest)
            if self._current == "comment":
                self._lines.check_of_menu("comment", word)
            elif not isinstance(self._current, str):
                self._lines.take(self._current, word, words)
        elif word in _SOURCES:
            self._current = None
            self._source(_SOURCES[word], self._variables.words(rest))
        elif word in ("config", "menuconfig"):
            self._config(word, self._variables.words(rest))
        elif word in ("menu", "if", "choice"):
            self._open(word, self._variables.words(rest))
        elif word in _BLOCKS:
            self._close(word, self._variables.words(rest))
        elif word in ("comment", "mainmenu"):
            self._variables.words(rest)
            self._current = "comment" if word == "comment" else None
        else:
            self._assignment(line)

    def _assignment(self, line: str) -> None:
        match = _ASSIGNED.fullmatch(line)
        if match is not None:
            self._variables.assign(match[1], match[2], match[3])
        elif self._variables.macros_replaced(line).strip() and not self._variables.missing:
            self._current = "unknown"
            raise ValueError(f"'{line.strip()[:40]}' is not a statement of Kconfig")

    # ---- blocks and options ----------------------------------------------------------------------

    def _config(self, word: str, words: list[Word]) -> None:
        self._current = "config"  # its lines, if it has no name
        if len(words) != 1 or words[0].quoted or not words[0].text[-1:].isalnum():
            raise ValueError(f"{word} needs one name")
        block = self._nearest()
        choice = block.choice if block is not None else None
        entry = Entry(
            place=self._place,
            name=words[0].text,
            outer=self._limited(self._outer()),
            visible=self._limited(self._visible()),
            choice=choice,
            projbuild=self._projbuild,
        )
        if choice is not None:
            choice.members.append(entry)
        self.entries.append(entry)
        self._current = entry

    def _open(self, kind: str, words: list[Word]) -> None:
        block = Block(
            kind, self._place, self._limited(self._outer()), self._limited(self._visible())
        )
        if kind == "choice":
            name = words[0].text if words and not words[0].quoted else self._choice_name()
            block.choice = Choice(place=self._place, name=name)
            self.choices.append(block.choice)
        self._blocks.append(block)
        self._current = block
        if kind == "if":
            self._current = None
            block.depends = condition_of(words)
        elif kind == "menu" and len(words) != 1:
            raise ValueError("menu needs one title, in quotes")

    def _close(self, word: str, words: list[Word]) -> None:
        self._current = None
        kind = _BLOCKS[word]
        if not self._blocks or self._blocks[-1].kind != kind:
            if any(block.kind == kind for block in self._blocks):
                self._fault_open()
                self._close(word, words)
                return
            raise ValueError(f"{word} without {kind}")
        self._end()
        if words:
            raise ValueError(f"'{words[0].text[:40]}' behind {word} is too much")

    def _end(self) -> Block:
        block = self._blocks.pop()
        if block.choice is not None:
            block.choice.depends = both(block.outer, block.depends)
            if block.choice.prompt is not None:
                block.choice.prompt = both(block.choice.prompt, block.visible, block.choice.depends)
        return block

    def _fault_open(self) -> None:
        block = self._end()
        self._fault(f"the {block.kind} has no end{block.kind}", place=block.place)

    def _choice_name(self) -> str:
        """No option can have it."""
        return re.sub(r"[^\w./-]", "_", f"#{self._place.file}-{self._place.line}")

    def _nearest(self) -> Block | None:
        """The block around a line, without ifs."""
        return next((block for block in reversed(self._blocks) if block.kind != "if"), None)

    def _outer(self) -> Condition:
        return self._blocks[-1].inner() if self._blocks else ALWAYS

    def _visible(self) -> Condition:
        if not self._blocks:
            return ALWAYS
        return both(self._blocks[-1].visible, self._blocks[-1].shown)

    # ---- what is wrong ---------------------------------------------------------------------------

    def _limited(self, condition: Condition) -> Condition:
        """The condition, or an unknown one in place of one that is too long to be worked with."""
        length = len(written(condition))
        self._letters += length
        if length <= LENGTH_MAX and self._letters <= _WRITTEN_MAX:
            return condition
        self._not_read("the conditions around it are too long to be worked out here")
        return "is", UNKNOWN

    def _fault(self, message: str, *, place: FileLine | None = None) -> None:
        if len(self.faults) < _FAULTS_MAX:
            self.faults.append(Fault(place or self._place, message))

    def _not_read(self, message: str) -> None:
        if len(self.unread) < _FAULTS_MAX:
            self.unread.append(Fault(self._place, message))

    def _shown(self, path: Path) -> str:
        """The name below the folder that the user gave."""
        for root, real in self._roots.items():
            if path.is_relative_to(real):
                return (root / path.relative_to(real)).as_posix()
        return path.as_posix()


def _behind_help(lines: list[str], at: int) -> int:
    """The first line that is less indented than the first one of the text."""
    while at < len(lines) and not lines[at].strip():
        at += 1
    if at == len(lines):
        return at
    indent = _indent(lines[at])
    while indent and at < len(lines) and (not lines[at].strip() or _indent(lines[at]) >= indent):
        at += 1
    return at


def _indent(line: str) -> int:
    line = line.expandtabs()
    return len(line) - len(line.lstrip())
