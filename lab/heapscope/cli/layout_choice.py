"""The layout that the options, or else the trace itself, ask for."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path

from heapscope.cli.recorded import recorded_facts
from heapscope.cli.shared import LayoutOptions
from heapscope.cli.static_choice import StaticChoice, choose_static
from heapscope.errors import HeapscopeError, InputError
from heapscope.layout.allocator import parse_allocator
from heapscope.layout.boot_log import BootLog, read_boot_log
from heapscope.layout.build import THRESHOLD, Psram, StaticUseError
from heapscope.layout.chips import Chip, chip_names, load_chip
from heapscope.layout.layout import Layout
from heapscope.layout.place_file import read_placement
from heapscope.layout.placement import Placement
from heapscope.layout.pool import pool_layout
from heapscope.layout.region_names import with_allocators
from heapscope.layout.sdkconfig import SdkConfig, read_sdkconfig
from heapscope.layout.toml_file import read_layout
from heapscope.layout.versions import parse_idf
from heapscope.sizes import parse_size
from heapscope.trace.names import printable

__all__ = ["DEFAULT_IDF", "Memory", "choose_memory", "choose_placement"]

DEFAULT_IDF = "5.5"
NO_RULES = "none"  # --place none: one side of a comparison without rules

EXAMPLES = "--chip esp32 --idf 5.5, --boot-log boot.txt, --pool 256KB or --layout F.toml"


@dataclass(frozen=True, kw_only=True)
class Memory:
    """What is replayed on, and the static RAM beside it where a file tells."""

    layout: Layout
    static: StaticChoice | None = None


def choose_memory(options: LayoutOptions, trace: Path | None) -> Memory:
    """Raises HeapscopeError for options that contradict each other or name what is not known."""
    if options.pool is not None:
        _alone(options, "pool")
        size = parse_size(options.pool, what="--pool")
        pool = pool_layout(size, _everywhere(options) or f"idf-{DEFAULT_IDF}")
        return Memory(layout=_with_allocators(pool, options.allocator))
    if options.layout is not None:
        _alone(options, "layout")
        layout = read_layout(Path(options.layout))
        return Memory(layout=_with_allocators(layout, options.allocator))
    return _of_chip(options, trace)


def choose_placement(options: LayoutOptions, layout: Layout) -> Placement | None:
    """The rules that the options name; None: there are none, or "none" was given."""
    if options.place in (None, NO_RULES):
        return None
    return read_placement(Path(options.place or ""), layout)


def _alone(options: LayoutOptions, chosen: str) -> None:
    """A pool or a layout file says all there is to say but the allocator and the rules."""
    for field in fields(options):
        beside = (chosen, "allocator", "place")
        if field.name not in beside and getattr(options, field.name) is not None:
            raise HeapscopeError(
                f"--{chosen} and {_flag(field.name)} cannot be used together",
                remedy=f"choose one: {EXAMPLES}",
            )


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _everywhere(options: LayoutOptions) -> str | None:
    """The allocator that is not for one region alone."""
    names = [part for part in (options.allocator or "").split(",") if "=" not in part]
    return names[-1] if names and options.allocator is not None else None


def _with_allocators(layout: Layout, allocators: str | None) -> Layout:
    try:
        return layout if allocators is None else with_allocators(layout, allocators)
    except InputError as error:
        raise InputError(f"--allocator: {error.message}", remedy=error.remedy) from None


def _of_chip(options: LayoutOptions, trace: Path | None) -> Memory:
    boot = None if options.boot_log is None else _boot_log(options)
    chip, idf, notes = _chip_and_version(options, boot, trace)
    loaded = load_chip(chip)
    static = choose_static(options, loaded)
    config = _sdkconfig(options)
    try:
        layout = _chip_layout(options, loaded, idf, boot, static, config)
    except StaticUseError as error:
        raise error if static is None else static.wrong(error) from None
    layout = _with_allocators(layout, options.allocator)
    for region in layout.regions:
        parse_allocator(region.allocator)  # a version may come before its model
    said = () if config is None else config.notes
    said += () if static is None else static.notes(boot)
    return Memory(layout=replace(layout, notes=(*notes, *said, *layout.notes)), static=static)


def _chip_layout(
    options: LayoutOptions,
    chip: Chip,
    idf: str | None,
    boot: BootLog | None,
    static: StaticChoice | None,
    config: SdkConfig | None,
) -> Layout:
    dram = _static(options.static_dram, "--static-dram")
    iram = _static(options.static_iram, "--static-iram")
    taken: tuple[tuple[int, int], ...] = ()
    if static is not None and boot is None:  # a log tells the regions itself
        start = static.start
        dram, iram, taken = start.static_dram, start.static_iram, start.taken
    return chip.layout(
        idf=idf,
        cores=_cores(options.cores),
        static_dram=dram,
        static_iram=iram,
        taken=taken,
        psram=_psram(options, boot),
        rtc=_switch(options.rtc, "--rtc"),
        protection=_switch(options.memprot, "--memprot"),
        iram_8bit=_switch(options.iram_8bit, "--iram-8bit") or False,
        boot=boot,
        allocator=_everywhere(options),
        flavour="" if config is None else config.flavour,
    )


def _sdkconfig(options: LayoutOptions) -> SdkConfig | None:
    if options.sdkconfig is None:
        return None
    if _everywhere(options) is not None:
        raise HeapscopeError(
            "--sdkconfig and --allocator both say how the allocator is built",
            remedy="leave one of them out: --allocator idf-5.5+light+track says it alone",
        )
    return read_sdkconfig(options.sdkconfig)


def _boot_log(options: LayoutOptions) -> BootLog:
    if options.cores is not None:
        raise HeapscopeError(
            "--cores and --boot-log both say which regions there are",
            remedy="leave --cores out: the log is of a device with its cores in use",
        )
    return read_boot_log(Path(options.boot_log or ""))


def _chip_and_version(
    options: LayoutOptions, boot: BootLog | None, trace: Path | None
) -> tuple[str, str | None, tuple[str, ...]]:
    """Options first, then the boot log, then what the trace says of its device."""
    chip = options.chip or (boot.chip if boot else "")
    idf, notes = options.idf, []
    if idf is not None and boot is None:
        parse_idf(idf)  # a wrong version is named before a missing chip is
    if not chip:
        facts = recorded_facts(trace)
        chip = facts.get("chip", "")
        if chip:
            notes.append(f"chip {chip}, as recorded in the trace")
            idf = idf or (_recorded_idf(facts, trace) if boot is None else None)
    if not chip:
        raise _no_memory(boot, idf)
    if idf is None and boot is None:
        idf = DEFAULT_IDF
        notes.append(f"ESP-IDF {idf}, as --idf was not given")
    return chip, idf, tuple(notes)


def _recorded_idf(facts: dict[str, str], trace: Path | None) -> str | None:
    """InputError when it is a version that no layout has: a wish of nobody's."""
    sdk = facts.get("sdk", "")
    try:
        return parse_idf(sdk) if sdk else None
    except InputError as error:
        name = printable(str(trace), limit=400)
        raise InputError(
            f"{name}: recorded under {printable(sdk)}, which is not modelled",
            remedy=f"give --idf; {error.remedy}",
        ) from None


def _no_memory(boot: BootLog | None, idf: str | None) -> HeapscopeError:
    if boot is not None:
        return HeapscopeError(
            f"{boot.file}: the log does not name its chip",
            remedy=f"give --chip: {', '.join(chip_names())}",
        )
    if idf is not None:
        return HeapscopeError(
            "--idf needs a chip, and the trace does not name its own",
            remedy=f"give --chip: {', '.join(chip_names())}",
        )
    return HeapscopeError(
        "no memory to replay on, and the trace does not name its chip",
        remedy=f"give one of {EXAMPLES}",
    )


def _cores(text: str | None) -> int | None:
    if text not in (None, "1", "2"):
        raise HeapscopeError(f"--cores: '{text}' is not a number of cores", remedy="give 1 or 2")
    return None if text is None else int(text)


def _psram(options: LayoutOptions, boot: BootLog | None) -> Psram | None:
    """What the options leave out comes from the log, or else from the SDK's defaults."""
    size = None if boot is None else boot.psram
    given = [text is not None for text in (options.psram_threshold, options.psram_reserve)]
    if options.psram is not None:
        size = parse_size(options.psram, what="--psram")
    elif size is None and any(given):
        flag = "--psram-threshold" if given[0] else "--psram-reserve"
        raise HeapscopeError(f"{flag} without PSRAM", remedy="add --psram with its size")
    elif size is None or not any(given):
        return None
    threshold: int | None = THRESHOLD
    if options.psram_threshold == "off":
        threshold = None
    elif options.psram_threshold is not None:
        threshold = parse_size(options.psram_threshold, what="--psram-threshold")
    reserve = None if boot is None or threshold is None else boot.pool
    if options.psram_reserve is not None:
        reserve = parse_size(options.psram_reserve, what="--psram-reserve")
    return Psram(size=size or 0, threshold=threshold, reserve=reserve)


def _switch(text: str | None, flag: str) -> bool | None:
    if text not in (None, "on", "off"):
        raise HeapscopeError(f"{flag}: '{printable(text)}' is neither", remedy="give on or off")
    return None if text is None else text == "on"


def _static(text: str | None, flag: str) -> int | None:
    return None if text is None else parse_size(text, what=flag)
