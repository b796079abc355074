"""Used, allocated and utilisation at the six marks, published beside recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from heapscope_studies.conclusion import alike, concluded
from heapscope_studies.ice_pools.recorded import PUBLISHED, Call
from heapscope_studies.result import Cell, Check, Column, Plot, Series, Table

CONFIGURATIONS: list[dict[str, Any]] = PUBLISHED["configuration"]
DEFAULT: dict[str, Any] = CONFIGURATIONS[0]
QUIET = "idle"  #: nothing is negotiated there
PACKETS = "PJNATH_POOL_LEN_STUN_TDATA"  #: a pool each
WHAT = ("used", "allocated")

Calls = Mapping[str, Call]


def tables(calls: Calls) -> Iterator[Table]:
    for one in CONFIGURATIONS:
        yield _marks(one, calls[one["key"]])
    yield _ratios(calls)


def _marks(one: dict[str, Any], call: Call) -> Table:
    return Table(
        key=f"marks_{one['key']}",
        title=f"Bytes of all pools at six marks: {one['title']}",
        columns=(
            Column(key="mark", heading="Mark", name=True),
            *(column for what in WHAT for column in _pair(what)),
            Column(key="utilisation_published", heading="utilisation % published", unit="%"),
            Column(key="utilisation_computed", heading="computed", unit="%"),
            Column(key="utilisation_difference", heading="difference", unit="%", signed=True),
        ),
        rows=tuple(_rows(one, call)),
    )


def _pair(what: str) -> tuple[Column, ...]:
    return (
        Column(key=f"{what}_published", heading=f"{what} published", unit="bytes"),
        Column(key=f"{what}_computed", heading="computed", unit="bytes"),
        Column(key=f"{what}_difference", heading="difference", unit="bytes", signed=True),
    )


def _rows(one: dict[str, Any], call: Call) -> Iterator[tuple[Cell, ...]]:
    for index, mark in enumerate(PUBLISHED["marks"]):
        cells: list[Cell] = [mark]
        used, allocated = call.at(mark)
        for what, computed in zip(WHAT, (used, allocated), strict=True):
            published = one[what][index]
            cells += [published, computed, computed - published]
        share = used * 100 // allocated  # as PJLIB's dump rounds
        told = one["utilisation"][index]
        yield (*cells, told, share, share - told)


# ---- curves -------------------------------------------------------------------------------------


def plots(calls: Calls) -> Iterator[Plot]:
    for what in WHAT:
        yield Plot(
            key=f"{what}_by_mark",
            title=f"Bytes of all pools {what} at six marks",
            x_heading="mark",
            x_labels=tuple(PUBLISHED["marks"]),
            y_heading=what,
            y_unit="B",
            series=tuple(
                curve for one in CONFIGURATIONS for curve in _curves(one, calls[one["key"]], what)
            ),
            notes=(
                "Absolute figures are of another version: what compares is the shape, and the "
                "distance from the defaults.",
            ),
        )


def _curves(one: dict[str, Any], call: Call, what: str) -> tuple[Series, Series]:
    x = tuple(float(number) for number in range(len(PUBLISHED["marks"])))
    computed = tuple(call.at(mark)[WHAT.index(what)] for mark in PUBLISHED["marks"])
    ours = Series(name=f"{one['title']}, computed", x=x, y=computed)
    told = Series(name=f"{one['title']}, published", x=x, y=tuple(one[what]), beside=ours.name)
    return ours, told


# ---- ratios -------------------------------------------------------------------------------------


def _ratios(calls: Calls) -> Table:
    return Table(
        key="ratios",
        title=f"Against the defaults, at the mark '{PUBLISHED['peak']}'",
        columns=(
            Column(key="configuration", heading="Configuration", name=True),
            *(
                Column(key=f"{what}_{side}", heading=heading, digits=3, signed=side == "difference")
                for what in WHAT
                for side, heading in (
                    ("published", f"{what} published"),
                    ("computed", "computed"),
                    ("difference", "difference"),
                )
            ),
        ),
        rows=tuple(
            (one["title"], *(cell for what in WHAT for cell in _ratio_cells(calls, one, what)))
            for one in CONFIGURATIONS[1:]
        ),
        notes=(
            "absolute figures are of another version: 2.12.1 (Jami's fork), 32-bit; the study has "
            "1.6 on 64 bit. This one has larger limits, a lock with a pool of its own for each "
            "object, and tables for ICE over TCP in its sockets",
            "the fork's 64 KB buffers for ICE over TCP, two in each transport and one for each "
            "socket, are cut: a call over UDP has no use for them",
            "loopback with a delay of 20 to 30 ms one way; pjsua's and the media transport's own "
            "pools are not part of it",
        ),
    )


def _ratio_cells(calls: Calls, one: dict[str, Any], what: str) -> tuple[float, float, float]:
    published, computed = _ratio(calls, one, what)
    return published, computed, computed - published


def _ratio(
    calls: Calls, one: dict[str, Any], what: str, *, mark: str = PUBLISHED["peak"]
) -> tuple[float, float]:
    """Published and computed, of this configuration to the defaults."""
    place, index = WHAT.index(what), PUBLISHED["marks"].index(mark)
    computed = calls[one["key"]].at(mark)[place] / calls[DEFAULT["key"]].at(mark)[place]
    return one[what][index] / DEFAULT[what][index], computed


def findings(calls: Calls) -> Iterator[str]:
    told = " and ".join(
        f"{one['title']} {ours:.2f} (published {theirs:.2f})"
        for one in CONFIGURATIONS[1:]
        for theirs, ours in [_ratio(calls, one, "allocated")]
    )
    yield f"Allocated at the peak, against the defaults: {told}."
    highest = {one["title"]: _highest(calls[one["key"]]) for one in CONFIGURATIONS}
    same = set(highest.values()) == {PUBLISHED["peak"]}
    which = f"at '{PUBLISHED['peak']}', as published" if same else f"at {highest}"
    yield f"Most is allocated {which}, in {len(highest)} configurations; there are six marks."
    yield _where(calls)


def _where(calls: Calls) -> str:
    """Where the tuned call gains less than published."""
    one, call = CONFIGURATIONS[1], calls[CONFIGURATIONS[1]["key"]]
    place = dict(call.trace.marks)[PUBLISHED["peak"]]
    packets = int(call.now.groups[PACKETS].allocated[place])
    quiet = _ratio(calls, one, "allocated", mark=QUIET)
    theirs, ours = _ratio(calls, one, "allocated")
    more = call.at(PUBLISHED["peak"])[1] * (1 - theirs / ours)
    return (
        f"The {one['title']} call's figure is "
        + concluded(
            0 < more <= packets and alike(quiet[1], quiet[0]),
            "that of more checks under way: ",
            "not that of checks under way alone: ",
        )
        + f"at the peak {packets:,} B of its {call.at(PUBLISHED['peak'])[1]:,} are their packets "
        f"({PACKETS}); at "
        f"'{QUIET}', where there are none, it is {quiet[1]:.2f} (published {quiet[0]:.2f})."
    )


def _highest(call: Call) -> str:
    marks: list[str] = PUBLISHED["marks"]
    return max(marks, key=lambda mark: call.at(mark)[1])


def checks(calls: Calls) -> Iterator[Check]:
    """Pools replayed with their recorded sizes grow when and by what they did."""
    for one in CONFIGURATIONS:
        totals = calls[one["key"]].now.totals
        yield Check(
            what=f"growths of pools, {one['title']}, recorded and replayed",
            published=totals.growths,
            computed=totals.calls - totals.pools if totals.unlike == 0 else None,
        )


def figures(calls: Calls) -> dict[str, dict[str, float]]:
    return {
        "ice_peaks": {
            f"{one['key']}_{what}": float(calls[one["key"]].at(PUBLISHED["peak"])[index])
            for one in CONFIGURATIONS
            for index, what in enumerate(WHAT)
        },
        "ice_ratios": {
            f"{one['key']}_{what}_{side}": value
            for one in CONFIGURATIONS[1:]
            for what in WHAT
            for side, value in zip(("published", "computed"), _ratio(calls, one, what), strict=True)
        },
    }
