"""Text from outside, neutral in each language that it is written in: a name of a task, a call site
or a run says nothing to who reads the output but itself. For a terminal printable() comes first."""

from __future__ import annotations

import io
import json
import re
from html import escape  # that of xml.sax imports what opens URLs, a third of a command's start
from typing import Any

from heapscope.base.printable import printable

# ---- Markdown -----------------------------------------------------------------------------------

#: Breaks what GitHub and GitLab find in the text after Markdown was read, and what no backslash
#: keeps from being found. It is as wide as nothing.
_APART = "&#8203;"
_ENTITIES = {"<": "&lt;", "&": "&amp;"}
_MARKDOWN = re.compile(
    r"(?P<entity>[<&])"
    r"|(?P<mark>[\\`*\[\]|~$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9]))"
    r"|(?P<apart>@|[#!%](?=\w)|\bwww(?=\.)|:(?=//)|\bGH-(?=\d)|(?<!:):(?=[\w+-]+:(?!:)))",
    re.IGNORECASE | re.ASCII,
)
_FIRST = re.compile(r"[#+=>-]|[0-9]{1,9}(?=[.)])")


def markdown_text(text: str) -> str:
    """Within a line or a cell of a table: no link, picture, element, emphasis, reference or person
    comes of it."""

    def neutral(match: re.Match[str]) -> str:
        sign = match[0]
        if match["apart"]:
            return f"{sign}{_APART}"
        shown = _ENTITIES.get(sign, f"\\{sign}")
        after = text[match.end() : match.end() + 1]
        return shown + _APART if sign in "~$&" and (after.isalnum() or after == '"') else shown

    text = " ".join(text.splitlines())
    return _MARKDOWN.sub(neutral, text)


def markdown_line(text: str) -> str:
    """The same where a line begins: neither a heading nor a list, a rule or code begins with it."""
    text = markdown_text(text.strip())
    match = _FIRST.match(text)
    if match is None:
        return text
    sign = match[0]
    return f"{sign}\\{text[len(sign) :]}" if sign.isdigit() else f"\\{text}"


# ---- tables and documents -----------------------------------------------------------------------

#: A spreadsheet takes a text that begins with one of these for a formula, whatever blanks are
#: before it; the wide ones, too.
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")  # noqa: RUF001 - these are meant
_FIELD = frozenset(',"\r\n')


def csv_field(text: str) -> str:
    """A field of CSV (RFC 4180), with an apostrophe before what a spreadsheet would compute."""
    if text.startswith(_FORMULA) or text.lstrip().startswith(_FORMULA):
        text = f"'{text}"
    if _FIELD.isdisjoint(text) and text == text.strip():
        return text
    return '"' + text.replace('"', '""') + '"'


def xml_characters(text: str) -> str:
    """Without characters that XML 1.0 has not; who writes it escapes the others."""
    return "".join(
        c
        if c in "\t\n" or (c >= " " and c not in "\ufffe\uffff" and not "\ud800" <= c <= "\udfff")
        else "?"
        for c in text
    )


def xml_text(text: str) -> str:
    """For text, or an attribute in double quotes."""
    return escape(xml_characters(text), quote=False).replace('"', "&quot;")


def json_text(value: Any, **how: Any) -> str:
    """Plain ASCII: no terminal acts on a name in it, and no runner finds `##[`."""
    return json.dumps(value, **how).replace("##", "#\\u0023")


def script_json(value: Any) -> str:
    """JSON within an element of HTML, which it cannot end."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    for mark in "<>&":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text


def sarif_text(text: str) -> str:
    """A message of SARIF, in which `[text](place)` is a link and `{0}` an argument."""
    return re.sub(r"\](?=\()", "] ", text).replace("{", "{{").replace("}", "}}")


def c_comment(text: str) -> str:
    """Within a comment of C, which it does not end and does not continue."""
    return printable(text).replace("*/", "* /").replace("/*", "/ *").replace("\\", "/")


# ---- the log of a job ---------------------------------------------------------------------------

# A runner of GitHub takes `::name::` at the begin of a line for a command, blanks before it or not,
# and `##[name]` anywhere; others have `##vso[` and `##teamcity[`.
# It does not see colours, whose signs may stand between.
_C = r"\x1b\[[0-9;]*m"
_COLOUR = re.compile(_C)
_COMMAND = re.compile(
    rf"(?:(?<=[\r\n])|\A)((?:\s|{_C})*):(?=(?:{_C})*(?::|\Z))|#(?=(?:{_C})*#(?:\w|{_C})*\[)"
)


def job_lines(text: str, *, begun: bool = False) -> str:
    """Lines that no runner of a job takes for its own commands. `begun`: the first of them goes on
    with one that is there already."""
    if begun:
        return job_lines(f".{text}")[1:]
    return _COMMAND.sub(lambda result: "\\x23" if result[0] == "#" else f"{result[1]}\\x3a", text)


class JobText(io.TextIOWrapper):
    """Standard output and standard error: what is printed as text is neutral for a runner, however
    it was wrapped. Data goes through `buffer`."""

    _begun = False  # the line that is being written has a word

    def write(self, text: str) -> int:
        super().write(job_lines(text, begun=self._begun))
        *before, last = re.split(r"[\r\n]", text)
        self._begun = bool(_COLOUR.sub("", last).strip()) or (self._begun and not before)
        return len(text)


def annotation_message(text: str) -> str:
    """The message of a command for GitHub's runner, which it does not end."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def annotation_property(text: str) -> str:
    return annotation_message(text).replace(":", "%3A").replace(",", "%2C")
