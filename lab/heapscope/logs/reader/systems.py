"""States of a heap as other systems print them: Arduino's report, NuttX, Zephyr, LVGL, Tasmota and
more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from heapscope.native.log import Fact

#: Lines of one report stand this close together.
_CLOSE = 12
_MEMORIES_MAX = 16
_CHUNKS_MAX = 1 << 16
_FIGURES = ("total", "free", "used", "min", "largest", "peak")
#: The heads of reports, and the forms that they begin.
_HEADS = {"arduino": "arduino_report", "machine.heap_info": "mpy_lobo"}


@dataclass(kw_only=True)
class PrintedReport:
    """A table of figures, one a line."""

    name: str
    form: str
    line: int
    last_line: int
    quote: str
    total: int | None = None
    free: int | None = None
    used: int | None = None
    min: int | None = None
    largest: int | None = None
    peak: int | None = None

    @property
    def tells(self) -> bool:
        """It has a figure, and not the heading alone."""
        return any(getattr(self, name) is not None for name in _FIGURES)


@dataclass(kw_only=True)
class PrintedReports:
    """Takes the heads and lines of reports in order; keeps the last one of each memory."""

    by_memory: dict[str, PrintedReport] = field(default_factory=dict)
    _open: PrintedReport | None = None
    _form: str = "tizen"  # the form of lines without a head

    @property
    def last(self) -> PrintedReport | None:
        """That of the memory which malloc means first."""
        of_psram = ("SPIRAM", "PSRAM")
        known = {name: one for name, one in self.by_memory.items() if one.tells}
        matches = [one for name, one in known.items() if name not in of_psram]
        return matches[0] if matches else next(iter(known.values()), None)

    @property
    def begun(self) -> str:
        """The form of the first report, of which there may be but the heading; empty: none."""
        return next((one.form for one in self.by_memory.values()), "")

    @property
    def psram(self) -> PrintedReport | None:
        return self.by_memory.get("SPIRAM", self.by_memory.get("PSRAM"))

    def take(self, fact: Fact) -> None:
        if fact.kind == "report":
            self._head(fact)
            return
        matches = [name for name in _FIGURES if getattr(fact, name) is not None]
        report = self._open
        again = report is not None and any(getattr(report, name) is not None for name in matches)
        if report is None or again or fact.line - report.last_line > _CLOSE:
            report = self._begin(next(iter(self.by_memory), ""), fact)
        for name in matches:
            setattr(report, name, getattr(fact, name))
        report.last_line = fact.line

    def _head(self, fact: Fact) -> None:
        if fact.text in _HEADS:
            self._form = _HEADS[fact.text]
            self._begin(fact.name, fact)
        else:
            self._open = None  # lines without a head may follow

    def _begin(self, name: str, fact: Fact) -> PrintedReport:
        self._open = PrintedReport(
            name=name, form=self._form, line=fact.line, last_line=fact.line, quote=fact.quote
        )
        if len(self.by_memory) < _MEMORIES_MAX or name in self.by_memory:
            self.by_memory[name] = self._open
        return self._open


@dataclass(kw_only=True)
class OtherSystems:
    """The last state that each of the other systems told."""

    nuttx: Fact | None = None
    nuttx_heap: Fact | None = None
    zephyr: Fact | None = None
    zephyr_free: list[int] = field(default_factory=list)  # units of free chunks
    lvgl: Fact | None = None
    tasmota: Fact | None = None
    tasmota_psram: Fact | None = None
    ovms: Fact | None = None
    px4: Fact | None = None
    private: Fact | None = None  # the line of a system whose heap is not known here

    def reported(self) -> Iterator[Fact]:
        """The lines of all states."""
        for fact in (
            self.nuttx, self.nuttx_heap, self.zephyr, self.lvgl, self.tasmota, self.ovms,
            self.px4, self.private,
        ):  # fmt: skip
            if fact is not None:
                yield fact

    def take(self, fact: Fact) -> None:
        kind = fact.kind
        if kind == "nuttx_free":
            self.nuttx = fact if fact.name == "Umem" or self.nuttx is None else self.nuttx
        elif kind == "nuttx_heap":
            self.nuttx_heap = fact
        elif kind == "zephyr_heap":
            self.zephyr, self.zephyr_free = fact, []
        elif kind == "zephyr_chunk" and "-" in fact.name and len(self.zephyr_free) < _CHUNKS_MAX:
            self.zephyr_free.append(fact.size or 0)
        elif kind == "lvgl":
            self.lvgl = fact
        elif kind == "tasmota" and fact.name == "PSRAM":
            self.tasmota_psram = fact
        elif kind == "tasmota":
            self.tasmota = fact
        elif kind == "ovms":
            self.ovms = fact
        elif fact.text == "px4":
            self.px4 = fact
        else:
            self.private = fact
