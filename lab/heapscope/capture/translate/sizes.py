"""The sizes of a call site on a chip, out of those that were recorded and the known type."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from heapscope.capture.translate.site_types import SiteType


@dataclass(frozen=True)
class OneSize:
    """One recorded size of a site: `requests` asked for it. On the chip it is between `lower` and
    `upper`, which are the same where it is `exact`."""

    recorded: int
    requests: int
    lower: int
    upper: int
    exact: bool


@dataclass(frozen=True)
class SiteSizes:
    type: SiteType
    sizes: tuple[OneSize, ...]
    reason: str


def site_sizes(
    counts: Mapping[tuple[int, int], int], type_of: Callable[[int], SiteType]
) -> dict[int, SiteSizes]:
    """`counts`: requests by site and size. Sites of one line of the source are judged together: a
    size that fits a type by chance is not the only one there."""
    by_site: dict[int, dict[int, int]] = defaultdict(dict)
    for (site, size), many in counts.items():
        by_site[site][size] = many
    types = {site: type_of(site) for site in by_site}
    together: dict[tuple[str, str, int], set[int]] = defaultdict(set)
    for site, sizes in by_site.items():
        if types[site].layout is not None:
            together[types[site].group] |= set(sizes)
    built = {}
    for site, sizes in by_site.items():
        known = types[site]
        single = single_object(known, together[known.group] if known.layout else set(sizes))
        results = tuple(
            _one(known, size, many, single=single) for size, many in sorted(sizes.items())
        )
        built[site] = SiteSizes(known, results, _reason(known, results))
    return built


def single_object(known: SiteType, sizes: set[int]) -> bool:
    """Every request of the line asks for one object of the type."""
    return known.layout is not None and sizes == {known.layout.wide}


def _one(known: SiteType, size: int, many: int, *, single: bool) -> OneSize:
    exact = chip_size(known, size, single=single)
    if exact is not None:
        return OneSize(size, many, exact, exact, exact=True)
    lower = -(-size // 2)
    return OneSize(size, many, lower, size, exact=lower == size)


def chip_size(known: SiteType, size: int, *, single: bool) -> int | None:
    """None: it is not sure."""
    layout = known.layout
    if known.same:
        return size
    if layout is None or layout.doubt or layout.open or layout.wide <= 0:
        return None
    if single:
        return layout.narrow
    if known.product and size % layout.wide == 0:
        return size // layout.wide * layout.narrow
    return None


def _reason(known: SiteType, sizes: tuple[OneSize, ...]) -> str:
    if all(one.exact for one in sizes):
        return ""
    if known.reason or known.layout is None:
        return known.reason
    if known.layout.open:
        return f"{known.name} ends with an array of any length"
    if known.product:
        return f"its sizes are no multiples of {known.layout.wide}"
    return "the source does not show that it asks for a number of one type"
