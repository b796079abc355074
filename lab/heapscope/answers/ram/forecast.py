"""A project that is not built: the memories of its chip as its configuration is predicted to use
them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heapscope.answers.ram.built_firmware import BuiltFirmware, reserved_of
from heapscope.base.errors import InputError
from heapscope.config.chosen_config import ChosenConfig, choose_config, left_out
from heapscope.forecast.predict.demand import Demand
from heapscope.forecast.predict.memory_scene import MemoryScene, minor_of_config
from heapscope.forecast.predict.memory_states import DRAM, IRAM, MemoryModel
from heapscope.forecast.predict.part_table import BOOT
from heapscope.forecast.predict.psram import psram_notes
from heapscope.forecast.predict.system_layout import SystemMemory
from heapscope.memory.layout.chips import Chip, load_chip
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.map_regions import Range, without
from heapscope.memory.static.use import Section, SectionPiece, StaticUse
from heapscope.memory.static.window import ChipWindows, read_windows
from heapscope.trace.things.thing import Thing

FORM = "forecast"
_REST = "(an empty program)"  # what every firmware has beside the parts that are known


def forecast_of(
    looked: Thing, *, chip: str | None, idf: str | None, demand: Demand
) -> BuiltFirmware:
    """InputError: the project has no configuration, or it is not readable."""
    try:
        chosen = choose_config([], chip=chip, idf=idf, project=looked.path)
    except InputError as error:
        raise InputError(
            f"{looked.shown}: a project that is not built here, and no forecast of it: "
            f"{error.message}",
            remedy=f"build it and give the build folder; or {error.remedy}",
        ) from None
    config = chosen.config
    scene = MemoryScene(config=config, minor=minor_of_config(config, idf), demand=demand)
    of_board = psram_notes(scene, "heapscope predict takes its size by --psram")
    plain = MemoryModel(scene=scene)
    model = plain.at(plain.busiest)
    loaded, free = load_chip(config.chip), model.free(BOOT)
    dram = max(0, model.scene.memory.dram - round(free[DRAM].median)) & ~3
    iram = max(0, model.scene.memory.iram - round(free[IRAM].median)) & ~3
    system = SystemMemory(model=model, state=BOOT)
    bare, layout = system.behind(0, 0), system.behind(dram, iram)
    windows = read_windows(loaded.name)
    half, code = round(free[DRAM].half_80), round(free[IRAM].half_80)
    bands = f"{half:,} B of data memory" + (f" and {code:,} B of IRAM" if code else "")
    return BuiltFirmware(
        what=f"{looked.kind.known_as}, not built: a forecast",
        chip=loaded.name,
        title=f"A forecast: the {loaded.title}",
        windows=windows,
        use=_use(looked.shown, model, windows, list(_taken(loaded, bare, layout, windows))),
        idf=layout.sdk,
        regions=layout.regions,
        capable=layout.regions,
        reserved=reserved_of(loaded, layout.sdk),
        model=model,
        files=tuple(file.name for file in config.files),
        notes=(
            "a forecast: code and data are those of an empty program with the radios and options "
            f"of the configuration; half of the 80 % band is {bands}",
            *_of_config(chosen),
            *of_board,
        ),
    )


def _of_config(chosen: ChosenConfig) -> tuple[str, ...]:
    return (*chosen.notes, *left_out(chosen.config))


def _taken(chip: Chip, bare: Layout, layout: Layout, windows: ChipWindows) -> Iterator[Range]:
    """Memory that is heap without any code and data, and not with them."""
    heaps = [(each.start, each.end) for each in layout.regions]
    for region in bare.regions:
        yield from without((region.start, region.end), heaps)
    elsewhere = 0 if chip.data.static is None else chip.data.static.code_elsewhere
    first = next(iter(windows.windows))
    if elsewhere:
        yield first.end - elsewhere, first.end


def _use(name: str, model: MemoryModel, windows: ChipWindows, taken: Sequence[Range]) -> StaticUse:
    sections: list[Section] = []
    pieces: list[SectionPiece] = []
    for start, end in taken:
        home = windows.find(start)
        if home is None:
            continue
        kind = home[0].kind
        role = "code" if kind == "IRAM" else "data"
        place = IRAM if kind == "IRAM" else DRAM
        number = len(sections)
        sections.append(Section(name=FORM, kind=kind, role=role, size=end - start, start=start))
        pieces += _pieces(model, place, number, end - start)
    return StaticUse(file=name, form=FORM, sections=tuple(sections), pieces=tuple(pieces))


def _pieces(model: MemoryModel, place: str, number: int, size: int) -> Iterator[SectionPiece]:
    """Whole parts, largest first, and what is behind them."""
    parts = [(each, round(each.bytes)) for each in model.held(BOOT) if each.place == place]
    for each, length in sorted(parts, key=lambda part: -part[1]):
        if each.is_whole and 0 < length <= size:
            size -= length
            yield SectionPiece(
                section=number, size=length, component=each.part.component, symbol=each.part.what
            )
    if size:
        yield SectionPiece(section=number, size=size, component=_REST, symbol=_REST)
