"""Show where the RAM of a firmware goes, from its build."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from heapscope.base.option import Option
from heapscope.base.progress import OnProgress, phase
from heapscope.cli.verbs.options import Chip, Idf, Layout, OwnTrace, Tcp, Tls, Udp

if TYPE_CHECKING:
    from heapscope.answers.ram.difference import RamDifference
    from heapscope.answers.ram.measured import LoggedHeap
    from heapscope.answers.ram.ram_result import RamResult


def ram(
    thing: Annotated[
        str, Option("THING", "A build folder, an ELF, a linker map, an image, or a project.")
    ],
    other: Annotated[
        str, Option("OTHER", "A second one: what differs, by component and symbol.")
    ] = "",
    *,
    why: Annotated[str, Option("NAME", "Also the symbols of this component, or this symbol.")] = "",
    known_calls: Annotated[
        str | Path | None,
        Option("F.txt", "Calls that the code does not show, for the bounds of stacks."),
    ] = None,
    log: Annotated[
        str | Path | None,
        Option("LOG", "The free heap of the device, by the end of its log or by a memory image."),
    ] = None,
    trace: OwnTrace = None,
    tcp: Tcp = 1,
    udp: Udp = 0,
    tls: Tls = 0,
    chip: Chip = None,
    idf: Idf = None,
    layout: Layout = None,
    progress: OnProgress | None = None,
) -> RamResult | RamDifference:
    """Show where the RAM of a firmware goes: each memory of its chip from the first byte to the
    last.

    A build folder is best: its linker map names components, its image has the regions of the heap,
    its sdkconfig says what the heap gets, and what the system takes of it in each state, with
    --tcp, --udp and --tls connections. Each byte counts once, and what nothing holds is "not
    explained". A project that is not built has a forecast, and a chip that is not known its
    memories in --layout or in the linker map. --log and --trace say what the heap has left, and
    its largest block. Lines such as `hook: set_hook(1)` in the file of --known-calls close holes
    of stacks. -o writes a page, or Markdown (.md).

    Examples:
      heapscope ram build
      heapscope ram build --why libmain.a
      heapscope ram app.map --idf 5.5
      heapscope ram build --layout board.toml
      heapscope ram build --log device.log
      heapscope ram before/build after/build

    Python: InputError where the thing is not a firmware, or its chip or release is not known.
    """
    from heapscope.answers.ram.firmware import read_built
    from heapscope.answers.ram.ram_answer import ram_answer
    from heapscope.forecast.predict.demand import Demand

    step = phase(progress, "reading")
    step(0)
    demand = Demand(tcp=tcp, udp=udp, tls=tls)
    firmware = read_built(thing, chip=chip, idf=idf, layout=layout, demand=demand)
    answer = ram_answer(
        thing,
        firmware,
        why=why,
        calls=known_calls,
        demand=demand,
        log=None if log is None else _logged(log, firmware.elf, progress),
        trace=trace,
        progress=progress,
    )
    if not other:
        return answer
    from heapscope.answers.ram.difference import ram_difference

    second = read_built(other, chip=chip, idf=idf, layout=layout, demand=demand)
    compared = ram_answer(other, second, calls=known_calls, demand=demand)
    return ram_difference((answer, compared), (firmware, second))


def _logged(path: str | Path, elf: Path | None, progress: OnProgress | None) -> LoggedHeap:
    from heapscope.answers.ram.measured import LoggedHeap
    from heapscope.cli.verbs.logged import LogOptions, one_log

    result = one_log(path, LogOptions(elf=elf), progress=progress)
    figures: dict[str, dict[str, tuple[int, int]]] = {}
    for row in result.figures:
        figures.setdefault(row.memory, {})[row.name] = (row.last, row.least)
    start = frozenset((row.address, row.size) for row in result.boot)
    stacks = tuple(sentence for sentence in result.verdict if "overflowed" in sentence)
    left = {
        row.name: row.least
        for row in result.pools
        if row.kind == "stack" and row.unit == "B" and row.least is not None
    }
    return LoggedHeap(
        file=result.file, figures=figures, start=start, stacks=stacks, stacks_left=left
    )
