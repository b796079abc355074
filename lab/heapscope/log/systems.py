"""States of a heap as other systems print them: Arduino's report, NuttX, Zephyr, LVGL, Tasmota and
more."""

from __future__ import annotations

from dataclasses import dataclass, field

from heapscope.native.log import Fact

#: Lines of one report stand this close together.
_CLOSE = 12


@dataclass(kw_only=True)
class PrintedReport:
    """A table of figures, one a line."""

    name: str
    form: str
    line: int
    last_line: int
    total: int | None = None
    free: int | None = None
    used: int | None = None
    min: int | None = None
    largest: int | None = None
    peak: int | None = None


@dataclass(kw_only=True)
class PrintedReports:
    """Takes the heads and lines of reports in order."""

    all: list[PrintedReport] = field(default_factory=list)
    _memory: str = ""

    @property
    def last(self) -> PrintedReport | None:
        return self.all[-1] if self.all else None

    def take(self, fact: Fact) -> None:
        if fact.kind == "report":
            self._head(fact)
            return
        report = self.last
        names = ("total", "free", "used", "min", "largest", "peak")
        told = [name for name in names if getattr(fact, name) is not None]
        again = report is not None and any(getattr(report, name) is not None for name in told)
        if report is None or again or fact.line - report.last_line > _CLOSE:
            form = "tizen" if report is None else report.form
            report = PrintedReport(
                name=self._memory, form=form, line=fact.line, last_line=fact.line
            )
            self.all.append(report)
        for name in told:
            setattr(report, name, getattr(fact, name))
        report.last_line = fact.line

    def _head(self, fact: Fact) -> None:
        if fact.text in ("arduino", "machine.heap_info"):
            self._memory = fact.name
            form = "arduino_report" if fact.text == "arduino" else "mpy_lobo"
            self.all.append(
                PrintedReport(name=fact.name, form=form, line=fact.line, last_line=fact.line)
            )


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

    def take(self, fact: Fact) -> None:
        kind = fact.kind
        if kind == "nuttx_free":
            self.nuttx = fact if fact.name == "Umem" or self.nuttx is None else self.nuttx
        elif kind == "nuttx_heap":
            self.nuttx_heap = fact
        elif kind == "zephyr_heap":
            self.zephyr, self.zephyr_free = fact, []
        elif kind == "zephyr_chunk" and "-" in fact.name:
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
