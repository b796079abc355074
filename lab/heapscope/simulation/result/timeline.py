"""The replay over time, decimated: equal buckets of heap events with their extremes."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row, malformed

Unsigned = TypeVar("Unsigned", np.uint32, np.uint64)


class Series(Row):
    """One line of the timeline."""

    name: str = figure(
        "live_payload; largest_allocatable (for malloc); free ADDRESS KIND; or task NAME (payload)."
    )
    least: tuple[int, ...] = figure("Smallest value of each bucket.", "B")
    most: tuple[int, ...] = figure("Largest value of each bucket.", "B")


class Largest(Row):
    """The three largest figures for malloc at each bucket's last event."""

    largest_free: tuple[int, ...] = figure("largest_free, one value a bucket.", "B")
    largest_reported: tuple[int, ...] = figure("largest_reported, one value a bucket.", "B")
    largest_allocatable: tuple[int, ...] = figure("largest_allocatable, one value a bucket.", "B")


class Buckets(Row):
    """The replay in equal buckets of heap events, each with its extremes."""

    width: int = figure("Heap events a bucket.")
    first_time: tuple[int, ...] = figure("Time of each bucket's first event.", "ticks")
    series: tuple[Series, ...] = figure("The lines.")
    largest: Largest = figure("The three largest figures for malloc.")


#: Columns of `Timeline.largest`.
LARGEST = tuple(f.name for f in fields(Largest))


@dataclass(frozen=True, kw_only=True, eq=False)
class Timeline:
    """The same as arrays. Rows are buckets; columns of least and most are `series`.

    Series 0 is "live_payload", 1 "largest_allocatable" for malloc, then "free ADDRESS KIND" for
    each region, then "task NAME" (payload) for each task in the order of first use.
    """

    WRITTEN = Buckets

    width: int  # heap events a bucket
    series: tuple[str, ...]
    least: NDArray[np.uint32]
    most: NDArray[np.uint32]
    first_time: NDArray[np.uint64]  # clock ticks
    largest: NDArray[np.uint32]  # at each bucket's last event; columns are LARGEST

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Timeline):
            return NotImplemented
        return self.to_json() == other.to_json()

    @property
    def buckets(self) -> int:
        return len(self.first_time)

    def to_json(self) -> dict[str, Any]:
        return Buckets(
            width=self.width,
            first_time=tuple(self.first_time.tolist()),
            series=tuple(
                Series(
                    name=name,
                    least=tuple(self.least[:, column].tolist()),
                    most=tuple(self.most[:, column].tolist()),
                )
                for column, name in enumerate(self.series)
            ),
            largest=Largest(
                **{
                    name: tuple(self.largest[:, column].tolist())
                    for column, name in enumerate(LARGEST)
                }
            ),
        ).to_json()

    @classmethod
    def from_json(cls, data: object, *, where: str = "$.timeline") -> Self:
        try:
            return cls._parsed(data)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise malformed(where, "a timeline") from error

    @classmethod
    def _parsed(cls, data: Any) -> Self:
        series, times = data["series"], data["first_time"]
        return cls(
            width=int(data["width"]),
            series=tuple(str(one["name"]) for one in series),
            least=_columns([one["least"] for one in series], len(times)),
            most=_columns([one["most"] for one in series], len(times)),
            first_time=_unsigned(times, np.uint64),
            largest=_columns([data["largest"][name] for name in LARGEST], len(times)),
        )


def _columns(columns: list[list[int]], rows: int) -> NDArray[np.uint32]:
    table = [_unsigned(column, np.uint32) for column in columns]
    return np.array(table, dtype=np.uint32).reshape(len(columns), rows).T.copy()


def _unsigned(values: list[int], kind: type[Unsigned]) -> NDArray[Unsigned]:
    """Older versions of numpy wrap negative numbers; here they are an error."""
    if min(values, default=0) < 0:
        raise ValueError("negative")
    return np.array(values, dtype=kind)
