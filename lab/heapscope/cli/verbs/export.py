"""A trace in the format of another program."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

from heapscope.base.choices import known
from heapscope.base.errors import InputError
from heapscope.base.output import open_output
from heapscope.base.progress import OnProgress, phase
from heapscope.capture.export.collapsed import WEIGHTS
from heapscope.capture.export.exported import Exported
from heapscope.capture.export.exported import export as export_events
from heapscope.capture.export.formats import FORMATS, Format, exporter
from heapscope.cli.verbs.recorded import with_word_size
from heapscope.forecast.predict.memory_choice import choose_memory
from heapscope.memory.choose import choose_placement
from heapscope.memory.options import MemoryOptions, given


def export(
    trace: str | Path,
    *,
    to: str,
    out: str | Path,
    weight: str | None = None,
    progress: OnProgress | None = None,
    **memory: Unpack[MemoryOptions],
) -> Exported:
    """Writes a trace to the file `out` in the format `to`.

    `to`: perfetto, speedscope, collapsed, dhat, csv, json or parquet. `weight`: peak, total or
    leaked, for collapsed stacks. With a `memory`, as for replay(), it is what the replay did;
    without one it is what the recorded program itself asked and held. InputError: an input cannot
    be used.
    """
    path, options = Path(trace), given(memory)
    chosen = format_named(to)
    writer = exporter(chosen.name, weight=_weight(weight, chosen))
    layout = placement = None
    if options:  # what the trace tells of its device alone must not change every figure
        layout = choose_memory(options, path).layout
        placement = choose_placement(options, layout)
    with open_output(Path(out), inputs=(path,)) as write:
        done = export_events(
            path,
            writer,
            write,
            lambda what: phase(progress, what),
            to=chosen.name,
            file=str(out),
            layout=layout,
            placement=placement,
        )
    return with_word_size(done, path, limits=bool(options))


def format_named(name: str) -> Format:
    by_name = {one.name: one for one in FORMATS}
    return by_name[known(name, by_name, noun="format")]


def _weight(weight: str | None, chosen: Format) -> str:
    if weight is None:
        return "peak"
    if chosen.name != "collapsed":
        raise InputError(
            f"--weight is for collapsed stacks, not for {chosen.name}",
            remedy="leave it out, or give --to collapsed",
        )
    return known(weight, WEIGHTS, noun="weight")
