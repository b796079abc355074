"""The two versions of `heapscope upgrade`, out of options that may be given twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from heapscope.cli.knob_choice import choose_knobs
from heapscope.cli.layout_choice import choose_memory
from heapscope.cli.shared import LayoutOptions
from heapscope.cli.sides import split
from heapscope.errors import HeapscopeError, InputError
from heapscope.layout.chips import load_chip
from heapscope.layout.layout import Layout
from heapscope.layout.sdkconfig import read_sdkconfig
from heapscope.layout.versions import find_version, parse_idf
from heapscope.predict.knob_offers import KnobOffer
from heapscope.sizes import parse_size
from heapscope.upgrade.chain import Sides
from heapscope.upgrade.offers import LayoutIdea
from heapscope.upgrade.startup import fit_startup, with_startup
from heapscope.upgrade.waterfall import Measured

__all__ = ["Upgrade", "measured_of"]

EXAMPLE = "for example: heapscope upgrade T.hst --chip esp32 --from 4.2 --to 5.5"
FIRMWARE = ("boot_log", "elf", "map", "static_dram", "static_iram")  # what tells static use
BUILD = ("idf", "sdkconfig", "allocator")  # what of a side is not its firmware's memory

Make = Callable[[LayoutOptions], Layout]


def measured_of(texts: Sequence[str]) -> Measured:
    if len(texts) > 2:
        raise HeapscopeError(
            f"--reported-free given {len(texts)} times, but there are two versions",
            remedy="give it once, for the version before, or twice",
        )
    values = [parse_size(text, what="--reported-free") for text in texts]
    before, after, *_ = (*values, None, None)
    return before, after


class Upgrade:
    """Both sides as the options have them. HeapscopeError where these contradict each other."""

    def __init__(
        self,
        trace: Path | None,
        given: Mapping[str, Sequence[str]],
        *,
        caps: int,
        measured: Measured,
    ) -> None:
        self._trace = trace
        self._startup: int | None = None
        self._note = ""
        self._versions(trace, given)
        self._options = split(given)
        before, after = self._options
        self._twice = {name for name, values in given.items() if len(values) == 2}
        old = self._make(before)
        if measured[0] is not None:
            fit = fit_startup(old, measured[0], caps)
            self._startup, self._note = fit.use, fit.note
            old = self._make(before)
        new = self._make(after)
        crossed, why = self._crossed()
        self.sides = Sides(
            before=old,
            after=new,
            crossed=crossed,
            why=why,
            checks=self._checks(),
            static_known=bool(self._twice.intersection(FIRMWARE)),
            options=self._differing(),
        )

    def _versions(self, trace: Path | None, given: Mapping[str, Sequence[str]]) -> None:
        if given["idf"] or len(given["layout"]) == 2 or len(given["boot_log"]) == 2:
            return
        if len(given["allocator"]) == 2 and (given["pool"] or given["layout"]):
            return
        raise HeapscopeError(
            "upgrade from which version to which?", remedy=f"give --from and --to; {EXAMPLE}"
        )

    def _make(self, options: LayoutOptions) -> Layout:
        layout = choose_memory(_for_pool(options), self._trace).layout
        if self._startup is None:
            return layout
        return with_startup(layout, self._startup, note=self._note)

    def _crossed(self) -> tuple[Layout | None, str]:
        """The new version with the firmware of before; None, and why, where there can be none."""
        before, after = self._options
        if not self._twice.difference(BUILD):
            return self._make(after), ""
        if after.layout is not None or after.pool is not None:
            return None, "a layout file says all of a version"
        kept = {name: getattr(after, name) for name in BUILD}
        if kept["idf"] is None:  # the version of the new log, which is not read here
            kept["idf"] = self._make(after).sdk.split(" ")[0]
        try:
            return self._make(replace(before, **kept)), ""
        except InputError as error:
            return None, error.message

    def _differing(self) -> str:
        """Options of the build that differ besides what tells static use, for people."""
        before, after = self._options
        names = self._twice.difference(FIRMWARE, BUILD, ("layout", "pool"))
        differ = sorted(name for name in names if getattr(before, name) != getattr(after, name))
        return ", ".join(map(_flag, differ))

    def _checks(self) -> tuple[str, str] | None:
        """As the sdkconfigs ask for them: what a version makes of that is the heap's own affair."""
        before, after = self._options
        if before.sdkconfig is None or after.sdkconfig is None:
            return None
        return read_sdkconfig(before.sdkconfig).flavour, read_sdkconfig(after.sdkconfig).flavour

    # ---- what could be had after the upgrade -----------------------------------------------------

    def ideas(self) -> Iterator[LayoutIdea]:
        """Options of the chip and its build, and later versions."""
        after = self._options[1]
        if after.layout is not None or after.pool is not None:
            return
        for changes, text in _SWITCHES:
            if all(getattr(after, name) is None for name in changes):
                yield self._idea("option", text, changes)
        for version in self._later():
            yield self._idea("version", f"Go on to ESP-IDF {version}.", {"idf": version})

    def knobs(self) -> tuple[tuple[KnobOffer, ...], str]:
        """Options of the SDK that give memory back, as predicted; and of which configuration."""
        return choose_knobs(self.sides.after, self._options[1].sdkconfig)

    def _idea(self, kind: str, text: str, changes: Mapping[str, str]) -> LayoutIdea:
        options = replace(self._options[1], **changes)
        return LayoutIdea(
            kind=kind,
            text=text,
            options=" ".join(f"{_flag(name)} {value}" for name, value in changes.items()),
            layout=lambda: self._make(options),
        )

    def _later(self) -> tuple[str, ...]:
        """Releases of the chip after the new version; of a development branch nothing is later."""
        layout = self.sides.after
        chip = load_chip(layout.chip)
        now = find_version(layout.sdk, chip.data.versions)
        names = [version.name for version in chip.data.versions if not version.development]
        return tuple(names[names.index(now) + 1 :]) if now in names else ()


_SWITCHES: tuple[tuple[dict[str, str], str], ...] = (
    ({"rtc": "on"}, "Give the RTC fast memory to the heap."),
    ({"memprot": "off"}, "Do without memory protection."),
    ({"cores": "1"}, "Run on one core (CONFIG_FREERTOS_UNICORE)."),
    ({"cores": "1", "rtc": "on"}, "Run on one core, with the RTC fast memory as heap."),
)


def _flag(name: str) -> str:
    return "--to" if name == "idf" else "--" + name.replace("_", "-")


def _for_pool(options: LayoutOptions) -> LayoutOptions:
    """A pool and a layout file know no version but by its allocator."""
    if options.idf is None or (options.pool is None and options.layout is None):
        return options
    if options.allocator is not None:
        return replace(options, idf=None)
    return replace(options, idf=None, allocator=f"idf-{parse_idf(options.idf)}")
