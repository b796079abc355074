"""Chips: from a name, an SDK version and what is known of the firmware to a layout."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from heapscope.base.choices import did_you_mean
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.config.chip_data import ChipData, VersionData, chip_files, read_chip
from heapscope.config.releases import find_release, releases
from heapscope.memory.layout.allocator import parse_allocator
from heapscope.memory.layout.attempts import spread_startup
from heapscope.memory.layout.boot_log import IMAGE, BootLog
from heapscope.memory.layout.build import THRESHOLD, Build, Psram
from heapscope.memory.layout.chip_regions import default_regions, logged_regions
from heapscope.memory.layout.evidence import fitting_releases, shown
from heapscope.memory.layout.layout import Layout, Region
from heapscope.memory.layout.map_regions import left_of
from heapscope.memory.layout.memory import Memory, memory_of
from heapscope.memory.layout.psram import add_psram, malloc_rule
from heapscope.memory.layout.versions import chip_minors, chip_version

Notes = tuple[str, ...]


def chip_names() -> tuple[str, ...]:
    return chip_files()


def load_chip(name: str) -> Chip:
    """InputError lists the valid names."""
    known = name.strip().lower().replace("-", "")
    if known in chip_names():
        return Chip(data=read_chip(known))
    hint = did_you_mean(known, chip_names())
    raise InputError(
        f"unknown chip '{printable(name)}'", remedy=f"{hint}valid: {', '.join(chip_names())}"
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
        """The releases whose memory differs from that of the one before."""
        return tuple(version.name for version in self.data.versions)

    def protects(self, idf: str | None) -> bool:
        """The version can protect the heap's memory."""
        return idf is not None and chip_version(self.data, idf)[0].protection is not None

    def layout(
        self,
        *,
        idf: str | None = None,
        cores: int | None = None,
        static_dram: int | None = None,
        static_iram: int | None = None,
        taken: tuple[tuple[int, int], ...] = (),
        psram: Psram | None = None,
        rtc: bool | None = None,
        protection: bool | None = None,
        iram_8bit: bool = False,
        rom: bool | None = None,
        boot: BootLog | None = None,
        allocator: str | None = None,
        flavour: str = "",
        options: Mapping[str, str] | None = None,
        startup_use: int | None = None,
    ) -> Layout:
        """The regions of a boot log, or the chip's default ones behind the firmware's static use
        (bytes, as `idf.py size` prints it). `taken`: other memory in use, starts and ends. `idf`,
        `cores` and `psram` may be left to the log. `flavour`: "+light", "+track", both, of the
        version's own allocator. `options`: of its sdkconfig, which decide sizes of caches.
        `startup_use`: bytes that start-up allocates;
        None: as measured on the default firmware, none with a log. `boot` may be of an image."""
        if boot is not None:
            self._check_log(boot)
        version, notes = self._version(idf, boot)
        build = Build(
            cores=boot.cores if boot and cores is None else cores,
            static_dram=static_dram,
            static_iram=static_iram,
            taken=taken,
            psram=_logged_psram(boot, version) if psram is None else psram,
            rtc=rtc,
            protection=protection,
            iram_8bit=iram_8bit,
            rom=rom,
            flavour=flavour,
            options=options or {},
        )
        memory = memory_of(self.data, version, build, logged=boot is not None)
        if boot is None:
            regions, more = _default(memory, build, startup_use)
        else:
            regions, more = _logged(memory, build, boot, startup_use)
        if build.psram is not None:
            regions = add_psram(memory, regions, build.psram)
        if allocator is not None:
            named = parse_allocator(allocator)
            regions = tuple(replace(region, allocator=named) for region in regions)
        else:
            more += tuple(_model_notes(memory))
        layout = Layout(
            name=f"{self.title}, ESP-IDF {version.label}",
            regions=regions,
            malloc=malloc_rule(memory, build.psram),
            request_max=self.data.request_max,
            chip=self.name,
            sdk=version.label,
            source=self.data.default_source if boot is None else boot.file,
            notes=notes
            + more
            + tuple(_psram_notes(memory, build, boot))
            + ((_EMULATED_BYTES,) if build.iram_8bit else ()),
        )
        layout.check()
        return layout

    def _check_log(self, boot: BootLog) -> None:
        if boot.chip and boot.chip != self.name:
            raise InputError(
                f"{boot.file}: {boot.named} of {printable(boot.chip)}, not of {self.name}",
                remedy=f"give the {boot.what}'s chip with --chip, or the {boot.what} of the other "
                "chip",
            )

    def _version(self, idf: str | None, boot: BootLog | None) -> tuple[VersionData, Notes]:
        """The version asked for, or else that of the log; a note when the two differ."""
        logged = "" if boot is None else boot.sdk
        if idf is None and not logged:
            raise self._unknown(boot, "does not tell its ESP-IDF version")
        try:
            version, release = chip_version(self.data, idf or logged)
        except InputError:
            if idf is not None:
                raise
            raise self._unknown(
                boot, f"is of ESP-IDF {logged}, which is not known for the {self.title}"
            ) from None
        notes: Notes = (release.note,) if release.note else ()
        if boot is not None and idf is not None and logged and _names(logged) != version.name:
            notes += (f"the {boot.what} is of ESP-IDF {logged}, replayed as {version.label}",)
        return version, notes

    def _unknown(self, boot: BootLog | None, why: str) -> InputError:
        known = ", ".join(chip_minors(self.data))
        if boot is None:
            text = "the ESP-IDF version is not known"
            return InputError(text, remedy=f"give --idf with one of: {known}")
        regions = [(region.start, region.size, region.kind) for region in boot.regions]
        fitting = fitting_releases(self.data, regions)
        if 0 < len(fitting) < len(releases()):
            known = f"{shown(fitting)}, whose regions are those of the {boot.what}"
        return InputError(f"{boot.file}: {why}", remedy=f"give --idf with one of: {known}")


def _names(logged: str) -> str:
    """The known release for a version string; empty if unknown."""
    try:
        return find_release(logged).name
    except InputError:
        return ""


def _default(
    memory: Memory, build: Build, startup_use: int | None
) -> tuple[tuple[Region, ...], Notes]:
    data = memory.chip
    regions = left_of(memory, default_regions(memory, build.statics), build.taken)
    use = data.default_startup if startup_use is None else startup_use
    notes = _static_note(data, build)
    if startup_use is None:
        notes += (f"start-up use assumed: {use:,} bytes, {data.startup_source}",)
    return _with_startup(memory, regions, use), notes


def _logged(
    memory: Memory, build: Build, boot: BootLog, startup_use: int | None
) -> tuple[tuple[Region, ...], Notes]:
    reported = {"--static-dram": build.static_dram, "--static-iram": build.static_iram}
    for flag, given in (reported | {"--rtc": build.rtc}).items():
        if given is not None:
            raise InputError(
                f"{flag} and {boot.flag} both say where there is heap",
                remedy="leave one of them out",
            )
    regions, notes = logged_regions(memory, boot)
    if startup_use is None and boot.what == IMAGE:
        startup_use = memory.chip.default_startup
        notes += (f"start-up use assumed: {startup_use:,} bytes, those of a minimal firmware",)
    elif startup_use is None:
        notes += ("no start-up use assumed: the log does not tell what start-up allocates",)
    return _with_startup(memory, regions, startup_use or 0), boot.notes + notes


def _with_startup(memory: Memory, regions: tuple[Region, ...], use: int) -> tuple[Region, ...]:
    most = sum(region.size for region in regions)
    if not 0 <= use <= most:
        raise InputError(f"start-up use of {use} bytes", remedy=f"give 0 to {most}")
    return spread_startup(memory.in_list_order(regions), use=use, caps=memory.version.malloc)


def _logged_psram(boot: BootLog | None, version: VersionData) -> Psram | None:
    """The pool is only reserved where malloc may use PSRAM."""
    if boot is None or boot.psram is None or not version.psram:
        return None
    return Psram(
        size=boot.psram,
        threshold=None if boot.pool is None else THRESHOLD,
        reserve=boot.pool or 0,
    )


def _static_note(data: ChipData, build: Build) -> Notes:
    """The note that every figure on assumed regions carries."""
    uses = {r.static: r.start - r.static_base for r in data.default_regions if r.static}
    if data.static is not None:
        uses = {"dram": data.static.dram, "iram": data.static.iram}
    assumed = {name: use for name, use in uses.items() if build.statics.get(name) is None}
    if not assumed:
        return ()
    amounts = " and ".join(f"{use:,} bytes of {name.upper()}" for name, use in assumed.items())
    options = " and ".join(f"--static-{name}" for name in assumed)
    return (
        f"static use assumed: {amounts}, from {data.default_source}; give --boot-log or {options}",
    )


#: ESP-IDF's help of CONFIG_ESP32_IRAM_AS_8BIT_ACCESSIBLE_MEMORY, and the chip's manual.
_EMULATED_BYTES = (
    "IRAM serves bytes by handlers of the exceptions 3 and 9, which the SDK has: up to 167 cycles "
    "for each access but that of an aligned word; neither DMA nor the stack of a task can use it"
)


def _model_notes(memory: Memory) -> Iterator[str]:
    version = memory.version
    if version.development:
        yield f"{version.name} is a development branch, not a release; it may have changed since"
    if memory.rom is not None and memory.rom.inferred:
        yield (
            f"unverified: by default the {memory.chip.title} uses the allocator in its ROM "
            f"(CONFIG_HEAP_TLSF_USE_ROM_IMPL), which is taken to be {memory.rom.allocator}: "
            f"{memory.rom.inferred}"
        )


def _psram_notes(memory: Memory, build: Build, boot: BootLog | None) -> Iterator[str]:
    psram = build.psram
    if psram is None:
        if boot is not None and boot.psram is not None:
            yield f"the log's PSRAM is left out: {memory.title} has none here"
        return
    if psram.threshold is None:
        yield "PSRAM serves only requests that ask for it, not malloc"
    else:
        yield (
            f"malloc: up to {psram.threshold:,} bytes from internal memory, larger from PSRAM, "
            f"each from the other when it is full; {psram.reserved:,} bytes reserved for DMA"
        )
    if len(memory.version.psram) > 1 and psram.size > memory.version.psram[0].size:
        yield "the PSRAM beyond the first window is word-only: no byte access"
