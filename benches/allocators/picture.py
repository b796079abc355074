"""The page's picture: needed pool against worst-case instructions, an allocator a point."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

__all__ = ["Point", "draw"]

WIDTH, HEIGHT = 820, 520
LEFT, RIGHT, TOP, BOTTOM = 90, 40, 60, 70
CHARACTER, LINE = 7.3, 15  # of a label, in pixels
OURS_COLOUR, OTHER_COLOUR, GRID, INK = "#c0392b", "#2c5f8a", "#d8dde2", "#24292f"

TICKS = (1.01, 1.02, 1.03, 1.05, 1.07, 1.1, 1.14, 1.2, 1.3, 1.5, 2.0, 3.0, 5.0)

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Point:
    name: str
    ratio: float  # of the needed pool to the live peak
    instructions: int  # worst malloc
    ours: bool


def draw(points: Sequence[Point], *, title: str, x_label: str, y_label: str) -> str:
    """An SVG of its own, without fonts or scripts from elsewhere."""
    # By what is lost, the ratio less one, in equal steps for equal factors: else one allocator that
    # takes twice the memory leaves all others in a heap.
    x_low = 1 + (min(p.ratio for p in points) - 1) / 1.5
    x_high = 1 + (max(p.ratio for p in points) - 1) * 1.5
    y_high = math.ceil(math.log10(max(p.instructions for p in points)))
    y_low = math.floor(math.log10(min(p.instructions for p in points)))

    def x(ratio: float) -> float:
        share = math.log((ratio - 1) / (x_low - 1)) / math.log((x_high - 1) / (x_low - 1))
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(instructions: float) -> float:
        share = (math.log10(instructions) - y_low) / (y_high - y_low)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="ui-sans-serif, Helvetica, Arial, sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        text(WIDTH / 2, 26, title, anchor="middle", size=16),
        text(WIDTH / 2, HEIGHT - 16, x_label, anchor="middle"),
        f'<g transform="translate(20 {HEIGHT / 2}) rotate(-90)">'
        + text(0, 0, y_label, anchor="middle")
        + "</g>",
    ]
    for ratio in (tick for tick in TICKS if x_low <= tick <= x_high):
        at = x(ratio)
        parts.append(line(at, TOP, at, HEIGHT - BOTTOM, GRID))
        parts.append(text(at, HEIGHT - BOTTOM + 20, f"{ratio:.2f}", anchor="middle"))
    for power in range(y_low, y_high + 1):
        at = y(10**power)
        parts.append(line(LEFT, at, WIDTH - RIGHT, at, GRID))
        parts.append(text(LEFT - 8, at + 4, f"{10**power:,}", anchor="end"))
    places = [(x(p.ratio), y(p.instructions)) for p in points]
    for point, place, label in zip(points, places, labels(points, places), strict=True):
        parts += marker(point, place, label)
    return "\n".join([*parts, "</svg>", ""])


def marker(point: Point, place: tuple[float, float], label: Box) -> Iterator[str]:
    colour = OURS_COLOUR if point.ours else OTHER_COLOUR
    left, top, right, bottom = label
    near = (min(max(place[0], left), right), min(max(place[1], top), bottom))
    yield line(*place, *near, colour)
    yield f'<circle cx="{place[0]:.1f}" cy="{place[1]:.1f}" r="{6 if point.ours else 4.5}" ' + (
        f'fill="{colour}"><title>{escape(point.name)}: {point.ratio:.3f}, '
        f"{point.instructions:,}</title></circle>"
    )
    weight = ' font-weight="bold"' if point.ours else ""
    yield text(left + 2, bottom - 4, point.name, colour=colour, more=weight)


def labels(points: Sequence[Point], places: Sequence[tuple[float, float]]) -> list[Box]:
    """Where each name stands: the first place around its point that is free, ours first."""
    taken: list[Box] = [(px - 6, py - 6, px + 6, py + 6) for px, py in places]
    result: dict[int, Box] = {}
    for index in sorted(range(len(points)), key=lambda i: not points[i].ours):
        width = len(points[index].name) * CHARACTER + 4
        box = next(
            (
                box
                for box in around(places[index], width)
                if not any(overlap(box, other) for other in taken) and inside(box)
            ),
            next(around(places[index], width)),
        )
        taken.append(box)
        result[index] = box
    return [result[index] for index in range(len(points))]


def around(place: tuple[float, float], width: float) -> Iterator[Box]:
    x, y = place
    for distance in range(8, 120, 6):
        for left, top in (
            (x + distance, y - LINE / 2),
            (x - distance - width, y - LINE / 2),
            (x + distance * 0.7, y - distance - LINE / 2),
            (x + distance * 0.7, y + distance - LINE / 2),
            (x - width - distance * 0.7, y - distance - LINE / 2),
            (x - width - distance * 0.7, y + distance - LINE / 2),
        ):
            yield left, top, left + width, top + LINE


def inside(box: Box) -> bool:
    return box[0] > LEFT and box[2] < WIDTH - 4 and box[1] > TOP - 20 and box[3] < HEIGHT - BOTTOM


def overlap(one: Box, other: Box) -> bool:
    beside = one[2] < other[0] or other[2] < one[0]
    return not beside and not (one[3] < other[1] or other[3] < one[1])


def line(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{colour}" fill="none"/>'


def text(
    x: float,
    y: float,
    words: str,
    *,
    anchor: str = "start",
    size: int = 13,
    colour: str = INK,
    more: str = "",
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
        f'fill="{colour}"{more}>{escape(words)}</text>'
    )
