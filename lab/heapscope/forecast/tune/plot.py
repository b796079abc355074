"""The front as a picture: SVG, for any browser or document."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from heapscope.base.languages import xml_text
from heapscope.forecast.tune.answer import FrontPoint, TuneResult
from heapscope.forecast.tune.memory import FREE

_WIDTH, _HEIGHT = 720, 440
Scale = Callable[[float], float]
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 24, 48, 56


def front_svg(result: TuneResult) -> str:
    return "\n".join(_lines(result)) + "\n"


def _lines(result: TuneResult) -> Iterator[str]:
    points = result.front
    at = result.now.median if result.median else result.now.low_80
    now = (at[FREE], at[result.front_metric])
    across = _axis([*(p.free_kb for p in points), now[0]])
    up = _axis([*(p.value for p in points), now[1]])

    def x(value: float) -> float:
        share = (value - across[0]) / (across[-1] - across[0])
        return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)

    def y(value: float) -> float:
        share = (value - up[0]) / (up[-1] - up[0])
        return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)

    held = "median" if result.median else "lower bound of the 80 % band"
    title = f"{result.chip}, PSRAM {result.psram}: available memory against {result.front_metric}"
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'width="{_WIDTH}" height="{_HEIGHT}" font-family="sans-serif" font-size="12">'
    )
    yield f"<title>{xml_text(title)}</title>"
    yield f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>'
    yield f'<text x="{_LEFT}" y="20" font-size="14">{xml_text(title)}</text>'
    yield f'<text x="{_LEFT}" y="37" fill="#666">{held}; nothing has more of both</text>'
    for value in across:
        yield _line(x(value), _TOP, x(value), _HEIGHT - _BOTTOM)
        yield _text(x(value), _HEIGHT - _BOTTOM + 16, f"{value:g}", "middle")
    for value in up:
        yield _line(_LEFT, y(value), _WIDTH - _RIGHT, y(value))
        yield _text(_LEFT - 6, y(value) + 4, f"{value:g}", "end")
    yield _text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 16, "available memory, KB", "middle")
    yield _text(14, _TOP - 4, "Mbit/s", "start")
    yield f'<path d="{_stairs(points, x, y)}" fill="none" stroke="#1f6fb2" stroke-width="2"/>'
    for point in points:
        yield (
            f'<circle cx="{x(point.free_kb):.1f}" cy="{y(point.value):.1f}" r="3.5" fill="#1f6fb2">'
            f"<title>{point.free_kb:.1f} KB, {point.value:.1f} Mbit/s</title></circle>"
        )
    yield (
        f'<circle cx="{x(now[0]):.1f}" cy="{y(now[1]):.1f}" r="5" fill="none" stroke="#b2371f" '
        f'stroke-width="2"><title>now: {now[0]:.1f} KB, {now[1]:.1f} Mbit/s</title></circle>'
    )
    yield _text(x(now[0]) + 9, y(now[1]) + 4, "now", "start")
    yield "</svg>"


def _stairs(points: Sequence[FrontPoint], x: Scale, y: Scale) -> str:
    """Between two points only what the lower one has is known to be there."""
    parts = [f"M{x(points[0].free_kb):.1f} {y(points[0].value):.1f}"]
    for before, after in pairwise(points):
        parts.append(f"L{x(after.free_kb):.1f} {y(before.value):.1f}")
        parts.append(f"L{x(after.free_kb):.1f} {y(after.value):.1f}")
    return " ".join(parts)


def _axis(values: list[float]) -> list[float]:
    """Round numbers from below the least to above the most."""
    low, high = min(values), max(values)
    span = max(high - low, 1.0)
    step = next(s for s in (0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200) if span / s <= 7)
    first = int(low // step)
    return [number * step for number in range(first, int(-(-high // step)) + 1)]


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#ddd"/>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{xml_text(text)}</text>'
