"""A check as a small picture for a README."""

from __future__ import annotations

from heapscope.base.languages import xml_text
from heapscope.fleet.budgets.check_result import UNKNOWN, CheckResult

_LABEL = "heap budgets"
_CHARACTER = 7  # pixels of one, rather too many
_PADDING = 10
_GREEN, _RED = "#2b7a3d", "#b3261e"


def badge(result: CheckResult) -> str:
    failing = len(result.failing) + len(result.worse)
    unknown = sum(row.status == UNKNOWN for row in result.failing)
    words = f"{len(result.budgets)} kept" if result.passed else f"{failing} failing"
    words = f"{unknown} unknown" if failing == unknown != 0 else words
    left, right = (len(text) * _CHARACTER + _PADDING for text in (_LABEL, words))
    color = _GREEN if result.passed else _RED
    label = xml_text(f"{_LABEL}: {words}")
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" \
aria-label="{label}">
 <title>{label}</title>
 <rect width="{left + right}" height="20" rx="3" fill="#444"/>
 <path d="M{left} 0h{right - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-{right - 3}z" fill="{color}"/>
 <g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">
  <text x="{left / 2:g}" y="14">{_LABEL}</text>
  <text x="{left + right / 2:g}" y="14">{xml_text(words)}</text>
 </g>
</svg>
"""
