"""Write a trace in another program's format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Unpack

from heapscope.base.choices import known
from heapscope.base.errors import InputError
from heapscope.base.option import Option
from heapscope.base.output import open_output
from heapscope.base.progress import OnProgress, phase
from heapscope.cli.verbs.options import (
    Fold,
    Trace,
    output,
)
from heapscope.memory.options import MemoryOptions, given
from heapscope.trace.fold_sites import fold as fold_sites

if TYPE_CHECKING:
    from heapscope.capture.export.exported import Exported
    from heapscope.capture.export.formats import Format


def export(
    trace: Trace,
    *,
    to: Annotated[
        str, Option("FORMAT", "perfetto, speedscope, collapsed, dhat, csv, json or parquet.")
    ],
    out: Annotated[str | Path, output("FILE")] = "-",
    weight: Annotated[
        str | None,
        Option(
            "FIGURE",
            "Bytes in collapsed stacks: at the peak (peak), allocated in all (total), or not freed "
            "at the end (leaked).",
        ),
    ] = None,
    fold: Fold = None,
    progress: OnProgress | None = None,
    **memory: Unpack[MemoryOptions],
) -> Exported:
    """Write a trace in the format of another program.

      perfetto     counters over time, failures and marks, for ui.perfetto.dev
      speedscope   bytes by task and call site, for speedscope.app
      collapsed    the same as lines for flame graph programs (--weight peak, total, leaked)
      dhat         the same for Valgrind's dh_view.html, with lifetimes
      csv, json, parquet   every heap event

    With a memory, chosen as for replay, it is what the replay did: addresses, free bytes of each
    region, failures. Without one it is what the recorded program itself asked and held.

    Examples:
      heapscope export T.hst --to perfetto -o T.pftrace
      heapscope export T.hst --to perfetto --chip esp32 --idf 5.5 -o T.pftrace
      heapscope export T.hst --to csv --pool 64KB -o T.csv
      heapscope export T.hst --to collapsed --weight total
      heapscope export T.hst --to dhat -o dhat.json
    """
    from heapscope.capture.export.exported import export as export_events
    from heapscope.capture.export.formats import exporter
    from heapscope.cli.verbs.recorded import with_word_size
    from heapscope.forecast.predict.memory_choice import choose_memory
    from heapscope.memory.choose import choose_placement

    fold_sites(fold)
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
    from heapscope.capture.export.formats import FORMATS

    by_name = {one.name: one for one in FORMATS}
    return by_name[known(name, by_name, noun="format")]


def _weight(weight: str | None, chosen: Format) -> str:
    from heapscope.capture.export.collapsed import WEIGHTS

    if weight is None:
        return "peak"
    if chosen.name != "collapsed":
        raise InputError(
            f"--weight is for collapsed stacks, not for {chosen.name}",
            remedy="leave it out, or give --to collapsed",
        )
    return known(weight, WEIGHTS, noun="weight")
