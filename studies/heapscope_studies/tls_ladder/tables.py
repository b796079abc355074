"""Published beside computed, as tables, sentences and figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from heapscope.predict.forecast import Forecast
from heapscope_studies.conclusion import alike, concluded
from heapscope_studies.result import NO, Column, Table
from heapscope_studies.tls_ladder.constants import CONSTANTS, second_core
from heapscope_studies.tls_ladder.cost import CLOCKS, SlowDown
from heapscope_studies.tls_ladder.ladder import CALIBRATED, Firmware, Row

#: A step's gain agrees within 15 % or 1.5 KB, whichever is larger; the whole ladder within 5 %.
SHARE, LEAST, TOTAL_SHARE = 0.15, 1536, 0.05


@dataclass(frozen=True, kw_only=True)
class Gain:
    """One step, in bytes: the minimum free memory, and how the step changed it."""

    key: str
    title: str
    dram: int
    published_dram: int
    gain: int
    published: int
    iram: int
    published_iram: int
    iram_gain: int
    iram_published: int

    @property
    def allowed(self) -> int:
        return max(LEAST, int(SHARE * abs(self.published)))

    @property
    def holds(self) -> bool:
        return abs(self.gain - self.published) <= self.allowed


@dataclass(frozen=True, kw_only=True)
class Cost:
    key: str
    what: str
    unit: str
    published: float
    computed: float
    low: float | None = None  # of the 80 % band, where there is one
    high: float | None = None


def gains(rows: Sequence[Row], steps: Sequence[Mapping[str, Any]]) -> tuple[Gain, ...]:
    made = []
    for number, (row, told) in enumerate(zip(rows, steps, strict=True)):
        before, was = (rows[number - 1], steps[number - 1]) if number else (row, told)
        made.append(
            Gain(
                key=row.step.key,
                title=row.step.title,
                dram=row.dram,
                published_dram=told["dram"],
                gain=row.dram - before.dram,
                published=told["dram"] - was["dram"],
                iram=row.iram,
                published_iram=told["iram"],
                iram_gain=row.iram - before.iram,
                iram_published=told["iram"] - was["iram"],
            )
        )
    return tuple(made)


def costs(
    slow: SlowDown, tcp: tuple[Forecast, Forecast], mhz: int, told: Mapping[str, float]
) -> tuple[Cost, ...]:
    made = [
        Cost(
            key=f"tcp_{name}_mbps",
            what=f"TCP, {name} network",
            unit="Mbit/s",
            published=told[f"tcp_{name}"],
            computed=made.throughput_mbps["tcp_rx"].median,
            low=made.throughput_mbps["tcp_rx"].low_80,
            high=made.throughput_mbps["tcp_rx"].high_80,
        )
        for name, made in zip(("default", "minimal"), tcp, strict=True)
    ]
    for clock in sorted({mhz, *CLOCKS}):
        made.append(
            Cost(
                key="tls_slower_s" if clock == mhz else f"tls_slower_s_{clock}_mhz",
                what=f"1 MB over TLS, more with the buffers in IRAM, at {clock} MHz, at most",
                unit="s",
                published=told["tls_iram"] - told["tls_dram"],
                computed=slow.seconds(clock),
            )
        )
    return tuple(made)


def figures(found: Sequence[Gain], priced: Sequence[Cost]) -> dict[str, dict[str, float]]:
    climbed: dict[str, float] = {g.key: g.gain for g in found if g.key not in CALIBRATED}
    return {
        "tls_gains": climbed | {"total": total(found)[0]},
        "tls_iram": {gain.key: gain.iram_gain for gain in found if gain.key not in CALIBRATED},
        "tls_costs": {each.key: round(each.computed, 2) for each in priced},
    }


def total(found: Sequence[Gain]) -> tuple[int, int]:
    """Computed and published, from the first step to the last."""
    first, last = found[0], found[-1]
    return last.dram - first.dram, last.published_dram - first.published_dram


def findings(
    found: Sequence[Gain],
    priced: Sequence[Cost],
    firmware: Firmware,
    longer: Sequence[Gain],
    clients: tuple[int, int],
) -> Iterator[str]:
    """`clients`: peaks of the TLS client in the first step, computed and published."""
    computed, published = total(found)
    steps = [gain for gain in found if gain.key not in CALIBRATED]
    missed = [gain for gain in steps if not gain.holds]
    off = 100 * (computed - published) / published
    yield (
        f"{len(steps) - len(missed)} of {len(steps)} steps give what was published within 15 % or "
        f"1.5 KB; the whole ladder {computed:,} of {published:,} bytes ({off:+.1f} %)."
    )
    names = ", ".join(f"{g.title} ({g.gain:,} of {g.published:,})" for g in missed)
    if missed or abs(off) > 100 * TOTAL_SHARE:
        yield (
            f"Outside: {names or 'the whole alone'}. "
            + concluded(
                clients[0] < clients[1],
                "Our client has less to give: its",
                "Our client has no less to give: its",
            )
            + f" peak in the first step is {clients[0]:,} bytes, the study's {clients[1]:,}, with "
            "other certificates (ours come without a chain) and another library. And our "
            "dynamic buffers are of a record's own size, so that a handshake with such a "
            "certificate has little that IRAM could take."
        )
    yield (
        f"Only the first step's static use is found from published figures: {firmware.dram:,} "
        f"bytes of DRAM, {firmware.iram:,} of IRAM. It stands also for what the Wi-Fi driver takes "
        "and does not tell."
    )
    slow = next(each for each in priced if each.key == "tls_slower_s")
    yield (
        f"With the record buffers in IRAM, 1 MB takes at most {slow.computed:.1f} s longer, "
        f"published {slow.published:.1f} s. This rests on accesses counted on 32-bit x86, on the "
        "default clock, and on the trap's cycles, of which only the most is known."
    )
    tcp = next(each for each in priced if each.key == "tcp_minimal_mbps")
    yield f"The minimal network's {tcp.published:g} Mbit/s are " + concluded(
        alike(tcp.computed, tcp.published),
        f"what the throughput model gives ({tcp.computed:.1f}), within {SHARE:.0%}.",
        f"not what the throughput model gives ({tcp.computed:.1f}): it is fitted to ranks in a "
        "shielded box, some as small as this, and the study does not tell its link.",
    )
    yield (
        "With records of 16 KB in both directions the dynamic buffers give "
        f"{_of(longer, 'dynamic'):,} bytes instead of {_of(found, 'dynamic'):,}, and IRAM "
        f"{_of(longer, 'iram'):,} instead of {_of(found, 'iram'):,}"
        + concluded(
            _of(longer, "dynamic") < _of(found, "dynamic"),
            ": the peak is then that of a record, beside the network's own.",
            ".",
        )
    )


def _of(found: Sequence[Gain], key: str) -> int:
    return next(gain.gain for gain in found if gain.key == key)


def _bytes(key: str, heading: str, **options: Any) -> Column:
    return Column(key=key, heading=heading, unit="B", **options)


def ladder(found: Sequence[Gain]) -> Table:
    computed, published = total(found)
    rows = [
        (
            gain.title,
            gain.published_dram,
            gain.dram,
            gain.published,
            gain.gain,
            gain.gain - gain.published,
            "calibrated" if gain.key in CALIBRATED else "yes" if gain.holds else NO,
            gain.iram_published,
            gain.iram_gain,
            gain.iram_gain - gain.iram_published,
        )
        for gain in found
    ]
    within = "yes" if abs(computed - published) <= TOTAL_SHARE * published else NO
    irams = sum(g.iram_published for g in found), sum(g.iram_gain for g in found)
    whole = ("the whole", None, None, published, computed, computed - published, within)
    return Table(
        key="ladder",
        title="Minimum free memory and what each step gains, published (p) and computed (c), bytes",
        columns=(
            Column(key="step", heading="step", name=True),
            _bytes("dram_published", "DRAM\np"),
            _bytes("dram_computed", "DRAM\nc"),
            _bytes("gain_published", "gain\np", signed=True),
            _bytes("gain_computed", "gain\nc", signed=True),
            _bytes("gain_difference", "difference", signed=True, judged_by="holds"),
            Column(key="holds", heading="within\nbounds", name=True),
            _bytes("iram_published", "IRAM\np", signed=True),
            _bytes("iram_computed", "IRAM\nc", signed=True),
            _bytes("iram_difference", "difference", signed=True, wide=True),
        ),
        rows=(*rows, (*whole, *irams, irams[1] - irams[0])),
        notes=(
            "DRAM: what 8-bit requests can have; each heap's minimum added up, as ESP-IDF does.",
            "Bounds: 15 % of a gain or 1,536 bytes, whichever is larger; 5 % of the whole.",
        ),
    )


def tasks(rows: Sequence[Row], steps: Sequence[Mapping[str, Any]]) -> Table:
    made = []
    for row, told in zip(rows, steps, strict=True):
        client = row.tasks["aws_iot"]
        other = [(told[name], row.tasks[name][0]) for name in ("tcpip", "wifi")]
        both = [pair for each in other for pair in each]
        made.append(
            (row.step.title, told["aws_iot"][0], client[0], told["aws_iot"][1], client[1], *both)
        )
    return Table(
        key="tasks",
        title="Peak of each task, published (p) and computed (c), bytes",
        columns=(
            Column(key="step", heading="step", name=True),
            *(
                _bytes(f"{key}_{side}", f"{name}\n{side[0]}")
                for key, name in (
                    ("client", "client"),
                    ("client_iram", "in IRAM"),
                    ("tcpip", "tiT"),
                    ("wifi", "wifi"),
                )
                for side in ("published", "computed")
            ),
        ),
        rows=tuple(made),
        notes=(
            "Not held to bounds: the driver's own structures are not public, and the study's "
            "certificates are not ours. tiT has its stack of 3,072 bytes here.",
        ),
    )


def cost_table(priced: Sequence[Cost]) -> Table:
    return Table(
        key="costs",
        title="The cost of the steps",
        columns=(
            Column(key="what", heading="what", name=True),
            Column(key="unit", heading="unit", name=True),
            Column(key="published", heading="published", digits=1),
            Column(key="computed", heading="computed", digits=2),
            Column(key="difference", heading="difference", digits=2, signed=True),
            Column(key="low_80", heading="80 % band\nfrom", digits=1),
            Column(key="high_80", heading="to", digits=1),
        ),
        rows=tuple(
            (c.what, c.unit, c.published, c.computed, c.computed - c.published, c.low, c.high)
            for c in priced
        ),
    )


def longer_messages(found: Sequence[Gain], longer: Sequence[Gain]) -> Table:
    return Table(
        key="longer_messages",
        title="The same with messages of up to 16 KB both ways, bytes",
        columns=(
            Column(key="step", heading="step", name=True),
            _bytes("gain_published", "gain\npublished", signed=True),
            _bytes("gain_short", "short\nmessages", signed=True),
            _bytes("gain_long", "to 16 KB", signed=True),
            _bytes("iram_long", "IRAM\nto 16 KB", signed=True),
        ),
        rows=tuple(
            (short.title, short.published, short.gain, long.gain, long.iram_gain)
            for short, long in zip(found, longer, strict=True)
        ),
        notes=(
            "The study's client publishes and receives short ones; the rows above are of these.",
        ),
        detail=True,
    )


def parts(use: Mapping[str, int]) -> Table:
    return Table(
        key="second_core",
        title="Bytes that the second core takes",
        columns=(
            Column(key="part", heading="part", name=True),
            Column(key="count", heading="count"),
            _bytes("each", "each"),
            _bytes("total", "in all"),
            Column(key="where", heading="where", name=True),
        ),
        rows=tuple(
            (p.what, p.count, p.each, p.total, "heap" if p.heap else "static")
            for p in second_core(use)
        ),
        notes=(
            "Beside these the layout has the ROM's data of that core and its 32 KB cache as heap.",
        ),
        detail=True,
    )


def constants() -> Table:
    return Table(
        key="constants",
        title="Every constant of these tables",
        columns=(
            Column(key="name", heading="name", name=True),
            Column(key="value", heading="value"),
            Column(key="what", heading="what", name=True),
            Column(key="source", heading="source", name=True),
        ),
        rows=tuple((n, c.value, c.what, c.source) for n, c in CONSTANTS.items()),
        notes=(
            "Those of Wi-Fi and lwIP stand in studies/workloads/tenants, each with its source.",
        ),
        detail=True,
    )
