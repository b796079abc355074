"""Names of strangers, each of which says something in some language; and readers of these languages
that say what was understood."""

from __future__ import annotations

import re
from typing import Any

from markdown_it import MarkdownIt

NAMES = (
    "::error file=a.c,line=1::pwned",
    "  ::stop-commands::x",
    "::add-mask::a",
    "##[error]pwned",
    "##vso[task.setvariable variable=a]b",
    "##teamcity[testFailed name='a']",
    "section_start:1600000000:a\r\x1b[0Kpwned",
    "line\n::warning::second",
    "carriage\r::notice::return",
    "![logo](http://evil.example/i.png)",
    "[click](http://evil.example)",
    "[click][1] [^1]",
    "<http://evil.example>",
    "http://evil.example/a?b=1&c",
    "https://evil.example",
    "ftp://evil.example",
    "www.evil.example",
    "mail@evil.example",
    "mailto:mail@evil.example",
    "@somebody please",
    "#123 and GH-123 and owner/repo#7",
    "!45 ~label $12 &9 %3",
    ":octocat: :smile:",
    "# heading",
    "- item",
    "+ item",
    "1. item",
    "2) item",
    "> quote",
    "===",
    "---",
    "***strong*** __strong__ ~~gone~~",
    "`code` ```",
    "```sh",
    "    indented",
    "\tindented",
    "a | b | c",
    "|---|---|",
    "$x^2$ $$y$$",
    "&lt;b&gt; &#64;somebody &amp;",
    "<b>bold</b><!-- x -->",
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "]]><!ENTITY x>",
    "=cmd|' /C calc'!A0",
    '=HYPERLINK("http://evil.example")',
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1+1",
    " =1+1",
    "＝1+1",  # noqa: RUF001 - the wide one
    'quote"d, comma',
    "semi;colon 7",
    "*/ int x; /*",
    "back\\slash \\",
    "\x1b]0;owned\x07\x1b[2J",
    "\u202etxt\u2066",
    "\x00nul",
    "{0} ${HOME} $(touch x) `touch x`",
    "[text](0) {{1}}",
    "naïve ünïcode 漢字",
    "std::vector<int>::push_back(a::b&)",
    "snake_case_name and CONFIG_X=y",
)

_SAFE_TOKENS = {"paragraph_open", "paragraph_close", "inline", "text", "text_special"}
#: Code hosts find this in the text after Markdown was read.
_MATCH = re.compile(
    r"(?<!\w)@\w|[#!]\d|\bGH-\d|[~$&%]\w|\w+://|\bwww\.|\w@\w|(?<!:):[\w+-]+:(?!:)", re.ASCII
)
_APART = "\u200b"


def markdown_tokens(text: str) -> list[Any]:
    """All tokens, those of lines too, as GitHub's Markdown has them."""
    reader = MarkdownIt("gfm-like", {"html": True, "linkify": True})
    assert reader.linkify is not None
    reader.linkify.set({"fuzzy_link": False})
    reader.core.ruler.disable("text_join")  # it would join what the test looks at
    results = []
    for token in reader.parse(text):
        results += [token, *(token.children or ())]
    return results


def understood(tokens: list[Any], also: frozenset[str] = frozenset()) -> set[str]:
    """Everything in Markdown that is more than text."""
    kinds = {token.type for token in tokens} - _SAFE_TOKENS - also
    return kinds | {result for token in _texts(tokens) for result in _MATCH.findall(token)}


def _texts(tokens: list[Any]) -> list[str]:
    """The text of each line."""
    return [
        "".join(child.content for child in token.children or ())
        for token in tokens
        if token.type == "inline"
    ]


def shown(tokens: list[Any]) -> str:
    """The text that a reader sees."""
    return "\n".join(_texts(tokens)).replace(_APART, "")


#: From the runners' sources: GitHub trims a line and looks at its begin for the one form, and
#: anywhere for the other; GitLab wants the bytes of a terminal behind the name.
_RUNNER = re.compile(r"^\s*::|##\w*\[|section_(?:start|end):\d+:[\w.-]+(?:\[.*\])?\r\x1b\[0K")


def commands(output: bytes) -> list[str]:
    """Lines that the runner of a job takes for commands."""
    lines = re.split(r"\r\n|\r|\n", output.decode("utf-8", "replace"))
    plain = (re.sub(r"\x1b\[[0-9;]*m", "", line) for line in lines)
    results = [line for line in plain if _RUNNER.search(line)]
    return results + _RUNNER.findall(output.decode("utf-8", "replace"))
