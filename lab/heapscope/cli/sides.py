"""The two sides of a comparison, out of options that may be given twice."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from heapscope.cli.run import run
from heapscope.cli.shared import LayoutOptions
from heapscope.errors import HeapscopeError, InputError
from heapscope.measure.result import ReplayResult
from heapscope.trace.source import open_blocks

__all__ = ["both_sides", "split"]

Sides = tuple[ReplayResult, ReplayResult]

EXAMPLE = "for example: heapscope compare T.hst --chip esp32 --idf 4.2 --idf 5.5"


def both_sides(
    left: Path, right: Path | None, given: Mapping[str, Sequence[str]], needs: Sequence[str] | None
) -> Sides:
    """Replays, or reads, what the command line named."""
    wanted = list(needs or [])
    saved = [path is not None and _is_saved(path) for path in (left, right)]
    if right is not None and all(saved):
        _no_options(given, wanted)
        return _load(left), _load(right)
    if any(saved):
        raise HeapscopeError(
            "a result of replay --json is compared with another one, not with a trace",
            remedy="write the other side with replay --json too",
        )
    options = split(given)
    _differ(left, right, options)
    return run(left, options[0], wanted), run(right or left, options[1], wanted)


def split(given: Mapping[str, Sequence[str]]) -> tuple[LayoutOptions, LayoutOptions]:
    """An option given once counts for both sides."""
    sides: list[dict[str, str]] = [{}, {}]
    for name, values in given.items():
        if len(values) > 2:
            flag = "--" + name.replace("_", "-")
            raise HeapscopeError(
                f"{flag} given {len(values)} times, but a comparison has two sides",
                remedy=EXAMPLE,
            )
        for side, value in zip(sides, [*values, *values][:2], strict=False):
            side[name] = value
    return LayoutOptions(**sides[0]), LayoutOptions(**sides[1])


def _differ(left: Path, right: Path | None, options: tuple[LayoutOptions, LayoutOptions]) -> None:
    if right is None and options[0] == options[1]:
        raise HeapscopeError(
            "nothing to compare: one trace and no option given twice",
            remedy=f"name a second trace, or give an option twice; {EXAMPLE}",
        )


def _no_options(given: Mapping[str, Sequence[str]], needs: Sequence[str]) -> None:
    if needs or any(given.values()):
        raise HeapscopeError(
            "results of replay --json are compared as they are, without options",
            remedy="leave the options out, or name the traces instead",
        )


def _is_saved(path: Path) -> bool:
    """Whether a file is a JSON object; a trace never begins like one."""
    try:
        with open_blocks(path) as blocks:
            return next(iter(blocks), b"").lstrip()[:1] == b"{"
    except InputError:
        return False  # the reader of traces says why


def _load(path: Path) -> ReplayResult:
    with open_blocks(path) as blocks:
        shown, content = blocks.name, b"".join(blocks)
    try:
        return ReplayResult.from_json(json.loads(content))
    except InputError as error:
        raise InputError(f"{shown}: {error.message}", remedy=error.remedy) from None
    except json.JSONDecodeError as error:
        raise InputError(
            f"{shown}: at offset {error.pos}: not JSON: {error.msg}",
            remedy="write it again with heapscope replay ... --json FILE",
        ) from None
    except (UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{shown}: not JSON: {error}", remedy="name another file") from None
