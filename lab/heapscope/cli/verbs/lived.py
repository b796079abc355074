"""How long a program lives that goes on as it was recorded, on the memory of the options."""

from __future__ import annotations

from pathlib import Path

from heapscope.answers.leaks.interval import interval
from heapscope.answers.lifetime.play import OngoingProgram, lifetime
from heapscope.answers.lifetime.result import Lifetime
from heapscope.answers.lifetime.stretch import steady_stretch
from heapscope.base.errors import InputError
from heapscope.base.progress import OnProgress, phase
from heapscope.base.request import Needed, parse_requests
from heapscope.cli.verbs.recorded import with_word_size
from heapscope.forecast.predict.memory_choice import choose_memory
from heapscope.memory.choose import choose_placement
from heapscope.memory.options import MemoryOptions
from heapscope.simulation.jitter.runs import Jitter, kept_in_memory
from heapscope.simulation.replay.config import native_config
from heapscope.trace.all_names import read_all_names
from heapscope.trace.info import read_info
from heapscope.trace.loss import is_cut


def lived(
    path: Path,
    options: MemoryOptions,
    time: str,
    jitter: Jitter,
    *,
    need: Needed = (),
    progress: OnProgress | None = None,
) -> Lifetime:
    """InputError: events are missing in the trace, or nothing in it comes back."""
    info = read_info(path, progress=phase(progress, "reading"))
    if is_cut(info.loss):
        raise InputError(
            "--repeat: events are missing in the trace, so what goes on is not known",
            remedy="record it again without a loss, or leave --repeat out",
        )
    layout = choose_memory(options, path).layout
    layout.check()
    placement = choose_placement(options, layout)
    if placement is not None:
        layout = placement.apply(layout)
    by_name = layout.tenants or (placement is not None and placement.by_name)
    needs, push = parse_requests(need), kept_in_memory(path)
    span = interval(info, start=None, end=None)
    config = native_config(
        layout,
        needs=needs,
        capsets=(),
        buckets=0,
        placement=placement,
        names=read_all_names(path) if by_name else None,
    )
    program = OngoingProgram(
        trace=str(path),
        push=push,
        events=span.last,
        stretch=steady_stretch(span, push),
        layout=layout,
        config=config,
        needs=needs,
    )
    playing = phase(progress, "playing rounds", parts=True)
    return with_word_size(lifetime(program, jitter, time, playing), path)
