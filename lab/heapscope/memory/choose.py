"""The layout that the options, or else the trace itself, ask for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.option import flag
from heapscope.base.printable import printable
from heapscope.base.sizes import parse_size
from heapscope.config.releases import find_release
from heapscope.memory.layout.allocator import parse_allocator
from heapscope.memory.layout.boot_log import IMAGE, BootLog, read_boot_log
from heapscope.memory.layout.build import THRESHOLD, Psram, StaticUseError
from heapscope.memory.layout.chip_guess import guess_chip
from heapscope.memory.layout.chips import Chip, chip_names, load_chip
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.place_file import read_placement
from heapscope.memory.layout.placement import Placement
from heapscope.memory.layout.pool import pool_layout
from heapscope.memory.layout.region_names import with_allocators
from heapscope.memory.layout.sdkconfig import SdkConfig, read_sdkconfig
from heapscope.memory.layout.toml_file import read_layout
from heapscope.memory.options import MemoryOptions, given
from heapscope.memory.static_choice import ChosenMemory, StaticChoice, choose_image, choose_static
from heapscope.memory.system_memory import system_memory
from heapscope.trace.metadata import recorded_facts

DEFAULT_IDF = "5.5"
NOT_GIVEN = "as --idf was not given"  # the note of a release that nothing names
NO_RULES = "none"  # --place none: one side of a comparison without rules

EXAMPLES = "--chip esp32 --idf 5.5, --boot-log boot.txt, --pool 256KB or --layout F.toml"


def plain_memory(options: MemoryOptions, trace: Path | None) -> ChosenMemory:
    """The memory of all options but --load, which needs a forecast. InputError: options contradict
    each other, or name what is not known."""
    if options.get("system") is not None:
        memory = system_memory(options, recorded_facts(trace))
        return replace(memory, layout=_with_allocators(memory.layout, allocators_of(options)))
    if options.get("config") is not None:
        raise InputError("--config without --system", remedy="add --system zephyr or nuttx")
    if (pool := options.get("pool")) is not None:
        _alone(options, "pool")
        size = parse_size(pool, what="--pool")
        layout = pool_layout(size, _everywhere(options) or f"idf-{DEFAULT_IDF}")
        return ChosenMemory(layout=_with_allocators(layout, allocators_of(options)))
    if (file := options.get("layout")) is not None:
        _alone(options, "layout")
        return ChosenMemory(
            layout=_with_allocators(read_layout(Path(file)), allocators_of(options))
        )
    return _of_chip(options, trace)


def choose_placement(options: MemoryOptions, layout: Layout) -> Placement | None:
    """The rules that the options name; None: none, or "none" was given."""
    place = options.get("place")
    if place is None or str(place) == NO_RULES:
        return None
    return read_placement(Path(place), layout)


def _alone(options: MemoryOptions, chosen: str) -> None:
    """A pool or a layout file says all there is to say but the allocator and the rules."""
    for name in given(options):
        if name not in (chosen, "allocator", "place"):
            raise InputError(
                f"--{chosen} and {flag(name)} cannot be used together",
                remedy=f"choose one: {EXAMPLES}",
            )


def _everywhere(options: MemoryOptions) -> str | None:
    """The allocator that is not for one region alone."""
    names = [part for part in (allocators_of(options) or "=").split(",") if "=" not in part]
    return names[-1] if names else None


def allocators_of(options: MemoryOptions) -> str | None:
    """All that were named, as one text with commas."""
    stated = options.get("allocator")
    return stated if stated is None or isinstance(stated, str) else ",".join(stated)


def _with_allocators(layout: Layout, allocators: str | None) -> Layout:
    try:
        return layout if allocators is None else with_allocators(layout, allocators)
    except InputError as error:
        raise InputError(f"--allocator: {error.message}", remedy=error.remedy) from None


def _of_chip(options: MemoryOptions, trace: Path | None) -> ChosenMemory:
    image = choose_image(options)
    boot = told = _boot_log(options)
    if boot is None and image is not None:
        told = image.boot
        _without_cores(options, "--bin", "the image has those of its cores")
    config = _sdkconfig(options)
    chip, idf, notes = _chip_and_version(options, told, config, trace)
    loaded = load_chip(chip)
    static = choose_static(options, loaded, image)
    try:
        layout = _chip_layout(options, loaded, idf, told, static, config)
    except StaticUseError as error:
        raise error if static is None else static.wrong(error) from None
    layout = _with_allocators(layout, allocators_of(options))
    for region in layout.regions:
        parse_allocator(region.allocator)  # a version may come before its model
    stated = () if config is None else config.notes
    stated += () if static is None else static.notes(boot)
    return ChosenMemory(
        layout=replace(layout, notes=(*notes, *stated, *layout.notes)), static=static
    )


def _chip_layout(
    options: MemoryOptions,
    chip: Chip,
    idf: str | None,
    boot: BootLog | None,
    static: StaticChoice | None,
    config: SdkConfig | None,
) -> Layout:
    dram = _static(options.get("static_dram"), "--static-dram")
    iram = _static(options.get("static_iram"), "--static-iram")
    taken: tuple[tuple[int, int], ...] = ()
    if static is not None and boot is None:  # a log or an image tells the regions itself
        start = static.start
        dram, iram, taken = start.static_dram, start.static_iram, start.taken
    cores = given_cores(options)
    rtc = given_switch(options, "rtc")
    protection = given_switch(options, "memprot")
    iram_8bit = given_switch(options, "iram_8bit")
    # An option of the command line counts more than the configuration.
    if config is not None and (boot is None or boot.what == IMAGE):
        single = config.single_core and chip.data.cores > 1
        cores = 1 if cores is None and single else cores
        rtc = False if rtc is None and config.without_rtc and boot is None else rtc
        if protection is None and config.without_protection and chip.protects(idf):
            protection = False
        if iram_8bit is None and cores == 1:
            iram_8bit = config.iram_8bit
    return chip.layout(
        idf=idf,
        cores=cores,
        static_dram=dram,
        static_iram=iram,
        taken=taken,
        psram=_psram(options, boot),
        rtc=rtc,
        protection=protection,
        iram_8bit=iram_8bit or False,
        rom=None if config is None else config.rom,
        boot=boot,
        allocator=_everywhere(options),
        flavour="" if config is None else config.flavour,
        options=None if config is None or boot is not None else config.options,
    )


def _sdkconfig(options: MemoryOptions) -> SdkConfig | None:
    file = options.get("sdkconfig")
    if file is None:
        return None
    without_allocator(options)
    return read_sdkconfig(file)


def without_allocator(options: MemoryOptions) -> None:
    """InputError: an allocator of every region stands beside the configuration."""
    if _everywhere(options) is not None:
        raise InputError(
            "--sdkconfig and --allocator both say how the allocator is built",
            remedy="leave one of them out: --allocator idf-5.5+light+track says it alone",
        )


def _boot_log(options: MemoryOptions) -> BootLog | None:
    file = options.get("boot_log")
    if file is None:
        return None
    _without_cores(options, "--boot-log", "the log is of a device with its cores in use")
    return read_boot_log(Path(file))


def _without_cores(options: MemoryOptions, flag: str, why: str) -> None:
    if options.get("cores") is not None:
        raise InputError(
            f"--cores and {flag} both say which regions there are",
            remedy=f"leave --cores out: {why}",
        )


def _chip_and_version(
    options: MemoryOptions, boot: BootLog | None, config: SdkConfig | None, trace: Path | None
) -> tuple[str, str | None, tuple[str, ...]]:
    """Options first, then the boot log, then the configuration, then what the trace says of its
    device."""
    chip = options.get("chip") or (boot.chip if boot else "")
    idf, notes = options.get("idf"), []
    if not chip and boot is not None:
        guessed = guess_chip((region.start, region.size) for region in boot.regions)
        if guessed is not None:
            chip = guessed.name
            notes.append(f"chip {chip}: the regions of {boot.file} are in its memory")
    if idf is not None and boot is None:
        find_release(idf)  # a wrong version is named before a missing chip is
    elif boot is None and config is not None and config.idf:
        idf = _stated_idf(config, notes)
    if not chip:
        facts, of = recorded_facts(trace), "as recorded in the trace"
        chip = recorded = facts.get("chip", "")
        if config is not None and config.chip:
            chip, of = config.chip, "from CONFIG_IDF_TARGET"
        if chip:
            notes.append(f"chip {chip}, {of}")
        if chip and chip == recorded and idf is None and boot is None:
            idf = _recorded_idf(facts, trace)
    if not chip:
        raise _no_memory(boot, idf)
    if config is not None and config.chip not in ("", chip):
        raise InputError(
            f'{config.file}: CONFIG_IDF_TARGET="{printable(config.chip)}", but the memory is that '
            f"of the {printable(chip)}",
            remedy="give the sdkconfig of that chip's firmware",
        )
    if idf is None and boot is None:
        idf = DEFAULT_IDF
        notes.append(f"ESP-IDF {idf}, {NOT_GIVEN}")
    return chip, idf, tuple(notes)


def _stated_idf(config: SdkConfig, notes: list[str]) -> str:
    """InputError when it is a version that is not known."""
    notes.append(f"ESP-IDF {printable(config.idf)}, as {config.file} says")
    try:
        return find_release(config.idf).given
    except InputError as error:
        raise InputError(
            f"{config.file} is of ESP-IDF {printable(config.idf)}, which is not known",
            remedy=f"give --idf; {error.remedy}",
        ) from None


def recorded_device(options: MemoryOptions, trace: Path | None) -> tuple[str, str | None]:
    """The chip that the trace or the image names, "": none does; and its release, if known."""
    if (image := choose_image(options)) is not None:
        return image.chip, image.boot.sdk or None
    facts = recorded_facts(trace)
    chip = facts.get("chip", "")
    return chip, _recorded_idf(facts, trace) if chip else None


def _recorded_idf(facts: dict[str, str], trace: Path | None) -> str | None:
    """InputError when it is a version that is not known: a wish of nobody's."""
    sdk = facts.get("sdk", "")
    try:
        return find_release(sdk).given if sdk else None
    except InputError as error:
        name = printable(str(trace), limit=400)
        raise InputError(
            f"{name}: recorded under {printable(sdk)}, which is not known",
            remedy=f"give --idf; {error.remedy}",
        ) from None


def _no_memory(boot: BootLog | None, idf: str | None) -> InputError:
    if boot is not None:
        return InputError(
            f"{boot.file}: the log does not name its chip",
            remedy=f"give --chip: {', '.join(chip_names())}",
        )
    if idf is not None:
        return InputError(
            "--idf needs a chip, and the trace does not name its own",
            remedy=f"give --chip: {', '.join(chip_names())}",
        )
    return InputError(
        "no memory to replay on, and the trace does not name its chip",
        remedy=f"give one of {EXAMPLES}",
    )


def given_cores(options: MemoryOptions) -> int | None:
    stated = options.get("cores")
    if stated is None:
        return None
    if str(stated) not in ("1", "2"):
        raise InputError(f"--cores: '{stated}' is not a number of cores", remedy="give 1 or 2")
    return int(stated)


def _psram(options: MemoryOptions, boot: BootLog | None) -> Psram | None:
    """The log, or else the SDK's defaults, tell what the options leave out."""
    size = None if boot is None else boot.psram
    psram, above = options.get("psram"), options.get("psram_threshold")
    reserved = options.get("psram_reserve")
    if psram is not None:
        size = parse_size(psram, what="--psram") or None
    if above is None and reserved is None and (psram is None or size is None):
        return None
    if size is None:
        alone = "--psram-threshold" if above is not None else "--psram-reserve"
        raise InputError(f"{alone} without PSRAM", remedy="add --psram with its size")
    threshold: int | None = THRESHOLD
    if above == "off":
        threshold = None
    elif above is not None:
        threshold = parse_size(above, what="--psram-threshold")
    reserve = None if boot is None or threshold is None else boot.pool
    if reserved is not None:
        reserve = parse_size(reserved, what="--psram-reserve")
    return Psram(size=size, threshold=threshold, reserve=reserve)


def given_switch(options: MemoryOptions, name: str) -> bool | None:
    stated = {**options}.get(name)
    if stated is None or isinstance(stated, bool):
        return stated
    if stated not in ("on", "off"):
        raise InputError(
            f"{flag(name)}: '{printable(str(stated))}' is neither", remedy="give on or off"
        )
    return stated == "on"


def _static(stated: int | str | None, name: str) -> int | None:
    return None if stated is None else parse_size(stated, what=name)
