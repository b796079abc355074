"""A trace, or another tool's: what it holds, and the verdict where it names its memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.interrupt import scratch_folder
from heapscope.base.printable import printable
from heapscope.base.wording import plural, size
from heapscope.cli.things.pieces import ThingOptions, command, counted, in_bytes
from heapscope.cli.verbs.import_ import import_
from heapscope.cli.verbs.replayed import replayed as replayed_on
from heapscope.config.chip_data import chip_files
from heapscope.memory.layout.allocator import host_model
from heapscope.memory.options import MemoryOptions
from heapscope.simulation.result.result import ReplayResult
from heapscope.trace.info import TraceInfo, read_info
from heapscope.trace.loss import is_cut
from heapscope.trace.metadata import ALLOCATOR
from heapscope.trace.things.answer import NextCommand, ThingAnswer, ThingFigure
from heapscope.trace.things.kind import KINDS
from heapscope.trace.things.thing import Thing

_REPLAYED_MAX = 2_000_000  # events
_IMPORTED_MAX = 16 << 20  # bytes of another tool's text
_USUAL = "esp32"


def answer_of_trace(thing: Thing, requested: ThingOptions) -> ThingAnswer:
    """InputError: it is damaged from its beginning on."""
    info = read_info(thing.name)
    result = replayed(thing.name, info, requested)
    answer = contents(info) if result is None else result.verdict.sentence
    return ThingAnswer(
        thing=thing.shown,
        kind="trace",
        what=_what(info),
        answer=answer,
        figures=_figures(info, result),
        next=tuple(_next(thing.name, info, result, requested)),
        notes=tuple(note for note in _notes(info, result, requested) if note != answer),
    )


def replayed(name: str, info: TraceInfo, requested: ThingOptions) -> ReplayResult | None:
    """On the memory that the trace or `requested` names; None: neither does, or it takes long."""
    if not (requested.chip or _chip(info)) or info.events.total > _REPLAYED_MAX:
        return None
    try:
        return replayed_on(Path(name), _memory(requested), need=requested.need)
    except InputError:
        if requested.device:
            raise
        return None  # it names a release that is not known


def _chip(info: TraceInfo) -> str:
    """The chip that the trace names; empty: none that is known here."""
    named = info.metadata.get("chip", "")
    return named if named in chip_files() else ""


def _memory(requested: ThingOptions) -> MemoryOptions:
    memory_options: MemoryOptions = {}
    if requested.chip is not None:
        memory_options["chip"] = requested.chip
    if requested.idf is not None:
        memory_options["idf"] = requested.idf
    return memory_options


def contents(info: TraceInfo) -> str:
    if not info.events.total:
        return "It holds not one heap event."
    events = plural(info.events.total, "heap event")
    tasks = f" of {plural(info.task_count, 'task')}" if info.task_count > 1 else ""
    if is_cut(info.loss):
        peak = f"the part that was read had {size(info.live_peak)} live at one moment"
        return f"At least {events}{tasks}; {peak}."
    return (
        f"{events}{tasks}: at most {size(info.live_peak)} and "
        f"{plural(info.live_blocks_peak, 'block')} were live."
    )


def _what(info: TraceInfo) -> str:
    device, sdk = (printable(info.metadata.get(name, "")) for name in ("chip", "sdk"))
    where = f" of {device}" if device else ""
    return f"a trace{where}{f' ({sdk})' if device and sdk else ''}, {_events(info)}"


def _events(info: TraceInfo) -> str:
    return f"{'at least ' if is_cut(info.loss) else ''}{plural(info.events.total, 'event')}"


def _figures(info: TraceInfo, replay_result: ReplayResult | None) -> tuple[ThingFigure, ...]:
    least = "at least " if is_cut(info.loss) else ""
    if replay_result is None or least:
        return (
            counted(f"{least}events", info.events.total),
            in_bytes(f"{least}live peak", info.live_peak),
            in_bytes(f"{least}largest request", info.largest_request),
        )
    facts = replay_result.verdict.facts
    return (
        counted("failed requests", facts.failures),
        in_bytes("minimum free", facts.minimum_free),
        in_bytes("live peak", info.live_peak),
    )


def _next(
    name: str, info: TraceInfo, replay_result: ReplayResult | None, requested: ThingOptions
) -> Iterator[NextCommand]:
    if info.metadata.get("source") == "pjsip":
        yield command("fit", name, "--pools", why="which sizes should the pools have?")
        return
    model = host_model(info.metadata.get(ALLOCATOR, ""))
    device = requested.device or ("--chip", _chip(info) or _USUAL)
    if replay_result is not None:
        question = "why" if replay_result.verdict.facts.failures else "replay"
        why = "who is in the way, and what would help" if question == "why" else "all figures"
        yield command(question, name, *device, why=why)
    elif model:
        yield command("fit", name, "--allocator", model, why="the smallest pool that it runs in")
    else:
        yield command("replay", name, *device, why="on the memory of a chip that you choose")
    yield command("leaks", name, why="does it leak, by task and call site?")


def _notes(
    info: TraceInfo, replay_result: ReplayResult | None, requested: ThingOptions
) -> Iterator[str]:
    if info.loss is not None:
        yield info.loss.sentences()[0]
    elif info.health.messages:
        yield info.health.messages[0]
    if replay_result is not None:
        yield from replay_result.layout.notes[:2]
        return
    if requested.need and info.events.total <= _REPLAYED_MAX:
        yield "whether a block would have fitted needs a memory: give --chip"
    if info.events.total > _REPLAYED_MAX and (requested.chip or info.metadata.get("chip")):
        yield f"not replayed here, as it has more than {_REPLAYED_MAX:,} events"
    if info.word_size is not None and info.word_size > 4:
        yield (
            f"recorded where a pointer has {info.word_size} bytes: its sizes are not a chip's; "
            "heapscope translate gives it those"
        )


def answer_of_import(thing: Thing, requested: ThingOptions) -> ThingAnswer:
    """Another tool's trace, by the trace that `import` makes of it. InputError: it has no event."""
    form = thing.kind.kind
    first = command("import", thing.name, "-o", "T.hst", why="makes a trace of it")
    if thing.size is None or thing.size > _IMPORTED_MAX:
        return ThingAnswer(
            thing=thing.shown,
            kind=form,
            what=KINDS[form].what,
            answer="It is too large to be read at once; import makes a trace of it.",
            figures=(),
            next=(first, command("T.hst", why="what is in the trace")),
        )
    info = _imported(form, thing.name)
    dumps = info.events.marks if form == "pjsip" else 0
    then = (
        command("fit", "T.hst", "--pools", why="which sizes should the pools have?")
        if form == "pjsip"
        else command("replay", "T.hst", *(requested.device or ("--chip", _USUAL)), why="on a chip")
    )
    return ThingAnswer(
        thing=thing.shown,
        kind=form,
        what=f"{KINDS[form].what}, {plural(dumps, 'dump') if dumps else _events(info)}",
        answer="It tells how full each pool was, and not the calls between two dumps."
        if dumps
        else contents(info),
        figures=(counted("dumps", dumps),) if dumps else _figures(info, None),
        next=(first, then),
        notes=tuple(_notes(info, None, ThingOptions())),
    )


def _imported(form: str, name: str) -> TraceInfo:
    with scratch_folder() as folder:
        out = Path(folder) / "T.hst"
        import_(name, out, form=form)
        return read_info(out)
