"""Chips: from a name, an SDK version and what is known of the firmware to a layout."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from heapscope.errors import InputError
from heapscope.layout.allocator import parse_allocator
from heapscope.layout.boot_log import BootLog
from heapscope.layout.chip_data import ChipData, VersionData, chip_files, read_chip
from heapscope.layout.chip_regions import default_regions, in_list_order, logged_regions
from heapscope.layout.layout import Layout, MallocRule, Region
from heapscope.layout.startup import spread_startup
from heapscope.layout.versions import match_version, unknown_version
from heapscope.trace.names import printable

__all__ = ["Chip", "chip_names", "load_chip"]

Notes = tuple[str, ...]


def chip_names() -> tuple[str, ...]:
    return chip_files()


def load_chip(name: str) -> Chip:
    """InputError lists the valid names."""
    known = name.strip().lower().replace("-", "")
    if known in chip_names():
        return Chip(data=read_chip(known))
    near = difflib.get_close_matches(known[:80], chip_names(), n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    raise InputError(
        f"unknown chip '{printable(name)}'{hint}", remedy="valid: " + ", ".join(chip_names())
    )


@dataclass(frozen=True, kw_only=True)
class Chip:
    data: ChipData

    @property
    def name(self) -> str:
        return self.data.name

    @property
    def title(self) -> str:
        return self.data.title

    @property
    def versions(self) -> tuple[str, ...]:
        return tuple(version.name for version in self.data.versions)

    def layout(
        self,
        *,
        idf: str | None = None,
        cores: int = 2,
        static_dram: int | None = None,
        static_iram: int | None = None,
        boot: BootLog | None = None,
        allocator: str | None = None,
        startup_use: int | None = None,
    ) -> Layout:
        """The regions of a boot log, or the chip's default ones behind the firmware's static use
        (bytes, as `idf.py size` prints it). `idf` may be left to the log. `startup_use`: bytes that
        start-up allocates; None: as measured on the default firmware, none with a log."""
        version, notes = self._version(idf, boot)
        statics = {"dram": static_dram, "iram": static_iram}
        if boot is None:
            regions, more = self._default(version, cores, statics, startup_use)
        else:
            regions, more = self._logged(version, boot, statics, startup_use)
        if allocator is not None:
            named = parse_allocator(allocator)
            regions = tuple(replace(region, allocator=named) for region in regions)
        layout = Layout(
            name=f"{self.title}, ESP-IDF {version.name}",
            regions=regions,
            malloc=MallocRule(small=version.malloc),
            request_max=self.data.request_max,
            chip=self.name,
            sdk=version.name,
            source=self.data.default_source if boot is None else boot.file,
            notes=notes + more,
        )
        layout.check()
        return layout

    def _version(self, idf: str | None, boot: BootLog | None) -> tuple[VersionData, Notes]:
        """The version asked for, or else that of the log; a note when the two differ."""
        logged = "" if boot is None else boot.sdk
        name = match_version(logged if idf is None else idf, self.versions)
        if name is None:
            raise self._no_version(idf, boot)
        differs = idf is not None and logged and match_version(logged, self.versions) != name
        notes = (f"the log is of ESP-IDF {logged}, replayed as {name}",) if differs else ()
        return next(v for v in self.data.versions if v.name == name), notes

    def _no_version(self, idf: str | None, boot: BootLog | None) -> InputError:
        if idf is not None:
            return unknown_version(idf, self.versions)
        why = "the ESP-IDF version is not known"
        if boot is not None:
            said = f"is of ESP-IDF {boot.sdk}, which is not modelled"
            why = f"{boot.file}: {said if boot.sdk else 'does not tell its ESP-IDF version'}"
        return InputError(why, remedy="give --idf with one of: " + ", ".join(self.versions))

    def _default(
        self,
        version: VersionData,
        cores: int,
        statics: Mapping[str, int | None],
        startup_use: int | None,
    ) -> tuple[tuple[Region, ...], Notes]:
        if not 1 <= cores <= self.data.cores:
            raise InputError(
                f"{self.title} with {cores} cores", remedy=f"give 1 to {self.data.cores}"
            )
        regions = default_regions(self.data, version, cores, statics)
        use = self.data.default_startup if startup_use is None else startup_use
        notes = _static_note(self.data, statics)
        if startup_use is None:
            notes += (f"start-up use assumed: {use:,} bytes, as measured on the same firmware",)
        return _with_startup(regions, version, use), notes

    def _logged(
        self,
        version: VersionData,
        boot: BootLog,
        statics: Mapping[str, int | None],
        startup_use: int | None,
    ) -> tuple[tuple[Region, ...], Notes]:
        if boot.chip and boot.chip != self.name:
            raise InputError(
                f"{boot.file}: a log of {printable(boot.chip)}, not of {self.name}",
                remedy="give the log's chip with --chip, or the log of the other chip",
            )
        for name, use in statics.items():
            if use is not None:
                raise InputError(
                    f"--static-{name} and --boot-log both say where the heap starts",
                    remedy="leave one of them out",
                )
        regions, notes = logged_regions(self.data, version, boot)
        if startup_use is None:
            notes += ("no start-up use assumed: the log does not tell what start-up allocates",)
        return _with_startup(regions, version, startup_use or 0), boot.notes + notes


def _with_startup(
    regions: tuple[Region, ...], version: VersionData, use: int
) -> tuple[Region, ...]:
    most = sum(region.size for region in regions)
    if not 0 <= use <= most:
        raise InputError(f"start-up use of {use} bytes", remedy=f"give 0 to {most}")
    return spread_startup(in_list_order(regions, version), use=use, caps=version.malloc)


def _static_note(data: ChipData, statics: Mapping[str, int | None]) -> Notes:
    """The note that every figure on assumed regions carries."""
    assumed = {
        region.static: region.start - region.static_base
        for region in data.default_regions
        if region.static and statics.get(region.static) is None
    }
    if not assumed:
        return ()
    amounts = " and ".join(f"{use:,} bytes of {name.upper()}" for name, use in assumed.items())
    options = " and ".join(f"--static-{name}" for name in assumed)
    return (
        f"static use assumed: {amounts}, from {data.default_source}; give --boot-log or {options}",
    )
