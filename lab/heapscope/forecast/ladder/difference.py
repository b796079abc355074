"""The rows of an answer: what differs between configurations, and what each difference gives."""

from __future__ import annotations

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Document, Row
from heapscope.forecast.predict.forecast import Band
from heapscope.forecast.predict.known_gain import is_known_gain
from heapscope.forecast.predict.state_memory import ByteBand, StateFree

LINE, DEFAULT, RELEASE, CODE, REST = "line", "default", "release", "code", "rest"


class GainBand(Row):
    """Bytes gained, and a band that is to hold 80 % of all cases."""

    median: int = figure("The middle; below 0: so much is lost.", "B", least=None)
    low_80: int = figure("The lower bound of the 80 % band.", "B", least=None)
    high_80: int = figure("The upper bound of the 80 % band.", "B", least=None)

    @property
    def is_known_gain(self) -> bool:
        """Its band does not leave open whether anything is gained or lost."""
        return is_known_gain(self.median, self.low_80, self.high_80)


class SpeedGain(Row):
    """Throughput gained, and a band that is to hold 80 % of all cases."""

    median: float = figure("The middle; below 0: it is slower.", "Mbit/s", least=None, digits=2)
    low_80: float = figure("The lower bound of the 80 % band.", "Mbit/s", least=None, digits=2)
    high_80: float = figure("The upper bound of the 80 % band.", "Mbit/s", least=None, digits=2)


class MemoryGain(Row):
    """Memory gained in a state."""

    dram: GainBand = figure("Internal memory that malloc gives, RTC memory with it.")
    iram: GainBand = figure("Instruction memory of the ESP32 that no code takes.")
    psram: GainBand = figure("PSRAM.")


class Gained(Row):
    """The memory and the throughput that are gained; what is lost is below 0."""

    left: MemoryGain = figure(
        "When everything is at work that a configuration has: its busiest state."
    )
    static_dram: GainBand = figure(
        "The part of left's dram that code and data give; the rest of it is allocated."
    )
    states: dict[str, MemoryGain] = figure("By state that both configurations have.")
    throughput_mbps: dict[str, SpeedGain] = figure(
        "By protocol and direction; empty: a chip has no Wi-Fi of its own.", "Mbit/s"
    )


class OptionGain(Row):
    """An option that differs, and what it gives."""

    option: str = figure("The option without CONFIG_; release, code or rest: no option.")
    before: str = figure("Its final value before; -: there is no such option.")
    after: str = figure("Its final value after.")
    cause: str = figure(
        "Why it differs: a line of a file; a default, which other options or the release make; the "
        "release itself; what a core's own code does; what is left over.",
        choices=(LINE, DEFAULT, RELEASE, CODE, REST),
    )
    follow: tuple[str, ...] = figure("Options that change with it, as Kconfig's defaults do.")
    gain: Gained = figure("The gain of it and of what follows.")


class UnknownOption(Row):
    """An option that differs, and of which neither a part of memory nor the throughput tells."""

    option: str = figure("The option without CONFIG_.")
    before: str = figure("Its final value before.")
    after: str = figure("Its final value after.")
    line: bool = figure("A file has a line for it.")


class Rung(Row):
    """A configuration and what it gives."""

    name: str = figure("The configuration as it was named.")
    chip: str = figure("The chip.")
    release: str = figure("The release of ESP-IDF.")
    left: ByteBand = figure("Internal memory left when everything is at work.")
    states: dict[str, StateFree] = figure("The free memory by state, as predict has it.")
    throughput_mbps: dict[str, Band] = figure("The throughput of one stream.", "Mbit/s", digits=2)


class ReplayedMemory(Row):
    """A configuration's memory with the program's own trace in it. Each heap's minimum is added up,
    as the SDK's own function does."""

    name: str = figure("The configuration.")
    trace: str = figure("The trace.")
    minimum_free: int = figure("The least that malloc had free.", "B")
    gained: int = figure("The difference from the configuration before it.", "B", least=None)
    minimum_free_iram: int = figure("The least that instruction memory had free.", "B")
    gained_iram: int = figure("The same difference of it.", "B", least=None)
    failures: int = figure("Requests that failed.", "requests")


class Difference(Row):
    """The step from one configuration to another."""

    total: Gained = figure("The sum of the gains.")
    options: tuple[OptionGain, ...] = figure(
        "The differences, the largest gain or loss first; those far below their bands last."
    )
    unknown: tuple[UnknownOption, ...] = figure("Options of which nothing is known.")


class Ladder(Document):
    """A staircase of configurations."""

    VERB = "compare"
    KIND = "configurations"
    VERSION = 1
    main_table = "rungs"

    rungs: tuple[Rung, ...] = figure("The configurations, in their order.", entries=(2, None))
    steps: tuple[Difference, ...] = figure(
        "The step to each configuration but the first from the one before it.", entries=(1, None)
    )
    total: Gained = figure("The gain of the last one over the first.")
    replayed: tuple[ReplayedMemory, ...] = figure(
        "The configurations with the trace in their memory, in their order; empty: none was given."
    )
    rests_on: tuple[str, ...] = figure("The sources, and the rule of the shares.")
    notes: tuple[str, ...] = figure("The sentences that limit the worth of the answer.")
