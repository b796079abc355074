"""The text of a type's definition, where it shows that the type may be another one on a chip.

Debug information tells a type as it was compiled. Whether the preprocessor would have made another
one of it for a chip stands in the source alone."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.trace.whole import read_whole

_SOURCE_MAX = 16 << 20  # bytes
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
_OPENS = re.compile(r"\s*#\s*(?:if|ifdef|ifndef)\b")
_CLOSES = re.compile(r"\s*#\s*endif\b")
_GUARD = re.compile(r"\s*#\s*ifndef\s+(\w+)\s*\n(?:\s*\n)*\s*#\s*define\s+(\w+)\s*\n")
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\(?)[ \t]*([^\n]*)$", re.MULTILINE)
_NUMBER = re.compile(r"\(?\s*(0[xX][0-9a-fA-F]+|[0-9]+)[uUlL]*\s*\)?")
_DIMENSION = re.compile(r"\[([^\]]*)\]")
#: Words in a definition after which its layout is not that of its members alone.
_LAYOUT = re.compile(
    r"\b(?:sizeof|packed|aligned|alignas|_Alignas|alignof|_Alignof|__attribute__)\b"
)
_PRAGMA = re.compile(r"#\s*pragma\s+pack|_Pragma\s*\(")
_WORD = re.compile(r"\w+")
_KEYWORD = re.compile(r"\b(?:struct|union|class|enum)\b")


@dataclass(frozen=True)
class SourceFile:
    """One file, without its comments and the insides of its texts; lines keep their numbers."""

    path: Path
    text: str
    time: float  # of the last change

    @cached_property
    def starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    @cached_property
    def _open(self) -> list[int]:
        """For each line, how many conditions are open before it, the guard of the file apart."""
        lines = self.text.split("\n")
        guard = _GUARD.match(self.text)
        guarded = guard is not None and guard[1] == guard[2]
        depths, depth = [], -1 if guarded else 0
        for line in lines:
            depths.append(max(depth, 0))
            depth += bool(_OPENS.match(line)) - bool(_CLOSES.match(line))
        return depths

    def conditional(self, line: int) -> bool:
        """The line, from 1, stands where a condition of the preprocessor decides over it."""
        return not 0 < line <= len(self._open) or self._open[line - 1] > 0

    @cached_property
    def defines(self) -> dict[str, set[str]]:
        """The texts that each macro without parameters has here; "?" where a condition decides."""
        result: dict[str, set[str]] = {}
        for one in _DEFINE.finditer(self.text):
            line = self.text.count("\n", 0, one.start()) + 1
            sure = not one[2] and not self.conditional(line)
            result.setdefault(one[1], set()).add(one[3].strip() if sure else "?")
        return result

    def definition(self, line: int) -> str:
        """From the beginning of a line to the semicolon behind the braces that open next; empty:
        none."""
        if not 0 < line <= len(self.starts):
            return ""
        begin = self.starts[line - 1]
        depth = 0
        for place in range(begin, min(len(self.text), begin + (1 << 16))):
            mark = self.text[place]
            if mark == "{":
                depth += 1
            elif mark == "}":
                depth -= 1
            elif mark == ";" and depth <= 0:
                return self.text[begin : place + 1]
        return ""

    def statement(self, line: int) -> str:
        """The statement that the line is a part of."""
        if not 0 < line <= len(self.starts):
            return ""
        place = self.starts[line - 1]
        begin = max(self.text.rfind(mark, 0, place) for mark in ";{}") + 1
        end = self.text.find(";", place)
        return self.text[begin : end if end >= 0 else len(self.text)]


class Sources:
    """The files of a program's sources, each read once."""

    def __init__(self, *, program_time: float) -> None:
        self._program_time = program_time
        self._files: dict[str, SourceFile | None] = {}

    def file(self, path: str) -> SourceFile | None:
        """None: it is not there, or newer than the program that was made of it."""
        if path not in self._files:
            self._files[path] = self._read(path)
        return self._files[path]

    def _read(self, path: str) -> SourceFile | None:
        try:
            status = Path(path).stat()
            if not stat.S_ISREG(status.st_mode):  # the program's debug information names it
                return None
            time = status.st_mtime
            whole = read_whole(path, limit=_SOURCE_MAX, what="a source file", remedy="")
        except (OSError, ValueError, InputError):
            return None
        text = whole.data.decode("utf-8", "replace").replace("\r\n", "\n")
        if time > self._program_time:
            return None
        return SourceFile(Path(path), _COMMENT.sub(_blank, text.replace("\\\n", "  ")), time)

    def doubt_of_line(self, path: str, line: int) -> str:
        """Why what stands at a line may be something else on a chip; empty: nothing says so."""
        file = self.file(path)
        if file is None:
            return f"{Path(path).name} is missing or newer than the program"
        if file.conditional(line):
            return f"{Path(path).name}:{line} stands in a condition of the preprocessor"
        return ""

    def doubt_of_definition(
        self, path: str, line: int, members: Iterable[str], others: Iterable[str]
    ) -> str:
        """The same of a structure that begins at a line. `members`: their names; `others`: the
        files of the same unit, whose macros a dimension may name."""
        doubt = self.doubt_of_line(path, line)
        file = self.file(path)
        if doubt or file is None:
            return doubt
        where = f"{Path(path).name}:{line}"
        text = file.definition(line)
        if not _KEYWORD.search(text.split("{", maxsplit=1)[0]) or "{" not in text:
            return f"{where} does not show the definition"
        head, body = text.split("{", maxsplit=1)
        tail = text.rsplit("}", maxsplit=1)[-1].strip(" \n\t;")
        if "#" in text:
            return f"{where}: a condition of the preprocessor is in the definition"
        if _LAYOUT.search(text) or _PRAGMA.search(file.text):
            return f"{where}: the definition says more of its layout than its members do"
        if "typedef" not in head and not _only_names(tail):
            return f"{where}: the definition ends with '{tail[:40]}'"
        words = set(_WORD.findall(body))
        if not words.issuperset(members):
            return f"{where}: a macro makes members of the definition"
        for dimension in _DIMENSION.findall(body):
            if not self._is_number(dimension.strip(), [path, *others]):
                return f"{where}: [{dimension.strip()}] may be another number on a chip"
        return ""

    def product_at(
        self, path: str, line: int, others: Iterable[str], arguments: Mapping[str, tuple[int, ...]]
    ) -> bool:
        """The statement of a line asks for a number of one type, and no macro in it may be another
        number on a chip. `arguments`: by the name of the function, those that it multiplies."""
        file = self.file(path)
        statement = "" if file is None else file.statement(line)
        if not is_product_of_a_size(statement, arguments):
            return False
        counts = _SIZEOF.sub(" ", statement)
        macros = {word for word in _WORD.findall(counts) if word.isupper()} - {"NULL"}
        return all(self._is_number(word, [path, *others]) for word in macros)

    def _is_number(self, text: str, files: Iterable[str]) -> bool:
        if not text or _NUMBER.fullmatch(text):
            return True
        if not _WORD.fullmatch(text):
            return False
        values: set[str] = set()
        for path in files:
            file = self.file(path)
            if file is not None:
                values |= file.defines.get(text, set())
        return len(values) == 1 and _NUMBER.fullmatch(next(iter(values))) is not None


def _only_names(tail: str) -> bool:
    """Names of variables or members stand behind a definition. A macro's is in capitals, and may
    stand for an attribute."""
    return all(word.upper() != word or word.isdigit() for word in _WORD.findall(tail))


def _blank(match: re.Match[str]) -> str:
    """A comment becomes white space, and a text an empty one."""
    text = match[0]
    kept = "".join("\n" if mark == "\n" else " " for mark in text)
    return kept if text[0] == "/" else f"{text[0]}{kept[1:-1]}{text[0]}"


# ---- the argument of a call ----

_TOKEN = re.compile(r"\s*(->|<<|>>|&&|\|\||[<>=!]=|\+\+|--|\w+|.)", re.DOTALL)
#: The arguments of the C library's allocators whose product is the size.
CALLS = {"malloc": (0,), "calloc": (0, 1), "realloc": (1,), "reallocarray": (1, 2)}
_SIZEOF = re.compile(r"\bsizeof\s*(?:\([^()]*\))?")
_STRLEN = re.compile(r"\bstrlen\s*\((?:[^()]|\([^()]*\))*\)")
_LITERALS = re.compile(r"(?:[0-9]+[uUlL]*|0[xX][0-9a-fA-F]+|[\s+*(),])+")
_CAST = re.compile(r"\(\s*(?:unsigned\s+|signed\s+)?(?:size_t|int|long|short|char|ssize_t)\s*\)")


def is_product_of_a_size(statement: str, arguments: Mapping[str, tuple[int, ...]]) -> bool:
    """The statement calls one of the functions for a number of one type: its only sizeof is one of
    the arguments that count, or a factor of a product that is."""
    text = _CAST.sub(" ", statement)
    places = [match.start() for match in re.finditer(r"\bsizeof\b", text)]
    if len(places) != 1:
        return False
    begin = places[0]
    while True:
        begin = _outwards(text, begin)
        if not _is_product(text[begin:]):
            return False
        if begin == 0 or text[begin - 1] == "=":
            return False
        opening = begin - 1 if text[begin - 1] == "(" else _outwards(text, begin - 1, past=",") - 1
        called = re.search(r"(\w+)\s*$", text[: max(opening, 0)])
        if called is not None:
            number = _commas(text[opening + 1 : begin])
            return number in arguments.get(called[1], ())
        begin = opening


def is_of_literals(statement: str) -> bool:
    """The statement calls an allocator of the C library with literal numbers and lengths of texts
    alone, which are the same on a chip."""
    matches = [one for one in re.finditer(r"\b(\w+)\s*\(", statement) if one[1] in CALLS]
    if len(matches) != 1:
        return False
    inner = _inside(statement[matches[0].end() :])
    if matches[0][1].startswith("realloc"):
        inner = inner.partition(",")[2]
    inner = _STRLEN.sub("1", _CAST.sub(" ", inner))
    return bool(inner.strip()) and _LITERALS.fullmatch(inner) is not None


def _inside(text: str) -> str:
    """Up to the parenthesis that closes; empty: none does."""
    depth = 0
    for place, mark in enumerate(text):
        if mark == "(":
            depth += 1
        elif mark == ")":
            if depth == 0:
                return text[:place]
            depth -= 1
    return ""


def _outwards(text: str, place: int, *, past: str = "") -> int:
    """Where the argument begins in which the place is. `past`: goes on over these marks."""
    depth = 0
    while place > 0:
        mark = text[place - 1]
        if mark == ")":
            depth += 1
        elif mark == "(":
            if depth == 0:
                break
            depth -= 1
        elif mark in ",=" and mark not in past and depth == 0:
            break
        place -= 1
    return place


def _commas(text: str) -> int:
    """Those outside of parentheses: the number of the argument that follows."""
    depth, result = 0, 0
    for mark in text:
        depth += (mark in "([") - (mark in ")]")
        result += mark == "," and depth == 0
    return result


def _is_product(text: str) -> bool:
    """The tokens outside of parentheses, up to the end of the argument, are those of a product."""
    depth = 0
    for match in _TOKEN.finditer(text):
        mark = match[1]
        if mark in "([":
            depth += 1
        elif mark in ")]":
            if depth == 0:
                return True
            depth -= 1
        elif depth == 0:
            if mark in ",;":
                return True
            if mark not in ("*", "->", ".") and not _WORD.fullmatch(mark):
                return False
    return True
