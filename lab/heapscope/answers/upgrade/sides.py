"""The two memories that are compared part by part, out of options that may be given twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from heapscope.answers.upgrade.chain import Sides, with_use_of
from heapscope.answers.upgrade.offers import LayoutIdea
from heapscope.answers.upgrade.startup import fit_startup, with_startup
from heapscope.answers.upgrade.waterfall import Measured
from heapscope.base.errors import InputError
from heapscope.base.option import flag
from heapscope.base.sizes import parse_size
from heapscope.config.releases import find_release, finished, minor_of
from heapscope.forecast.predict.knob_choice import choose_knobs
from heapscope.forecast.predict.knob_offers import KnobOffer
from heapscope.forecast.predict.memory_choice import choose_memory, is_predicted
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.sdkconfig import read_sdkconfig
from heapscope.memory.layout.versions import version_of
from heapscope.memory.options import MemoryOptions, given, per_side

EXAMPLE = "for example: heapscope compare T.hst --chip esp32 --idf 4.2 --idf 5.5 --parts"
FIRMWARE = ("boot_log", "elf", "map", "bin", "static_dram", "static_iram")  # what tells static use
BUILD = ("idf", "sdkconfig", "allocator")  # what of a side is not its firmware's memory

Make = Callable[[MemoryOptions], Layout]


def measured_of(texts: Sequence[int | str]) -> Measured:
    if len(texts) > 2:
        raise InputError(
            f"--reported-free given {len(texts)} times, but there are two versions",
            remedy="give it once, for the version before, or twice",
        )
    values = [parse_size(text, what="--reported-free") for text in texts]
    before, after, *_ = (*values, None, None)
    return before, after


class Upgrade:
    """Both sides as the options have them. InputError where these contradict each other."""

    def __init__(
        self,
        trace: Path | None,
        shared: MemoryOptions,
        sides: Sequence[MemoryOptions],
        *,
        caps: int,
        measured: Measured,
    ) -> None:
        self._trace = trace
        self._startup: int | None = None
        self._note = ""
        self._twice = {name for side in sides for name in given(side)}
        self._versions(shared)
        self._options = per_side(shared, sides, count=2)
        before, after = self._options
        old = self._make(before)
        if measured[0] is not None:
            fit = fit_startup(old, measured[0], caps)
            self._startup, self._note = fit.use, fit.note
            old = self._make(before)
        new = self._make(after)
        predicted = is_predicted(before) and is_predicted(after)
        crossed, why = (with_use_of(old, new), "") if predicted else self._crossed()
        self.sides = Sides(
            before=old,
            after=new,
            crossed=crossed,
            why=why,
            checks=self._checks(),
            static_known=predicted or bool(self._twice.intersection(FIRMWARE)),
            predicted=predicted,
            options=self._differing(),
        )

    def _versions(self, shared: MemoryOptions) -> None:
        if "place" in {*shared, *self._twice}:
            raise InputError(
                "--parts and --place: what rules change is in no part",
                remedy="leave one of them out",
            )
        if self._twice.intersection(("idf", "layout", "boot_log")):
            return
        if "allocator" in self._twice and ("pool" in {*shared, *self._twice} or "layout" in shared):
            return
        raise InputError("--parts: no version differs", remedy=f"give an option twice; {EXAMPLE}")

    def _make(self, options: MemoryOptions) -> Layout:
        layout = choose_memory(_for_pool(options), self._trace).layout
        if self._startup is None:
            return layout
        return with_startup(layout, self._startup, note=self._note)

    def _crossed(self) -> tuple[Layout | None, str]:
        """The new version with the firmware of before; None, and why, where that is impossible."""
        before, after = self._options
        if not self._twice.difference(BUILD):
            return self._make(after), ""
        if "layout" in after or "pool" in after:
            return None, "a layout file says all of a version"
        crossed = given({name: value for name, value in before.items() if name not in BUILD})
        crossed |= given({name: value for name, value in after.items() if name in BUILD})
        if "idf" not in crossed:  # the version of the new log, which is not read here
            crossed["idf"] = self._make(after).sdk.split(" ")[0]
        try:
            return self._make(crossed), ""
        except InputError as error:
            return None, error.message

    def _differing(self) -> str:
        """Options of the build that differ besides what tells static use, for people."""
        before, after = self._options
        names = self._twice.difference(FIRMWARE, BUILD, ("layout", "pool"))
        differ = sorted(name for name in names if before.get(name) != after.get(name))
        return ", ".join(map(flag, differ))

    def _checks(self) -> tuple[str, str] | None:
        """The checks that the sdkconfigs ask for; the heap of each version decides about them."""
        before, after = self._options
        old, new = before.get("sdkconfig"), after.get("sdkconfig")
        if old is None or new is None:
            return None
        return read_sdkconfig(old).flavour, read_sdkconfig(new).flavour

    # ---- what could be had after the upgrade -----------------------------------------------------

    def ideas(self) -> Iterator[LayoutIdea]:
        """Options of the chip and its build, and later versions."""
        after = self._options[1]
        if "layout" in after or "pool" in after:
            return
        for changes, text in _SWITCHES:
            if not set(changes).intersection(after):
                yield self._idea("option", text, changes)
        for version in self._later():
            yield self._idea("version", f"Go on to ESP-IDF {version}.", {"idf": version})

    def knobs(self) -> tuple[tuple[KnobOffer, ...], str]:
        """Options of the SDK that give memory back, as predicted; and of which configuration."""
        return choose_knobs(self.sides.after, self._options[1].get("sdkconfig"))

    def _idea(self, kind: str, text: str, changes: Mapping[str, str]) -> LayoutIdea:
        options = given({**self._options[1], **changes})
        return LayoutIdea(
            kind=kind,
            text=text,
            options=" ".join(f"{flag(name)} {value}" for name, value in changes.items()),
            layout=lambda: self._make(options),
        )

    def _later(self) -> Iterator[str]:
        """The last release of the same minor, and the last of all, where they have another
        allocator; of a development branch nothing is later."""
        layout = self.sides.after
        chip = load_chip(layout.chip).data
        now = find_release(layout.sdk.split(" ")[0])
        same = [name for name in finished() if minor_of(name) == now.minor]
        for name in dict.fromkeys((*same[-1:], finished()[-1])):
            last = find_release(name)
            others = [version_of(chip, one) for one in (now, last)]
            allocators = {one.allocator for one in others if one is not None}
            if same and last.order > now.order and len(allocators) > 1:
                yield name


_SWITCHES: tuple[tuple[dict[str, str], str], ...] = (
    ({"rtc": "on"}, "Give the RTC fast memory to the heap."),
    ({"memprot": "off"}, "Do without memory protection."),
    ({"cores": "1"}, "Run on one core (CONFIG_FREERTOS_UNICORE)."),
    ({"cores": "1", "rtc": "on"}, "Run on one core, with the RTC fast memory as heap."),
)


def _for_pool(options: MemoryOptions) -> MemoryOptions:
    """A pool and a layout file know no version but by its allocator."""
    idf = options.get("idf")
    if idf is None or ("pool" not in options and "layout" not in options):
        return options
    rest = given({name: value for name, value in options.items() if name != "idf"})
    return (
        rest if "allocator" in rest else given({**rest, "allocator": find_release(idf).allocator})
    )
