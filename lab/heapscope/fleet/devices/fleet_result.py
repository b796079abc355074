"""The answer about many devices."""

from __future__ import annotations

from heapscope.answers.series.judge import VERDICTS
from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Document, Row
from heapscope.logs.heaps.request_fit import UntilRow


class FleetGroupRow(Row):
    """The devices of one build and chip."""

    build: str = figure("The version of the program; empty: not known.", heading="build")
    chip: str = figure("The chip; empty: not known.", heading="chip")
    devices: int = figure("Its devices.", heading="devices")
    free: int | None = figure(
        "The free bytes that half of them usually have at least; null: not reported.",
        "B",
        heading="usually free",
    )
    largest: int | None = figure(
        "The same of the largest free block.", "B", heading="largest block"
    )
    dying: int = figure("Those whose series is a leak or fragmentation.", heading="dying")
    failed: int = figure("Those on which a need did not fit once.", heading="failed")


class FleetDifferenceRow(Row):
    """One build against the others, within each chip."""

    build: str = figure("The build.", heading="build")
    what: str = figure("free, largest, or the need whose end is compared.", heading="figure")
    devices: int = figure("Its devices.", heading="devices")
    others: int = figure("Those that it is compared with.", heading="others")
    share: float | None = figure(
        "How much more the usual device of it has than one of the others, as a share of theirs; "
        "negative: less; null: lives are compared.",
        least=None,
        digits=4,
    )
    low: float | None = figure("Lower end of the interval of 19 of 20.", least=None, digits=4)
    high: float | None = figure("Its upper end.", least=None, digits=4)
    hazard: float | None = figure(
        "How many times as often its devices fail in a time; null: levels are compared.", digits=2
    )
    chance: float = figure("How likely chance alone gives as much.", digits=6)
    rate: float = figure(
        "The least false discovery rate of all that is compared here at which it is a difference.",
        digits=6,
    )
    worse: bool = figure("Whether it is worse, at a rate of 5 per cent.")


class SurvivalRow(Row):
    """The share of a build's devices on which a need always fitted up to a time."""

    build: str = figure("The build; empty: all devices.", heading="build")
    size: int = figure("Bytes of the need.", "B", heading="need")
    devices: int = figure("Devices whose lines tell a time.", heading="devices")
    failed: int = figure("Those on which it did not fit once.", heading="failed")
    seconds: float = figure("The longest time that one of them was watched.")
    alive: float = figure("The share then (Kaplan and Meier).", digits=4)
    low: float = figure("Lower end of the interval of 19 of 20.", digits=4)
    high: float = figure("Its upper end.", digits=4)
    median: float | None = figure("Seconds after which half of them have failed; null: fewer have.")
    curve: tuple[tuple[float, float], ...] = figure(
        "Seconds, and the share that lives from then on; at most 500 points."
    )


class FleetDeviceRow(Row):
    """A device to look at."""

    device: str = figure("Its name.", heading="device")
    build: str = figure("Its build.", heading="build")
    chip: str = figure("Its chip.", heading="chip")
    last: int = figure("The last level that decides.", "B", heading="last")
    verdict: str = figure(
        "The verdict about its series; empty: it was not judged.",
        choices=("", *VERDICTS),
        heading="series",
    )
    risk: float | None = figure("How likely that is wrong; null: not judged.", digits=2)
    need: int | None = figure("The need that the date is of; null: no date.", "B")
    until: UntilRow | None = figure("Seconds from its last sample until it fits no more.")
    reason: str = figure("Why it is worth a look, as a clause.", heading="why")


class FleetResult(Document):
    """Many devices, answered."""

    VERB = "log"
    KIND = "fleet"
    VERSION = 1
    main_table = "groups"

    source: str = figure("The files, folders or patterns, as they were named.")
    verdict: tuple[str, ...] = figure("The answer in sentences, the first one first.")
    devices: int = figure("Devices that tell figures of a heap.")
    lines: int = figure("Lines or rows that were read.")
    needs: tuple[int, ...] = figure("The needs.", "B")
    groups: tuple[FleetGroupRow, ...] = figure("By build and chip.")
    differences: tuple[FleetDifferenceRow, ...] = figure("Each build against the others.")
    survival: tuple[SurvivalRow, ...] = figure("Until the first need that failed.")
    look_at: tuple[FleetDeviceRow, ...] = figure("The ten devices to look at.")
    without: tuple[str, ...] = figure("Devices whose lines tell no figure of a heap.")
    notes: tuple[str, ...] = figure("Remarks, a sentence each.")
